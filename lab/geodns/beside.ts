/** GeoDNS beside the node's lab (`npm run lab -- --geodns`): what the node tells changes what users are answered. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { parseSubnet } from '../../geodns/address.ts';
import { ask } from '../../geodns/dns/ask.ts';
import { type Running, startGeoDns } from '../../geodns/service/compose.ts';
import { readFiles } from '../../geodns/service/files.ts';
import type { Network } from '../network/network.ts';
import { bridgedUrl, bridgeTo } from './bridge.ts';
import { labTokens, writeServiceFiles } from './service.ts';
import { type Stand, type StandSite, startStand } from './stand.ts';
import { worldMmdbs } from './world.ts';

/** A user of China Mobile, whom the lab's rules send to CMI. */
export const mobileUser = '120.196.1.0/24';

export interface GeoDnsBeside {
  readonly stand: Stand;
  /** The section `geodns` of the node's config. */
  readonly node: Readonly<Record<string, unknown>>;
  /** Once the node's network is there. */
  connect(network: Network): Promise<void>;
  /** What the user is answered at each site, as sorted addresses. */
  answers(): Promise<readonly { readonly site: string; readonly addresses: string }[]>;
  readonly guide: string;
  stop(): Promise<void>;
}

export async function startGeoDnsBeside(): Promise<GeoDnsBeside> {
  const stand = await startStand(worldMmdbs());
  let running: Running | null = null;
  let disconnect: () => void = () => undefined;
  const stop = async (): Promise<void> => {
    disconnect();
    await running?.stop();
    await stand.stop();
  };
  try {
    const server = { host: stand.sites[0].dns.host, port: 8053 };
    const config = await writeServiceFiles(stand, `${server.host}:${server.port}`);
    running = await startGeoDns(await readFiles(config), pino({ level: 'silent' }));
    const token = join(stand.folder, 'hk1.token');
    writeFileSync(token, `${labTokens.hk1}\n`, { mode: 0o600 });
    return {
      stand,
      node: { url: bridgedUrl, token_file: token, ttl: '2s', deadline: '10s', heartbeat: '2s' },
      async connect(network) {
        disconnect = await bridgeTo(network, server);
      },
      answers: () =>
        Promise.all(stand.sites.map(async (site) => ({ site: site.name, addresses: await answerOf(site) }))),
      guide: guideOf(stand),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function answerOf(site: StandSite): Promise<string> {
  const subnet = parseSubnet(mobileUser) ?? null;
  const { answers } = await ask(site.dns, 'www.geo.test.', 'A', { subnet, timeoutMillis: 5000 });
  return answers
    .map(({ data }) => data ?? '')
    .sort()
    .join(' ');
}

function guideOf({ sites, version }: Stand): string {
  const lines = sites.map(
    ({ name, dns }) => `  ${name}  dig +short @${dns.host} -p ${dns.port} www.geo.test +subnet=${mobileUser}`,
  );
  return `GeoDNS (PowerDNS ${version}); a user of China Mobile is sent to CMI of hk1 (203.0.113.11, .12) and hk2 (.41):\n${lines.join('\n')}`;
}
