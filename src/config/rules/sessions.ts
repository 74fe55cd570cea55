/** Session options that only make sense together, and limits that leave room for what is announced. */
import { families } from '../../types/units.ts';
import { formatPath, type Finding } from '../problem.ts';
import { formatDuration } from '../quantities.ts';
import type { UplinkView, View } from '../view.ts';

/** Problems of the sessions of each uplink. */
export function checkSessions(view: View): readonly Finding[] {
  return view.uplinks.flatMap((uplink) => [
    ...checkKeepalive(uplink),
    ...checkAuthentication(uplink),
    ...checkKeyIds(uplink),
    ...checkImportLimit(uplink),
    ...checkExportLimit(uplink, view),
  ]);
}

/** What works, but hardly as it was meant. */
export function warnOfSessions(view: View): readonly Finding[] {
  return [
    ...view.uplinks.flatMap((uplink) => [...warnOfRestart(uplink), ...warnOfRouteServer(uplink)]),
    ...warnOfRpki(view),
  ];
}

function warnOfRestart({ name, path, peer }: UplinkView): readonly Finding[] {
  if (peer.graceful_restart !== 'on' || peer.bfd !== false) return [];
  const said = `when this node dies, ${name} keeps its prefixes for up to two minutes: aware lets them go at once, and so does BFD`;
  return [{ path: [...path, 'peer', 'graceful_restart'], where: 'value', allowed: 'aware or off', said }];
}

/** RFC 7947 2.2.2: a route server does not put its own number in front. */
function warnOfRouteServer({ name, path, peer }: UplinkView): readonly Finding[] {
  if (peer.role !== 'rs_client' || peer.enforce_first_as !== true) return [];
  const said = `${name} is a route server, whose paths do not begin with its number: with enforce_first_as nothing is learnt`;
  return [{ path: [...path, 'peer', 'role'], where: 'value', allowed: 'enforce_first_as: false', said }];
}

/** The default route has no origin that a cache could know. */
function warnOfRpki({ root, uplinks }: View): readonly Finding[] {
  if (root.bird?.rpki === undefined || uplinks.some(({ self }) => self.import === 'full')) return [];
  const said = 'no uplink has import: full, so there is nothing that the cache could speak against';
  return [{ path: ['bird', 'rpki'], where: 'key', allowed: 'an uplink with import: full', said }];
}

/** RFC 4271 4.4: a lost keepalive or two must not end the session. */
function checkKeepalive({ path, peer }: UplinkView): readonly Finding[] {
  const { hold, keepalive } = peer;
  if (hold === undefined || keepalive === undefined || keepalive * 3 <= hold) return [];
  return [
    {
      path: [...path, 'peer', 'keepalive'],
      where: 'value',
      allowed: `at most a third of peer.hold, which is ${formatDuration(hold * 1000)} (RFC 4271 4.4)`,
    },
  ];
}

function checkAuthentication({ path, peer }: UplinkView): readonly Finding[] {
  if (peer.password_file === undefined || peer.ao_keys === undefined || peer.ao_keys.length === 0) return [];
  const allowed = 'either password_file (TCP MD5) or ao_keys (TCP-AO): a session has one of them';
  return [{ path: [...path, 'peer', 'ao_keys'], where: 'key', found: 'both', allowed }];
}

function checkKeyIds({ path, peer }: UplinkView): readonly Finding[] {
  const keys = peer.ao_keys ?? [];
  return keys.flatMap((key, index): readonly Finding[] => {
    const first = keys.findIndex((one) => one.id === key.id);
    if (first === index) return [];
    const at = [...path, 'peer', 'ao_keys'];
    const allowed = `an id of its own: ${formatPath([...at, first, 'id'].slice(-2))} is the same`;
    return [{ path: [...at, index, 'id'], where: 'value', allowed }];
  });
}

/** receive counts what import counts and more. */
function checkImportLimit({ path, peer }: UplinkView): readonly Finding[] {
  const { receive, import: learnt } = peer.limits ?? {};
  if (receive === undefined || learnt === undefined || learnt <= receive) return [];
  const allowed = `at most limits.receive, which is ${receive}: what is learnt was received before`;
  return [{ path: [...path, 'peer', 'limits', 'import'], where: 'value', allowed }];
}

/** A limit below the prefixes would keep a part of the service off the carrier. */
function checkExportLimit({ path, peer }: UplinkView, { prefixes }: View): readonly Finding[] {
  const limit = peer.limits?.export;
  if (limit === undefined) return [];
  const most = Math.max(
    ...families.map((family) => prefixes.filter(({ prefix }) => prefix.family === family).length),
  );
  if (limit >= most) return [];
  const allowed = `${most} or more, which is how many prefixes of a family are announced`;
  return [{ path: [...path, 'peer', 'limits', 'export'], where: 'value', allowed }];
}
