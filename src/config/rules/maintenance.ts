/** Maintenance windows name uplinks and services that exist: a reference to nothing would be a window that never acts. */
import type { Finding } from '../problem.ts';
import type { View } from '../view.ts';

export function checkMaintenance({ windows, uplinks, prefixes }: View): readonly Finding[] {
  const uplinkNames = uplinks.map(({ name }) => name);
  const serviceNames = [...new Set(prefixes.map(({ service }) => service))];
  return windows.flatMap(({ path, uplink, service }): readonly Finding[] => [
    ...(uplink === null || uplinkNames.includes(uplink) ? [] : [unknownName(path, 'uplink', uplinkNames)]),
    ...(service === null || serviceNames.includes(service)
      ? []
      : [unknownName(path, 'service', serviceNames)]),
  ]);
}

function unknownName(path: Finding['path'], key: string, names: readonly string[]): Finding {
  return { path: [...path, key], where: 'value', allowed: `one of the ${key}s: ${names.join(', ')}` };
}
