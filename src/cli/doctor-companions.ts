/** What `causeway doctor` asks the companions that the config names: the fleet's Redis, and GeoDNS. */
import { lookup } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { openExchange } from '../adapters/exchange.ts';
import { type Check, type Finding, finding } from '../host/doctor.ts';
import type { NodeConfig, Service, Uplink } from '../types/config.ts';
import type { FleetConfig } from '../types/fleet-config.ts';
import type { GeoDnsConfig } from '../types/geodns-config.ts';

/** None where the config names no companion. */
export function companionChecks(config: NodeConfig): readonly Check<unknown>[] {
  const { fleet, geodns } = config;
  return [
    ...(fleet === null
      ? []
      : [{ id: 'fleet.redis', title: 'Redis of the fleet', run: () => redisFinding(fleet) }]),
    ...(geodns === null
      ? []
      : [
          ...geodns.urls.map((url) => ({
            id: `geodns.${url}`,
            title: `GeoDNS at ${url}`,
            run: () => geodnsFinding(geodns, url),
          })),
          ...config.services.map((service) => ({
            id: `return-path.${service.name}`,
            title: `way back of ${service.name}`,
            run: async () => returnFinding(service, config.uplinks),
          })),
        ]),
  ];
}

const whyRedis =
  'no node consents to anything meanwhile: the last announcement of a service stays, whatever is measured; the rest goes on';

/** Troubles that a password, an ACL, a certificate or a role makes, in the words of the adapter. */
const refusals: readonly string[] = ['login', 'tls', 'secret-file', 'read-only', 'full', 'loading', 'stale'];

async function redisFinding(fleet: FleetConfig): Promise<Finding> {
  // Loaded here alone: no other command needs its package.
  const { connectRedis, RedisError } = await import('../adapters/redis.ts');
  const place =
    fleet.way.kind === 'single'
      ? `${fleet.way.host}:${fleet.way.port}`
      : `master ${fleet.way.master} of ${fleet.way.nodes.length} Sentinels`;
  try {
    const connection = await connectRedis(fleet, 'causeway-doctor');
    try {
      const role = String(await connection.call(['info', 'replication']));
      if (!/^role:master\r?$/m.test(role))
        return refused(place, 'it is a replica: it cannot be written to, and it may be behind');
      return { kind: 'ok', text: `${place} answers, and is the master` };
    } finally {
      connection.end();
    }
  } catch (error) {
    if (!(error instanceof RedisError)) throw error;
    if (refusals.includes(error.code)) return refused(place, `${error.code}: ${error.message}`);
    return finding('redis-unreachable', {
      what: `${place}: ${error.code}: ${error.message}`,
      why: whyRedis,
      mend:
        fleet.way.kind === 'single'
          ? `redis-cli -h ${fleet.way.host} -p ${fleet.way.port} ping  # from this node; then routes, filters, the server itself`
          : `redis-cli -h ${fleet.way.nodes[0]?.host ?? ''} -p ${fleet.way.nodes[0]?.port ?? ''} sentinel get-master-addr-by-name ${fleet.way.master}`,
    });
  }
}

function refused(place: string, what: string): Finding {
  return finding('redis-refuses', {
    what: `${place}: ${what}`,
    why: whyRedis,
    mend: 'causeway explain config  # fleet: user, password_file, tls and the address of the master; docs/fleet.md has the ACL',
  });
}

async function geodnsFinding(geodns: GeoDnsConfig, base: string): Promise<Finding> {
  const token = (await readFile(geodns.tokenFile, 'utf8')).trim();
  const ca = geodns.caFile === null ? null : await readFile(geodns.caFile, 'utf8');
  const exchange = openExchange(lookup);
  try {
    const reply = await exchange.ask({
      url: new URL(`${base}/v1/sites`),
      method: 'GET',
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      body: '',
      timeoutMillis: geodns.timeoutMillis,
      ca,
    });
    if (reply.kind === 'failed') return unreached(base, `${reply.code}: ${reply.text}`);
    if (reply.status === 401 || reply.status === 403)
      return finding('geodns-refuses', {
        what: `${base} answers HTTP ${reply.status} to the token in ${geodns.tokenFile}`,
        why: 'it does not hear of this node: users are sent by the last word that it has',
        mend: `sha256sum < ${geodns.tokenFile}  # without its line end it has to stand in tokens.yaml of GeoDNS, for this node`,
      });
    if (reply.status !== 200) return unreached(base, `HTTP ${reply.status}`);
    return { kind: 'ok', text: 'it answers, and takes the token' };
  } finally {
    exchange.close();
  }
}

function unreached(base: string, what: string): Finding {
  return finding('geodns-unreachable', {
    what: `${base}: ${what}`,
    why: 'it does not hear of this node: users are sent by the last word that it has; BGP does not wait for it',
    mend: `curl -sS -m 5 ${base}/healthz  # from this node; then names, routes, filters, certificates`,
  });
}

/**
 * A region that fails on an uplink which is otherwise fine moves in GeoDNS alone. That helps where the answers leave by
 * another uplink too: with egress by source, or where a better uplink carries them in any case.
 */
function returnFinding({ name, egress, uplinks: named }: Service, uplinks: readonly Uplink[]): Finding {
  if (egress === 'by-source')
    return { kind: 'ok', text: 'answers leave by the uplink that users came in by' };
  const own = uplinks.filter((uplink) => named.size === 0 || named.has(uplink.name));
  const best = own.toSorted((one, other) => other.localPref - one.localPref)[0];
  if (best === undefined || own.length < 2) return { kind: 'ok', text: 'there is one uplink' };
  return finding('return-path', {
    what: `egress of ${name} is best: answers leave by ${best.name} whatever uplink users come in by`,
    why: `where a region fails on ${best.name} alone, its users would be answered through the fault wherever they are sent: GeoDNS is not told of it, and they stay`,
    mend: `causeway explain config  # services.${name}: egress: by-source, with its uplinks named; then causeway apply and causeway routing | sh`,
  });
}
