/** What `causeway doctor` looks at in its own runtime: Node.js, and the library for system calls. */
import { type Check, type Finding, finding } from '../host/doctor.ts';

/** As in package.json. */
const least = [20, 19] as const;

export interface RuntimeContext {
  /** Such as `20.19.1`. */
  readonly nodeVersion: string;
  /** Loads the library and makes one call; rejects where it cannot. */
  readonly tryCalls: () => Promise<void>;
}

/** This process. */
export const ownRuntime: RuntimeContext = {
  nodeVersion: process.versions.node,
  tryCalls: async () => {
    // Loaded here alone: where it does not load, every other check still runs.
    const { realtimeMillis } = await import('../../probes/socket/libc.ts');
    realtimeMillis();
  },
};

export const runtimeChecks: readonly Check<RuntimeContext>[] = [
  { id: 'node', title: 'Node.js', run: async ({ nodeVersion }) => nodeFinding(nodeVersion) },
  { id: 'koffi', title: 'system calls', run: ({ tryCalls }) => callsFinding(tryCalls) },
];

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > least[0] || (major === least[0] && minor >= least[1]))
    return { kind: 'ok', text: `${version}, in ${process.execPath}` };
  return finding('node-old', {
    what: `Node.js ${version} runs this, and ${least.join('.')} is needed`,
    why: 'what it lacks fails when it is needed, which may be in the night',
    mend: 'apt-get install nodejs  # from a newer source, or use the package, which brings its own',
  });
}

async function callsFinding(tryCalls: RuntimeContext['tryCalls']): Promise<Finding> {
  try {
    await tryCalls();
    return { kind: 'ok', text: 'koffi loads, and libc answers' };
  } catch (error) {
    return finding('koffi-broken', {
      what: error instanceof Error ? (error.message.split('\n')[0] ?? error.message) : String(error),
      why: 'the prober opens its sockets with it: no ICMP, TCP or DNS probe runs',
      mend: 'apt-get install --reinstall causeway  # or `npm ci` where it runs from a checkout',
    });
  }
}
