/** Versions and settings of PowerDNS as its API tells them, and what is read out of records. */
import { describe, expect, test } from 'vitest';
import { viewOf } from '../../geodns/decision/availability.ts';
import { emptyState } from '../../geodns/decision/state.ts';
import { serialOf } from '../../geodns/powerdns/site.ts';
import { problemsOf } from '../../geodns/powerdns/settings.ts';
import {
  needsLuaUpdates,
  parseVersion,
  reloadsSafely,
  versionProblem,
} from '../../geodns/powerdns/version.ts';
import { answersIn } from '../../geodns/render/answers.ts';
import { assembleZone, compileZone, writerOf } from '../../geodns/render/zone.ts';
import { labNetworks, labRules } from '../support/geodns.ts';

describe('the version', () => {
  test.each([
    { text: '4.7.3', parsed: { major: 4, minor: 7 } },
    { text: '4.9.18', parsed: { major: 4, minor: 9 } },
    { text: '5.1.0-rc1', parsed: { major: 5, minor: 1 } },
    { text: '5.1', parsed: { major: 5, minor: 1 } },
    { text: '10.0.1+deb14u1', parsed: { major: 10, minor: 0 } },
    { text: '0.0.1234.0.master.gabcdef', parsed: null },
    { text: '', parsed: null },
    { text: 'five', parsed: null },
    { text: '4', parsed: null },
    { text: '99999.1', parsed: null },
  ])('"$text" is read as it is', ({ text, parsed }) => {
    expect(parseVersion(text)).toEqual(parsed);
  });

  test.each([
    { daemon: 'authoritative', text: '4.7.3', says: null },
    { daemon: 'authoritative', text: '4.9.18', says: null },
    { daemon: 'authoritative', text: '5.1.5', says: null },
    { daemon: 'authoritative', text: '4.6.4', says: /older than 4\.7/ },
    { daemon: 'authoritative', text: '3.4.11', says: /older than 4\.7/ },
    { daemon: 'authoritative', text: '5.2.0', says: /newer than 5\.1/ },
    { daemon: 'authoritative', text: '6.0.0', says: /newer than 5\.1/ },
    { daemon: 'authoritative', text: 'git-20260820', says: /not a version that we know/ },
    { daemon: 'recursor', text: '5.1.1', says: /recursor, not its authoritative server/ },
  ])('$daemon $text: $says', ({ daemon, text, says }) => {
    const problem = versionProblem(daemon, text);
    if (says === null) expect(problem).toBeNull();
    else expect(problem).toMatch(says);
  });

  test('decides about the setting that older ones do not know, and about reloading databases', () => {
    const both = (text: string): unknown => {
      const version = parseVersion(text);
      return version === null ? null : [needsLuaUpdates(version), reloadsSafely(version)];
    };
    expect(['4.7.3', '4.9.18', '5.0.7', '5.1.0', '6.0.0'].map(both)).toEqual([
      [false, false],
      [false, false],
      [false, false],
      [true, true],
      [true, true],
    ]);
  });
});

describe('settings', () => {
  const right = {
    launch: 'gsqlite3,geoip',
    'enable-lua-records': 'shared',
    'edns-subnet-processing': 'yes',
    'cache-ttl': '0',
    'lua-records-exec-limit': '0',
    'max-queue-length': '200000',
    primary: 'yes',
    secondary: 'yes',
  };
  const problems = (version: string, change: Readonly<Record<string, string>> = {}): readonly string[] =>
    problemsOf(version, new Map(Object.entries({ ...right, ...change })), 'primary');

  test('that are right are no problem, on every version', () => {
    expect(problems('4.7.3')).toEqual([]);
    expect(problems('4.9.18')).toEqual([]);
    expect(problems('5.1.5', { 'enable-lua-record-updates': 'yes' })).toEqual([]);
  });

  test.each([
    { change: { launch: 'gsqlite3' }, says: /geoip/ },
    { change: { launch: 'gsqlite3, geoipx' }, says: /geoip/ },
    { change: { 'enable-lua-records': 'yes' }, says: /shared/ },
    { change: { 'edns-subnet-processing': 'no' }, says: /edns-subnet-processing/ },
    { change: { 'cache-ttl': '20' }, says: /cache-ttl=0/ },
    { change: { 'lua-records-exec-limit': '1000' }, says: /lua-records-exec-limit=0/ },
    { change: { 'max-queue-length': '5000' }, says: /at 5000 waiting questions/ },
    { change: { primary: 'no' }, says: /primary=yes/ },
  ])('$change is one problem', ({ change, says }) => {
    const found = problems('4.9.18', change);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(says);
  });

  test('of 5.1 must allow LUA records over the API; older ones do not have that setting', () => {
    expect(problems('5.1.5')).toEqual([expect.stringMatching(/enable-lua-record-updates=yes/)]);
    expect(problems('5.1.5', { 'enable-lua-record-updates': 'no' })).toHaveLength(1);
    expect(problems('4.9.18', { 'enable-lua-record-updates': 'no' })).toHaveLength(1);
  });

  test('of none at all are all named', () => {
    expect(problemsOf('5.1.5', new Map(), 'secondary')).toHaveLength(8);
  });
});

describe('records', () => {
  const zoneBy = (writer?: string): ReturnType<typeof assembleZone> =>
    assembleZone(
      compileZone(labRules, labNetworks),
      answersIn(viewOf(labRules, emptyState, 0)),
      77,
      writer === undefined ? {} : { writer },
    );

  test('say whose they are, and under which serial', () => {
    const { rrsets } = zoneBy('0123456789abcdef');
    expect([serialOf(rrsets), writerOf(rrsets)]).toEqual([77, '0123456789abcdef']);
    expect(writerOf(rrsets.map((rrset) => ({ ...rrset, name: rrset.name.toUpperCase() })))).toBe(
      '0123456789abcdef',
    );
  });

  test('of nobody say so', () => {
    expect(writerOf(zoneBy().rrsets)).toBeNull();
    expect([serialOf([]), writerOf([])]).toEqual([0, null]);
  });

  test('do not carry a writer that could be Lua', () => {
    expect(() => zoneBy("x' os.exit() '")).toThrow(/plain token/);
  });
});
