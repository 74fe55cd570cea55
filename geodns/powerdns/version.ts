/**
 * Which PowerDNS a site runs, by its own word over the API, and what differs between versions. Seen on 4.7.3, 4.9 and 5.1:
 *
 * | what                             | 4.7, 4.8   | 4.9        | 5.0        | 5.1 and newer                 |
 * |----------------------------------|------------|------------|------------|-------------------------------|
 * | `enable-lua-record-updates`      | fatal      | fatal      | fatal      | must be `yes`: else API 422   |
 * | `lua-records-exec-limit`         | no effect  | no effect  | enforced   | enforced                      |
 * | between chunks of a LUA record   | a space    | a space    | nothing    | nothing                       |
 * | `pdns_control reload` under load | may crash  | may crash  | may crash  | safe (PowerDNS/pdns#17158)    |
 * | `kind` of a zone over the API    | Master, Slave | both    | both       | both, with Primary, Secondary |
 *
 * Records are written so that they mean the same on all of them (`render/lua-text.ts`).
 */

export interface PowerDnsVersion {
  readonly major: number;
  readonly minor: number;
}

/** Oldest version that our records are tested on, and the newest. */
const oldest: PowerDnsVersion = { major: 4, minor: 7 };
const newest: PowerDnsVersion = { major: 5, minor: 1 };

/** `4.9.18`, `5.1.0-rc1`; null for what is none, such as the name of a build from the main branch. */
export function parseVersion(text: string): PowerDnsVersion | null {
  const found = /^(\d{1,4})\.(\d{1,4})(?:\.\d+)?(?:[-.+~].*)?$/.exec(text.trim());
  if (found === null) return null;
  const version = { major: Number(found[1]), minor: Number(found[2]) };
  // Builds from the main branch call themselves 0.0.…
  return version.major === 0 ? null : version;
}

export function isAtLeast(version: PowerDnsVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}

/** Whether 5.1's refusal of LUA records must be switched off; the setting ends older versions at their start. */
export function needsLuaUpdates(version: PowerDnsVersion): boolean {
  return isAtLeast(version, 5, 1);
}

/** Whether a changed GeoIP database may be read by `pdns_control reload`; before 5.1 only a restart is safe. */
export function reloadsSafely(version: PowerDnsVersion): boolean {
  return isAtLeast(version, 5, 1);
}

/** What a person has to know of this version, as a sentence; null: nothing. `daemonType`: as the API says it. */
export function versionProblem(daemonType: string, text: string): string | null {
  if (daemonType !== 'authoritative')
    return `this is PowerDNS's ${daemonType}, not its authoritative server; correct \`api\` of the site`;
  const version = parseVersion(text);
  if (version === null)
    return `"${text}" is not a version that we know; 4.7 to 5.1 are tested, so verify the answers before you rely on it`;
  if (!isAtLeast(version, oldest.major, oldest.minor))
    return 'PowerDNS older than 4.7 does not run our records; install 4.7 or newer, best 5.1';
  if (isAtLeast(version, newest.major, newest.minor + 1))
    return 'newer than 5.1, which is the newest that our records are tested on; watch `verification` in /v1/sites';
  return null;
}
