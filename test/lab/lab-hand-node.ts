/** A node whose BIRD and policy routing are written by hand: proves the lab without the program it is made to test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carriers, nodeAsn, service } from '../../lab/network/addresses.ts';
import { ipBatch } from '../../lab/network/command.ts';
import type { Network } from '../../lab/network/network.ts';
import { startIn } from '../../lab/network/process.ts';
import { families, type Family } from '../../src/types/units.ts';

/** Starts it; returns the path of its control socket. */
export async function startHandNode(network: Network): Promise<string> {
  for (const family of families) await ipBatch(network.namespace('node'), routingLines(family), family);
  const config = join(network.folder, 'hand.conf');
  const socket = join(network.folder, 'bird.ctl');
  writeFileSync(config, handConfig());
  await startIn({
    namespace: network.namespace('node'),
    argv: ['bird', '-f', '-c', config, '-s', socket],
    log: join(network.folder, 'hand.out'),
    pidFile: join(network.folder, 'node-bird.pid'),
  });
  return socket;
}

function routingLines(family: Family): readonly string[] {
  const any = family === 4 ? '0.0.0.0/0' : '::/0';
  return carriers.flatMap((plan) => [
    `rule add pref 100 from ${plan.node[family]} lookup ${1000 + plan.index}`,
    `route add ${any} via ${plan.router[family]} dev ${plan.name} table ${1000 + plan.index}`,
  ]);
}

function handConfig(): string {
  const parts = carriers.flatMap((plan) =>
    families.map(
      (family) => `ipv${family} table t_${plan.name}${family};
protocol static announce_${plan.name}_web${family} { ipv${family} { table t_${plan.name}${family}; };
  route ${service.prefix[family]} reject; }
protocol bgp bgp_${plan.name}${family} {
  local ${plan.node[family]} as ${nodeAsn};
  neighbor ${plan.router[family]} as ${plan.asn};
  connect delay time 1; connect retry time 2; error wait time 1, 2; check link on;
  ipv${family} { table t_${plan.name}${family}; import all;
    export filter { if source != RTS_STATIC then reject; bgp_med = 100; bgp_community.add((65535,0)); accept; }; };
}`,
    ),
  );
  return `router id 10.255.0.1;\nlog stderr all;\nprotocol device { scan time 1; }\n${parts.join('\n')}\n`;
}
