/** The line to BIRD breaks, and links break. */
import { interfaceDeleted, linkDownAtCarrier, linkDownAtNode } from '../faults/link.ts';
import { startSocketProxy, type ProxyMode } from '../faults/socket-proxy.ts';
import { carrierNames } from '../network/names.ts';
import { nodeFiles } from '../node/config.ts';
import { waitHealthy } from '../node/lab.ts';
import { startDaemon, stopDaemon } from '../node/program.ts';
import type { Fault } from '../faults/fault.ts';
import { announced, quiet, sessionDown, sessionUp, untouched } from './expect.ts';
import { healthyAgain, statusSays } from './expect-node.ts';
import type { Scenario, Stage } from './stage.ts';

export const lineScenarios: readonly Scenario[] = [
  {
    name: 'bird-socket',
    summary:
      'BIRD’s socket hangs, is cut in a reply, missing, forbidden: bird-unreachable says so, nothing is invented',
    node: { proxy: true },
    async run(stage) {
      const { network } = stage.lab;
      const files = nodeFiles(network);
      const proxy = await startSocketProxy(files.proxySocket, files.birdSocket);
      try {
        await startDaemon(network, { bound: true });
        await waitHealthy(stage.lab);
        for (const [mode, code] of socketTroubles) {
          await stage.act(`socket: ${mode}`, () => proxy.become(mode));
          await unreachable(stage, files.proxySocket, code);
          await quiet(stage, 1500);
          await stage.act('socket: well again', () => proxy.become('pass'));
          await statusSays(stage, 'BIRD seen', ({ bird }) => bird.kind === 'seen', 4000);
        }
        await healthyAgain(stage);
        await untouched(stage, ...carrierNames);
      } finally {
        await stopDaemon(network, 'SIGKILL');
        await proxy.stop();
      }
    },
  },
  linkScenario('link-down-at-carrier', 'CMI’s end of the link goes down', linkDownAtCarrier('cmi')),
  linkScenario('link-down-at-node', 'the node’s end of the link to PCCW goes down', linkDownAtNode('pccw')),
  linkScenario('interface-recreated', 'CMI’s interface is deleted and made anew', interfaceDeleted('cmi')),
  {
    name: 'interface-missing-at-start',
    summary: 'the daemon starts while HKBN’s interface is missing: that uplink is not-run, the others work',
    async run(stage) {
      const fault = interfaceDeleted('hkbn');
      await stage.hit(fault);
      await sessionDown(stage, 'hkbn');
      await stage.act('the daemon is killed and started', async () => {
        await stopDaemon(stage.lab.network, 'SIGKILL');
        await startDaemon(stage.lab.network);
      });
      await statusSays(stage, 'hkbn missing, the others healthy', ({ uplinks }) =>
        uplinks.every(({ uplink, link, families }) =>
          uplink === 'hkbn'
            ? link === 'missing' && families['4']?.health === 'unknown'
            : families['4']?.health === 'healthy' && families['6']?.health === 'healthy',
        ),
      );
      await untouched(stage, 'cmi', 'pccw');
      await stage.mend(fault);
      await sessionUp(stage, 'hkbn');
      await announced(stage, 'hkbn');
      await healthyAgain(stage);
      await untouched(stage, 'cmi', 'pccw');
    },
  },
];

const socketTroubles: readonly (readonly [ProxyMode, string])[] = [
  ['hang', 'ETIMEDOUT'],
  ['cut', 'closed'],
  ['missing', 'ENOENT'],
  ['forbidden', 'EACCES'],
];

async function unreachable(stage: Stage, path: string, code: string): Promise<void> {
  await statusSays(
    stage,
    `bird-unreachable, ${path}, ${code}`,
    ({ alarms, bird }) =>
      bird.kind === 'unreachable' &&
      bird.path === path &&
      bird.code === code &&
      alarms.some((alarm) => alarm.code === 'bird-unreachable' && alarm.text.includes(path)),
    6000,
  );
}

/** A link fault drops that carrier's sessions and nothing else; when it is mended all comes back without a hand. */
function linkScenario(name: string, what: string, fault: Fault): Scenario {
  const carrier = fault.title.includes('pccw') ? 'pccw' : 'cmi';
  return {
    name,
    summary: `${what}: the others see nothing, and it comes back by itself`,
    async run(stage) {
      const others = carrierNames.filter((one) => one !== carrier);
      await stage.hit(fault);
      await sessionDown(stage, carrier);
      await quiet(stage, 3000, others);
      await stage.mend(fault);
      await sessionUp(stage, carrier);
      await announced(stage, carrier);
      await healthyAgain(stage);
      await untouched(stage, ...others);
    },
  };
}
