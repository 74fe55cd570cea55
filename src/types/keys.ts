/** Keys of maps and records: `cmi4` for an uplink in a family, `cmi_web4` for an announcement. */
import type { Family } from './units.ts';

export function uplinkKey(uplink: string, family: Family): string {
  return `${uplink}${family}`;
}

/** `web4`: the announcements of a service in a family, on all uplinks. */
export function groupKey(service: string, family: Family): string {
  return `${service}${family}`;
}

export function announcementKey(uplink: string, service: string, family: Family): string {
  return `${uplink}_${service}${family}`;
}
