/** Readiness beside the rest of the config. */
import type { Finding } from '../problem.ts';
import type { View } from '../view.ts';

/** What would do nothing, though somebody wrote it. */
export function warnOfReadiness({ root }: View): readonly Finding[] {
  const services = Object.values(root.services ?? {});
  if (root.on_boot !== 'hold' || services.length === 0) return [];
  if (services.some(({ ready }) => ready !== undefined)) return [];
  const said = 'hold holds nothing: no service has a readiness check';
  return [{ path: ['on_boot'], where: 'value', allowed: 'hold where a service has ready', said }];
}
