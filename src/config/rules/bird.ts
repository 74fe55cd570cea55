/** `bird`: one way to reach it, and adopted sessions that belong to uplinks. */
import { families } from '../../types/units.ts';
import type { Finding } from '../problem.ts';
import type { View } from '../view.ts';

/** Problems of `bird` beside the uplinks and the mode. */
export function checkBird(view: View): readonly Finding[] {
  return [...checkWay(view), ...checkAdopted(view)];
}

function checkWay({ root }: View): readonly Finding[] {
  if (root.bird?.socket === undefined || root.bird.command === undefined) return [];
  const allowed = 'only one way to BIRD: bird.socket is given as well';
  return [{ path: ['bird', 'command'], where: 'key', found: 'a command', allowed }];
}

function checkAdopted({ root, uplinks }: View): readonly Finding[] {
  const adopted = Object.entries(root.bird?.adopt ?? {});
  const keys = uplinks.flatMap(({ name, peer }) =>
    families.filter((family) => peer.address?.[family] !== undefined).map((family) => `${name}${family}`),
  );
  const taken = new Map<string, string>();
  const findings = adopted.flatMap(([key, name]): readonly Finding[] => {
    const path = ['bird', 'adopt', key];
    const first = taken.get(name);
    taken.set(name, first ?? key);
    if (!keys.includes(key)) {
      const allowed = `an uplink with the family of its session: ${keys.join(', ')}`;
      return [{ path, where: 'key', found: JSON.stringify(key), allowed }];
    }
    if (first === undefined) return [];
    const allowed = `a protocol of its own: bird.adopt.${first} is the same`;
    return [{ path, where: 'value', found: JSON.stringify(name), allowed }];
  });
  if (adopted.length > 0 && root.mode === 'live') {
    const allowed =
      'nothing in mode live, which switches protocols of its own names: `causeway migrate` comes first';
    return [...findings, { path: ['bird', 'adopt'], where: 'key', found: 'adopted sessions', allowed }];
  }
  return findings;
}
