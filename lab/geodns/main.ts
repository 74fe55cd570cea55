/** `npm run geodns:lab`: starts the stand and the service, prints what to try, and removes everything at the end. */
import { pino } from 'pino';
import { startGeoDns } from '../../geodns/service/compose.ts';
import { readFiles } from '../../geodns/service/files.ts';
import { labTokens, writeServiceFiles } from './service.ts';
import { type Stand, startStand } from './stand.ts';
import { worldMmdbs } from './world.ts';

const once = process.argv.includes('--once');

async function main(): Promise<void> {
  console.log('starting three sites (PowerDNS on loopback) …');
  const stand = await startStand(worldMmdbs());
  try {
    const [primary] = stand.sites;
    const files = await readFiles(await writeServiceFiles(stand, `${primary.dns.host}:8053`));
    const running = await startGeoDns(files, pino({ level: 'warn' }));
    try {
      if (!(await running.sync.settled(running.service.zone()?.revision ?? 1, 20_000)))
        throw new Error(`the sites are not equal after 20 s: ${JSON.stringify(running.sync.state())}`);
      console.log(guide(stand));
      if (!once) await untilAsked();
    } finally {
      await running.stop();
    }
  } finally {
    await stand.stop();
    console.log('everything is removed');
  }
}

function guide(stand: Stand): string {
  const [primary, tokyo] = stand.sites;
  const dig = (site: typeof primary, subnet: string): string =>
    `dig +short @${site.dns.host} -p ${site.dns.port} www.geo.test +subnet=${subnet}`;
  const api = `http://${primary.dns.host}:8053`;
  const put = (state: string, seq: number): string =>
    `curl -s -X PUT ${api}/v1/nodes/hk1/carriers/cmi -H 'Authorization: Bearer ${labTokens.hk1}' -H 'Content-Type: application/json' -d '{"state":"${state}","epoch":1,"seq":${seq},"reason":"tried by hand"}'`;
  return [
    `PowerDNS ${stand.version}; sites: ${stand.sites.map(({ name, dns }) => `${name} ${dns.host}:${dns.port}`).join(', ')}`,
    '',
    'Who is answered with what:',
    `  ${dig(primary, '120.196.1.0/24')}     # China Mobile: CMI`,
    `  ${dig(primary, '36.96.1.0/24')}       # China Telecom, Guangdong: PCCW`,
    `  ${dig(tokyo, '175.136.1.0/24')}      # TMnet, asked in Tokyo: HKBN`,
    `  ${dig(primary, '0.0.0.0/0')}          # a user who wants no client subnet`,
    '',
    'Take an uplink out, ask again, and put it back:',
    `  ${put('down', 1)}`,
    `  ${put('up', 2)}`,
    `  curl -s -X POST ${api}/remove/cmi -H 'Authorization: Bearer ${labTokens.hk2}'   # the old script's call`,
    '',
    'Why:',
    `  curl -s '${api}/v1/decide?name=www.geo.test&ip=120.196.1.1' -H 'Authorization: Bearer ${labTokens.ops}'`,
    `  curl -s ${api}/v1/state -H 'Authorization: Bearer ${labTokens.ops}'`,
    `  curl -s ${api}/v1/sites -H 'Authorization: Bearer ${labTokens.ops}'`,
    '',
    'The page, and its token:',
    `  ${api}/   ${labTokens.ops}`,
    '',
    'Ctrl-C ends it.',
  ].join('\n');
}

function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    // A timer keeps the process alive; signals end it.
    const alive = setInterval(() => undefined, 60_000);
    const end = (): void => {
      clearInterval(alive);
      resolve();
    };
    process.once('SIGINT', end);
    process.once('SIGTERM', end);
  });
}

if (process.argv.includes('--help'))
  console.log(
    'Usage: npm run geodns:lab [-- --once]\n  three PowerDNS sites and the service on loopback, and questions to try; --once ends when all sites are equal',
  );
else await main();
