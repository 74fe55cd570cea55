/** Packets that interfaces have sent, from `ip -j -s link show`. Pure. */
import { IpError } from './ip-command.ts';
import { isRecord } from '../types/is-record.ts';

/** By interface. Throws IpError where the value is of another shape. */
export function sentPackets(value: unknown): ReadonlyMap<string, number> {
  if (!Array.isArray(value)) throw new IpError('bad-output', 'ip -s link printed no list');
  return new Map(
    value.flatMap((entry: unknown) => {
      if (!isRecord(entry) || typeof entry['ifname'] !== 'string') return [];
      const stats = entry['stats64'] ?? entry['stats'];
      const tx = isRecord(stats) ? stats['tx'] : null;
      const packets = isRecord(tx) ? tx['packets'] : null;
      return typeof packets === 'number' ? [[entry['ifname'], packets] as const] : [];
    }),
  );
}
