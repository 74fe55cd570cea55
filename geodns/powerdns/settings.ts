/** What a site's PowerDNS must be set to, read from the running server: with these wrong, answers are wrong in silence. */
import { serverOf, serverSettings } from './client.ts';
import type { Site } from './site.ts';
import { needsLuaUpdates, parseVersion, versionProblem } from './version.ts';

export type Role = 'primary' | 'secondary';

/** PowerDNS counts waiting questions and ends itself above this; its default of 5000 is one burst. */
const leastQueueLength = 100_000;

/** Problems of the version and the settings, each a sentence with the site's name. Rejects with a PowerDnsError. */
export async function settingProblems(site: Site, role: Role): Promise<readonly string[]> {
  const { daemonType, version } = await serverOf(site.api);
  const unknown = versionProblem(daemonType, version);
  const found =
    daemonType === 'authoritative' ? problemsOf(version, await serverSettings(site.api), role) : [];
  return [...(unknown === null ? [] : [unknown]), ...found].map(
    (text) => `${site.name} (PowerDNS ${version}): ${text}`,
  );
}

/** Pure: `settings` by name, as the API lists them. */
export function problemsOf(
  version: string,
  settings: ReadonlyMap<string, string>,
  role: Role,
): readonly string[] {
  const is = (name: string, value: string): boolean => settings.get(name) === value;
  const parsed = parseVersion(version);
  const updates = settings.get('enable-lua-record-updates');
  const checks: readonly (readonly [boolean, string])[] = [
    [
      is('enable-lua-records', 'shared'),
      'set enable-lua-records=shared; `yes` costs fifteen times as much and `no` answers nothing',
    ],
    [
      (settings.get('launch') ?? '').split(/[,\s]+/).includes('geoip'),
      'add geoip to launch; without it everybody gets the default',
    ],
    [
      is('edns-subnet-processing', 'yes'),
      'set edns-subnet-processing=yes; without it users are judged by their resolver',
    ],
    [
      is('cache-ttl', '0'),
      'set cache-ttl=0; answers of wildcard names to ECS /0 are cached for everybody otherwise',
    ],
    [
      is('lua-records-exec-limit', '0'),
      'set lua-records-exec-limit=0; the default aborts large rules from 5.0 on',
    ],
    [
      updates === 'yes' || (updates === undefined && !(parsed !== null && needsLuaUpdates(parsed))),
      'set enable-lua-record-updates=yes; PowerDNS 5.1 refuses our records otherwise',
    ],
    [
      Number(settings.get('max-queue-length') ?? 0) >= leastQueueLength,
      `set max-queue-length=200000; at ${settings.get('max-queue-length') ?? 5000} waiting questions PowerDNS ends itself`,
    ],
    [is(role, 'yes'), `set ${role}=yes; without it the sites do not follow`],
  ];
  return checks.flatMap(([fine, text]) => (fine ? [] : [text]));
}
