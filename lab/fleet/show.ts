/** What `npm run lab -- fleet` shows: who announces what at which carrier, as the carriers see it. */
import { families } from '../../src/types/units.ts';
import type { CarrierView } from '../carrier/observer.ts';
import { carrierNames } from '../network/names.ts';
import { nodeFiles } from '../node/config.ts';
import { isDrained } from '../scenarios/expect.ts';
import { databaseAddress } from './layout.ts';
import { sentinelPort } from './databases.ts';
import type { Fleet } from './fleet.ts';

/** A row for each node, a column for each carrier: of IPv4 and IPv6 `announce`, `drain`, `withdraw` or `no session`. */
export async function fleetTable(fleet: Fleet): Promise<string> {
  const rows = await Promise.all(
    fleet.nodes.map(async ({ plan, lab }) => {
      const views = await lab.observer.views();
      return [plan.name, plan.site, ...carrierNames.map((carrier) => wordsOf(views[carrier]))];
    }),
  );
  const head = ['node', 'site', ...carrierNames];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function wordsOf(view: CarrierView): string {
  const words = families.map((family) => {
    const route = view.routes[family];
    if (!view.sessions[family].established) return 'no session';
    if (route === null) return 'withdraw';
    return isDrained(route) ? 'drain' : 'announce';
  });
  return words[0] === words[1] ? (words[0] ?? '') : words.join('/');
}

export function fleetFooter({ network, nodes }: Fleet): string {
  const first = nodes[0];
  const files = first === undefined ? '' : nodeFiles(first.lab.network).config;
  return `fleet    bin/causeway fleet -c ${files}      (the other nodes beside it)
redis    ip netns exec ${network.namespace('db1')} redis-cli -h ${databaseAddress('db1')}      (Sentinels: port ${sentinelPort} of db1, db2, db3)
carriers birdc -s ${network.folder}/cmi.ctl show protocols      (pccw.ctl, hkbn.ctl beside it)
logs     ${network.folder}/hk1/daemon.log
End with Ctrl-C; everything is removed.`;
}
