/**
 * A modelled tool as a process of its own: for each uplink it pings by the rule's constants, with ping(8), and runs
 * `birdc disable` and `birdc enable` by what comes of it. Arguments: the rule's name, BIRD's socket.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { targets } from '../../lab/network/addresses.ts';
import { carrierNames, type CarrierName } from '../../lab/network/names.ts';
import { type Check, liveRules, type LiveRule } from './live-rules.ts';

const [name = '', socket = ''] = process.argv.slice(2);
const asked = liveRules.find((one) => one.name === name);
if (asked === undefined) throw new Error(`no rule ${name}`);
await Promise.all(carrierNames.map((carrier) => follow(asked, carrier)));

async function follow(rule: LiveRule, carrier: CarrierName): Promise<void> {
  const protocol = rule.takesDown === 'session' ? `bgp_${carrier}4` : `announce_${carrier}_web4`;
  let failed = false;
  for await (const now of rule.verdicts((check) => pings(carrier, check), pause)) {
    if (now === failed) continue;
    failed = now;
    await birdc([failed ? 'disable' : 'enable', protocol]);
  }
}

/** Whether any of the pings was answered. */
async function pings(
  carrier: CarrierName,
  { target, count, gapMillis, timeoutMillis }: Check,
): Promise<boolean> {
  const address = targets[target]?.address[4] ?? '';
  const gap = ['-i', String(Math.max(gapMillis, 200) / 1000)];
  const argv = [
    '-n',
    '-q',
    '-I',
    carrier,
    '-c',
    String(count),
    ...gap,
    '-W',
    String(timeoutMillis / 1000),
    address,
  ];
  const { exitCode } = await execa('ping', argv, { reject: false });
  return exitCode === 0;
}

async function birdc(words: readonly string[]): Promise<void> {
  await execa('birdc', ['-s', socket, ...words], {
    reject: false,
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
  });
}
