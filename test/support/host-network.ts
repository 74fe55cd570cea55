/** A node namespace with two uplinks, eth1 and eth2, whose other ends stand in a namespace of their own. */
import { inside } from '../../lab/network/inside.ts';
import { readFile } from 'node:fs/promises';
import { execa } from 'execa';

export interface HostNetwork {
  /** Name of the node's namespace. */
  readonly node: string;
  /** Name of the namespace of the other ends. */
  readonly other: string;
  /** `ip` in the node's namespace, and in the one of the other ends. */
  near(...args: readonly string[]): Promise<{ readonly stdout: string }>;
  far(...args: readonly string[]): Promise<{ readonly stdout: string }>;
  /** A shell script in the node's namespace; rejects with its stderr when it fails. */
  shell(script: string): Promise<void>;
  /** Makes (again) eth<n> with its addresses and the other end. */
  pair(n: number): Promise<void>;
  /** Process ids of `ip monitor` in the node's namespace. */
  monitors(): Promise<readonly number[]>;
  remove(): Promise<void>;
}

let made = 0;

/** Addresses as in `uplink(name, n)` of the unit tests: 192.0.2.(4n+2)/30 and 2001:db8:n::2/64. */
export async function createHostNetwork(): Promise<HostNetwork> {
  made += 1;
  const node = `cwhost${process.pid}-${made}n`;
  const other = `cwhost${process.pid}-${made}f`;
  const near = (...args: readonly string[]) => execa('ip', ['-n', node, ...args]);
  const far = (...args: readonly string[]) => execa('ip', ['-n', other, ...args]);
  const pair = async (n: number): Promise<void> => {
    const device = `eth${n}`;
    const end = `far${n}`;
    await near('link', 'add', device, 'type', 'veth', 'peer', 'name', end, 'netns', other);
    await near('addr', 'add', `192.0.2.${4 * n + 2}/30`, 'dev', device);
    await near('addr', 'add', `2001:db8:${n}::2/64`, 'dev', device, 'nodad');
    await far('addr', 'add', `192.0.2.${4 * n + 1}/30`, 'dev', end);
    await far('addr', 'add', `2001:db8:${n}::1/64`, 'dev', end, 'nodad');
    await far('link', 'set', end, 'up');
    await near('link', 'set', device, 'up');
    // Carrier comes a moment later; IPv6 routes are refused until then.
    const deadline = performance.now() + 15_000;
    for (;;) {
      const { stdout } = await near('link', 'show', 'dev', device);
      if (stdout.includes('LOWER_UP')) return;
      if (performance.now() > deadline) throw new Error(`${device} got no carrier: ${stdout}`);
    }
  };
  const network: HostNetwork = {
    node,
    other,
    near,
    far,
    pair,
    shell: async (script) => {
      await execa('ip', inside(node, ['sh']), { input: script });
    },
    monitors: async () => {
      const { stdout } = await execa('ip', ['netns', 'pids', node]);
      const pids = stdout.split('\n').filter((line) => line !== '');
      const commands = await Promise.all(
        pids.map(async (pid) => ({
          pid: Number(pid),
          // A process may end between the two.
          text: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
        })),
      );
      return commands
        .filter(({ text }) => text.startsWith('ip\0') && text.includes('monitor'))
        .map(({ pid }) => pid);
    },
    remove: async () => {
      await execa('ip', ['netns', 'del', node], { reject: false });
      await execa('ip', ['netns', 'del', other], { reject: false });
    },
  };
  try {
    await execa('ip', ['netns', 'add', node]);
    await execa('ip', ['netns', 'add', other]);
    await near('link', 'set', 'lo', 'up');
    await pair(1);
    await pair(2);
    return network;
  } catch (error) {
    await network.remove();
    throw error;
  }
}
