/** exabgp as its package brings it: speaks BGP itself, in BIRD's place, with a health check for each neighbour. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carriers, nodeAsn, service, targets } from '../../lab/network/addresses.ts';
import { ipBatch } from '../../lab/network/command.ts';
import { stopNodeBird } from '../../lab/node/bird.ts';
import { runTool, type Tool } from './tool.ts';
import { versionOf } from './version.ts';

export const exabgp: Tool = {
  name: 'exabgp healthcheck',
  set: 'its defaults (interval 5 s, after a change of the answer 1 s; timeout 5 s, rise 3, fall 3), one ping, --withdraw-on-down',
  cannot: 'tell a dead target from a dead uplink, hold back when all fail, learn routes as BIRD does',
  version: () => versionOf('exabgp', ['--version'], /([\d.]+)/),
  async start(network) {
    await stopNodeBird(network, 'SIGTERM');
    // BIRD took the routes of its tables along.
    const routes = carriers.map(
      ({ name, index, router }) => `default via ${router[4]} dev ${name} table ${1000 + index}`,
    );
    const change = (word: string): Promise<string> =>
      ipBatch(
        network.namespace('node'),
        routes.map((route) => `route ${word} ${route}`),
      );
    await change('replace');
    const config = join(network.folder, 'exabgp.conf');
    writeFileSync(config, configText());
    const env = [
      'exabgp.daemon.user=root',
      'exabgp.api.cli=false',
      'exabgp.log.destination=stdout',
      'exabgp.daemon.drop=false',
    ];
    const running = await runTool(network, 'exabgp', ['env', ...env, 'exabgp', config]);
    return {
      ...running,
      async stop() {
        await running.stop();
        await change('del');
      },
    };
  },
};

/** Of the package's own Python, which another in the PATH does not know. */
const healthcheck = '/usr/bin/python3 -m exabgp healthcheck --no-syslog --no-ip-setup --withdraw-on-down';

function configText(): string {
  const parts = carriers.map(({ name, asn, node, router }) => {
    const check = `ping -n -q -c 1 -W 1 -I ${name} ${targets[0]?.address[4] ?? ''}`;
    return `process look_${name} {
  run ${healthcheck} --ip ${service.prefix[4]} --next-hop ${node[4]} --command "${check}";
  encoder text;
}
neighbor ${router[4]} {
  router-id 10.255.0.1; local-address ${node[4]}; local-as ${nodeAsn}; peer-as ${asn};
  family { ipv4 unicast; }
  api { processes [ look_${name} ]; }
}`;
  });
  return `${parts.join('\n')}\n`;
}
