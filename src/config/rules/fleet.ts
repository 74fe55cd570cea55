/** `fleet`: one way to Redis, and times that fit together. */
import type { Finding } from '../problem.ts';
import { formatDuration } from '../quantities.ts';
import type { View } from '../view.ts';

/** A presence must survive one that is lost and one that is late. */
const publicationsInExpiry = 3;

export function checkFleet({ root }: View): readonly Finding[] {
  const { fleet } = root;
  if (fleet === undefined) return [];
  const { publish, expire } = fleet;
  const findings: Finding[] = [];
  if ((fleet.redis === undefined) === (fleet.sentinel === undefined)) {
    const found = fleet.redis === undefined ? 'neither redis nor sentinel' : 'both redis and sentinel';
    findings.push({ path: ['fleet'], where: 'key', found, allowed: 'one of redis and sentinel' });
  }
  if (fleet.redis?.tls === false && fleet.tls !== undefined) {
    const allowed = 'rediss://…, since fleet.tls is given: redis:// speaks in the clear';
    findings.push({ path: ['fleet', 'redis'], where: 'value', allowed });
  }
  if (fleet.user !== undefined && fleet.password_file === undefined) {
    const allowed = 'a user with a password_file';
    findings.push({ path: ['fleet', 'user'], where: 'value', allowed });
  }
  if (expire < publish * publicationsInExpiry) {
    const least = formatDuration(publish * publicationsInExpiry);
    const allowed = `at least ${least}, ${publicationsInExpiry} times fleet.publish`;
    findings.push({ path: ['fleet', 'expire'], where: 'value', found: formatDuration(expire), allowed });
  }
  return findings;
}

/** With keep_nodes 0 the last node of a service may leave, which is hardly meant. */
export function warnOfFleet({ root }: View): readonly Finding[] {
  if (root.fleet === undefined || root.guards?.keep_nodes !== 0) return [];
  const said = 'with 0 the fleet consents to the last node leaving: no node need announce a service';
  return [{ path: ['guards', 'keep_nodes'], where: 'value', allowed: '', said }];
}
