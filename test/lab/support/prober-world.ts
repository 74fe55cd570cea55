/** Namespaces for the prober: a node with uplinks A and B, a router for both carriers, and a target behind it. */
import { inside } from '../../../lab/network/inside.ts';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

export interface World {
  readonly node: string;
  readonly router: string;
  readonly target: string;
  /** Runs a line of `ip`, `nft`, … in a namespace. */
  readonly run: (namespace: string, line: string) => Promise<string>;
  readonly remove: () => Promise<void>;
}

export const sourceA = { 4: '10.71.1.2', 6: 'fd71:1::2' } as const;
export const sourceB = { 4: '10.71.2.2', 6: 'fd71:2::2' } as const;
export const targetAddress = { 4: '198.51.100.10', 6: '2001:db8:62::10' } as const;

async function inNamespace(namespace: string, line: string): Promise<string> {
  const { stdout } = await execa('ip', inside(namespace, line.split(' ')));
  return stdout;
}

/** Root, iproute2 and nftables are needed. Names carry the process id, so that several can stand side by side. */
export async function makeWorld(): Promise<World> {
  const id = `cwp${process.pid}${Math.floor(Math.random() * 1000)}`;
  const names = { node: `${id}-node`, router: `${id}-router`, target: `${id}-target` };
  const world: World = {
    ...names,
    run: inNamespace,
    remove: async () => {
      for (const name of Object.values(names)) await execa('ip', ['netns', 'del', name], { reject: false });
    },
  };
  try {
    for (const name of Object.values(names)) await prepare(name);
    await joinUplink(world, 'upa', '1', 1001);
    await joinUplink(world, 'upb', '2', 1002);
    await joinTarget(world);
    return world;
  } catch (error) {
    await world.remove();
    throw error;
  }
}

async function prepare(name: string): Promise<void> {
  await execa('ip', ['netns', 'add', name]);
  await inNamespace(name, 'ip link set lo up');
  const settings = [
    'net.ipv4.ip_forward=1',
    'net.ipv6.conf.all.forwarding=1',
    'net.ipv6.conf.all.accept_dad=0',
    'net.ipv6.conf.default.accept_dad=0',
    'net.ipv4.conf.all.rp_filter=0',
    'net.ipv4.conf.default.rp_filter=0',
    'net.ipv4.ping_group_range=0\t2147483647',
  ];
  for (const setting of settings) await execa('ip', inside(name, ['sysctl', '-qw', setting]));
}

/** Makes or makes again the node's end of an uplink, its addresses and its policy routing. */
export async function joinUplink(world: World, device: string, net: string, table: number): Promise<void> {
  const { node, router, run } = world;
  await run(node, `ip link add ${device} type veth peer name ${device} netns ${router}`);
  await run(router, `ip addr add 10.71.${net}.1/24 dev ${device}`);
  await run(router, `ip -6 addr add fd71:${net}::1/64 dev ${device} nodad`);
  await run(router, `ip link set ${device} up`);
  await run(node, `ip addr add 10.71.${net}.2/24 dev ${device}`);
  await run(node, `ip -6 addr add fd71:${net}::2/64 dev ${device} nodad`);
  await run(node, `ip link set ${device} up`);
  await routeUplink(world, device, net, table);
}

export async function routeUplink(world: World, device: string, net: string, table: number): Promise<void> {
  const { node, run } = world;
  for (const [flag, link, gateway, source] of [
    ['-4', `10.71.${net}.0/24`, `10.71.${net}.1`, `10.71.${net}.2`],
    ['-6', `fd71:${net}::/64`, `fd71:${net}::1`, `fd71:${net}::2`],
  ]) {
    // Without the link's own prefix in the table, IPv6 refuses to replace the default route: it would look for the
    // gateway by way of the gateway.
    await run(node, `ip ${flag} route replace ${link} dev ${device} table ${table}`);
    await run(node, `ip ${flag} route replace default via ${gateway} dev ${device} table ${table}`);
    const rules = await run(node, `ip ${flag} rule show`);
    if (rules.includes(`lookup ${table}`)) continue;
    await run(node, `ip ${flag} rule add oif ${device} lookup ${table}`);
    await run(node, `ip ${flag} rule add from ${source} lookup ${table}`);
  }
}

async function joinTarget({ router, target, run }: World): Promise<void> {
  await run(router, `ip link add tgt type veth peer name tgt netns ${target}`);
  await run(router, 'ip addr add 10.71.9.1/24 dev tgt');
  await run(router, 'ip -6 addr add fd71:9::1/64 dev tgt nodad');
  await run(router, 'ip link set tgt up');
  await run(target, 'ip addr add 10.71.9.2/24 dev tgt');
  await run(target, 'ip -6 addr add fd71:9::2/64 dev tgt nodad');
  await run(target, 'ip link set tgt up');
  await run(target, `ip addr add ${targetAddress[4]}/32 dev lo`);
  await run(target, `ip -6 addr add ${targetAddress[6]}/128 dev lo nodad`);
  await run(target, 'ip route add default via 10.71.9.1');
  await run(target, 'ip -6 route add default via fd71:9::1');
  await run(router, `ip route add ${targetAddress[4]}/32 via 10.71.9.2`);
  await run(router, `ip -6 route add ${targetAddress[6]}/128 via fd71:9::2`);
}

/** Compiles the program into a folder of its own, since others may be building the checkout. */
export async function compile(): Promise<{ readonly dist: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-probes-'));
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  const dist = join(folder, 'dist');
  const project = join(folder, 'tsconfig.json');
  const root = process.cwd();
  const options = { rootDir: root, outDir: dist, typeRoots: [join(root, 'node_modules/@types')] };
  const files = [join(root, 'probes/prober.ts'), join(root, 'src/daemon/prober.ts')];
  writeFileSync(
    project,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [], files }),
  );
  await execa(join(root, 'node_modules/.bin/tsc'), ['-p', project]);
  return { dist, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
