/** What `causeway doctor` looks at on the machine itself: programs, links, addresses, routing and kernel settings. */
import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import type { NodeConfig, Uplink } from '../types/config.ts';
import type { LinkView, RouteFact } from '../types/link-view.ts';
import { families, type Family } from '../types/units.ts';
import { type ClockContext, clockChecks } from './clock-checks.ts';
import { type DaemonUser, readDaemonUser } from './daemon-user.ts';
import { type DiskContext, diskChecks } from './disk-checks.ts';
import { type Check, type Finding, finding } from './doctor.ts';
import { systemIp, type IpCommand } from './ip-command.ts';
import { leftoverRules, type LeftoverRule } from './leftover-rules.ts';
import { readLinks } from './links.ts';
import { readyDoctorChecks } from './ready/doctor.ts';
import { checkRouting } from './routing-check.ts';
import { unitChecks } from './unit-checks.ts';

export interface HostContext extends ClockContext, DiskContext {
  readonly config: NodeConfig;
  /** Read once for all checks; rejects with IpError. */
  readonly links: () => Promise<LinkView>;
  readonly routes: () => Promise<readonly RouteFact[]>;
  readonly leftovers: () => Promise<readonly LeftoverRule[]>;
  /** `/proc/sys` */
  readonly sysctlFolder: string;
}

/** The machine that this process runs on. `moments`: of the history; none for a check of the config alone. */
export function hostContext(
  config: NodeConfig,
  moments: ClockContext['moments'] = async () => [],
  ip: IpCommand = systemIp,
): HostContext {
  return {
    config,
    links: once(() => readLinks(ip)),
    routes: once(() => checkRouting(config, ip)),
    leftovers: once(() => leftoverRules(config, ip)),
    sysctlFolder: '/proc/sys',
    user: once((): Promise<DaemonUser> => readDaemonUser({ passwd: '/etc/passwd', group: '/etc/group' })),
    moments,
    wallMillis: () => Date.now(),
  };
}

/** The checks for this config, in the order in which they should be mended. */
export function hostChecks(config: NodeConfig): readonly Check<HostContext>[] {
  return [
    programCheck('ip', ['-V'], 'links, addresses and routing are read with it', 'apt-get install iproute2'),
    programCheck(
      'bird',
      ['--version'],
      'every new base configuration is checked by it',
      'apt-get install bird2',
    ),
    ...config.uplinks.flatMap((uplink) => [
      interfaceCheck(uplink),
      ...families.flatMap((family) =>
        uplink.source[family] === undefined
          ? []
          : [sourceCheck(uplink, family), routingCheck(uplink, family)],
      ),
      rpFilterCheck(uplink),
    ]),
    leftoverCheck,
    pingGroupCheck,
    ...readyDoctorChecks(config),
  ];
}

/** What the machine gives the daemon besides: room on the disk, a clock, and what systemd allows it. */
export function machineChecks(config: NodeConfig): readonly Check<HostContext>[] {
  return [...diskChecks(config), ...clockChecks, ...unitChecks];
}

/** Whether a program runs; Debian keeps some in sbin. */
export function programCheck(
  name: string,
  args: readonly string[],
  why: string,
  mend: string,
): Check<unknown> {
  return {
    id: `program.${name}`,
    title: `program ${name}`,
    run: async () => {
      // Debian keeps both in sbin, which is not in everybody's PATH.
      const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
      const result = await execa(name, args, { reject: false, timeout: 5000, env, all: true });
      if (result.exitCode === 0) return { kind: 'ok', text: result.all.split('\n')[0] ?? name };
      return result.code === 'ENOENT'
        ? finding('program-missing', { what: `${name} is not installed`, why, mend })
        : finding('program-broken', { what: `${name} does not run: ${result.shortMessage}`, why, mend });
    },
  };
}

function interfaceCheck(uplink: Uplink): Check<HostContext> {
  const device = uplink.interface;
  return {
    id: `interface.${uplink.name}`,
    title: `interface ${device} of ${uplink.name}`,
    run: async ({ links }) => {
      const link = (await links()).links.get(device);
      if (link?.up === true) return { kind: 'ok', text: `${device} is up` };
      const why = `no probe of ${uplink.name} runs and its session cannot stand`;
      return link === undefined
        ? finding('interface-missing', {
            what: `interface ${device} is not there`,
            why,
            mend: `ip -br link  # bring ${device} back, or put the right name into uplinks.${uplink.name}.interface`,
          })
        : finding('interface-down', {
            what: `${device} is down or has no carrier`,
            why,
            mend: `ip link set ${device} up  # and see the cable and the other end`,
          });
    },
  };
}

function sourceCheck(uplink: Uplink, family: Family): Check<HostContext> {
  const source = uplink.source[family] ?? '';
  const device = uplink.interface;
  return {
    id: `source.${uplink.name}${family}`,
    title: `source ${source} of ${uplink.name}`,
    run: async ({ links }) => {
      const view = await links();
      const link = view.links.get(device);
      if (link === undefined) return { kind: 'skipped', text: `interface ${device} is not there` };
      if (link.addresses.includes(source)) return { kind: 'ok', text: `${device} has ${source}` };
      const other = [...view.links].find(([, each]) => each.addresses.includes(source))?.[0];
      return finding('source-missing', {
        what: `${device} does not have ${source}${other === undefined ? '' : `: ${other} has it`}`,
        why: `no probe of ${uplink.name} in IPv${family} runs, and BIRD cannot bind its session there`,
        mend: `ip -${family} addr add ${source}/LENGTH dev ${device}  # LENGTH: of the link's prefix`,
      });
    },
  };
}

function routingCheck(uplink: Uplink, family: Family): Check<HostContext> {
  return {
    id: `routing.${uplink.name}${family}`,
    title: `routing of ${uplink.name}, IPv${family}`,
    run: async ({ routes }) => {
      const facts = await routes();
      const fact = facts.find((each) => each.uplink === uplink.name && each.family === family);
      if (fact === undefined) return { kind: 'skipped', text: 'no gateway is known' };
      return routeFinding(fact, uplink);
    },
  };
}

function routeFinding(fact: RouteFact, uplink: Uplink): Finding {
  if (fact.kind === 'wrong') {
    const { why, text, mend } = fact;
    if (why !== 'route-missing' && why !== 'wrong-uplink') return { kind: 'skipped', text };
    return finding('route-wrong', {
      what: `${why}: ${text}`,
      why: `a probe that leaves by another way says nothing about ${uplink.name}, so none runs`,
      mend,
    });
  }
  const leaves = `probes leave by ${uplink.interface}`;
  if (fact.missing.length === 0) return { kind: 'ok', text: leaves };
  return finding('rules-missing', {
    what: `${leaves}, but ${fact.missing.length} of its rules in \`ip rule\` are missing`,
    why: 'another route in main would turn the probes to another uplink',
    mend: fact.missing.join(' && '),
  });
}

const leftoverCheck: Check<HostContext> = {
  id: 'routing.leftover',
  title: 'rules that nothing asks for',
  run: async ({ leftovers }) => {
    const left = await leftovers();
    if (left.length === 0) return { kind: 'ok', text: 'none at the priorities of the plan' };
    const shown = left.slice(0, 4).map(({ family, priority, text }) => `IPv${family} ${priority}: ${text}`);
    const more = left.length > 4 ? ` and ${left.length - 4} more` : '';
    return finding('rules-left', {
      what: `${shown.join('; ')}${more}`,
      why: 'they send packets into tables that nobody fills, or by an uplink that is no longer in the config',
      mend: left.map(({ mend }) => mend).join(' && '),
    });
  },
};

/** The kernel takes the greater of `all` and the interface's own value; 1 is strict. */
function rpFilterCheck(uplink: Uplink): Check<HostContext> {
  const device = uplink.interface;
  return {
    id: `rp-filter.${uplink.name}`,
    title: `reverse-path filter of ${device}`,
    run: async ({ sysctlFolder }) => {
      const read = (name: string): Promise<string> =>
        readFile(`${sysctlFolder}/net/ipv4/conf/${name}/rp_filter`, 'utf8');
      const own = await read(device).catch(() => null);
      if (own === null) return { kind: 'skipped', text: `interface ${device} is not there` };
      const effective = Math.max(Number(await read('all')), Number(own));
      if (effective !== 1) return { kind: 'ok', text: effective === 2 ? 'loose' : 'off' };
      return finding('rp-filter', {
        what: `net.ipv4.conf.${device}.rp_filter is 1 (strict) in effect`,
        why: `IPv4 answers that come in on ${device} are dropped while main points elsewhere, and look like loss`,
        mend: `sysctl -w net.ipv4.conf.${device.replaceAll('.', '/')}.rp_filter=2`,
      });
    },
  };
}

const pingGroupCheck: Check<HostContext> = {
  id: 'ping-group-range',
  title: 'ICMP sockets without privileges',
  run: async ({ sysctlFolder, user }) => {
    const text = await readFile(`${sysctlFolder}/net/ipv4/ping_group_range`, 'utf8');
    const [low = NaN, high = NaN] = text.trim().split(/\s+/).map(Number);
    const { name, gid } = await user();
    if (gid >= low && gid <= high) return { kind: 'ok', text: `group ${name} may open them` };
    return finding('ping-group', {
      what: `net.ipv4.ping_group_range is "${low} ${high}", which leaves out group ${name} (${gid})`,
      why: 'the prober cannot open its ICMP sockets (EACCES), so no ICMP probe runs; "1 0" refuses even root',
      mend: 'sysctl -w net.ipv4.ping_group_range="0 2147483647"',
    });
  },
};

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}
