/** The records: stable bytes, small changes, text that survives every version, and nothing but checked tokens. */
import { test as prop } from '../support/property.ts';
import { array, stringMatching } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Rrset, renderZone } from '../../geodns/render/zone.ts';
import { luaString, quoted } from '../../geodns/render/lua-text.ts';
import { differenceOf } from '../../geodns/powerdns/difference.ts';
import { viewOf } from '../../geodns/decision/availability.ts';
import { emptyState, type State } from '../../geodns/decision/state.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { labNetworks, labRules, labRulesText, stateWith, told, value } from '../support/geodns.ts';

const rendered = (state: State, revision = 7): readonly Rrset[] =>
  renderZone(viewOf(labRules, state, 1e12), labNetworks, revision).rrsets;
const names = (rrsets: readonly Rrset[]): readonly string[] =>
  rrsets.map(({ name, type }) => `${name} ${type}`);

describe('records', () => {
  test('of the same rules and state are the same bytes', () => {
    expect(rendered(emptyState)).toEqual(rendered(emptyState));
  });
  test('change in three rrsets when a target goes, however many names there are', () => {
    const difference = differenceOf(
      rendered(emptyState, 7),
      rendered(stateWith({ 'hk1/cmi': told('down') }), 8),
    );
    expect(names(difference)).toEqual(['geo.test. SOA', '_gv.geo.test. LUA', '_g.geo.test. LUA']);
  });
  test('change in the tables of the rules, and in their stamp, when a rule does', () => {
    const changed = labRulesText.replace('- { asns: [4788],', '- { asns: [4788, 4789],');
    const rules = value(loadRules('rules.yaml', changed, labNetworks));
    const other = renderZone(viewOf(rules, emptyState, 1e12), labNetworks, 7).rrsets;
    const difference = differenceOf(rendered(emptyState, 7), other);
    expect(names(difference)).toEqual(['_g.geo.test. LUA', '_gr.geo.test. LUA']);
  });
  test('carry the revision as serial', () => {
    expect(rendered(emptyState, 4711)[0]?.records[0]).toMatch(/ 4711 60 30 1209600 30$/);
  });
  test('hold literal addresses of the default in each stub', () => {
    const stub = rendered(emptyState).find(({ name, type }) => name === 'www.geo.test.' && type === 'LUA');
    const texts = stub?.records.map((record) => record.replaceAll('" "', '')) ?? [];
    expect(texts[0]).toMatch(/^A ".*return \{'203\.0\.113\.21', '203\.0\.113\.51'\}"$/);
    expect(texts[1]).toMatch(/^AAAA ".*return \{'2001:db8:34::21', '2001:db8:51::51'\}"$/);
  });
  test('are chunks of at most 255 bytes of plain ASCII', () => {
    for (const rrset of rendered(emptyState).filter(({ type }) => type === 'LUA')) {
      for (const record of rrset.records) {
        expect(record).toMatch(/^[A-Z]+ (?:"[ !#-[\]-~]{1,240}"(?: (?!$)|$))+$/);
      }
    }
  });
  test('say where the answers are not as rules would have them', () => {
    const down = ['hk1/cmi', 'hk1/pccw', 'sg1/multi'].map((name) => [name, told('down')] as const);
    const state = stateWith(Object.fromEntries(down));
    const { degraded } = renderZone(viewOf(labRules, state, 1e12), labNetworks, 1);
    expect(degraded).toContainEqual({ policy: 'static', rule: 0, family: 4, country: null, level: 'short' });
    expect(degraded).toContainEqual({ policy: 'cdn', rule: 1, family: 4, country: null, level: 'fail-open' });
    expect(renderZone(viewOf(labRules, emptyState, 1e12), labNetworks, 1).degraded).toEqual([]);
  });
});

describe('text', () => {
  test.each(["a'b", 'a b', 'a"b', 'a\\b', 'a\nb', 'os.exit()', 'é', 'x'.repeat(256)])(
    'refuses the token %j',
    (token) => {
      expect(() => luaString(token)).toThrow(/not a plain token/);
    },
  );
  test('without a space to break at is refused, not broken anywhere', () => {
    expect(() => quoted('x'.repeat(300))).toThrow(/no space to break at/);
  });
  prop.prop([array(stringMatching(/^[a-z0-9{}',=()]{1,100}$/), { maxLength: 60 })])(
    'comes back whole when the chunks are put together',
    (words) => {
      const text = words.join(' ');
      const chunks = [...quoted(text).matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
      expect(chunks.join('')).toBe(text);
      expect(chunks.slice(0, -1).every((chunk) => chunk.endsWith(' '))).toBe(true);
      expect(chunks.every((chunk) => chunk.length <= 240)).toBe(true);
    },
  );
});

describe('difference', () => {
  const a: Rrset = { name: 'a.', type: 'A', ttlSeconds: 30, records: ['1.1.1.1', '2.2.2.2'] };
  test('is empty for the same records in another order and case', () => {
    expect(differenceOf([{ ...a, name: 'A.', records: ['2.2.2.2', '1.1.1.1'] }], [a])).toEqual([]);
  });
  test('replaces what differs and deletes what is not wanted', () => {
    const b = { ...a, name: 'b.' };
    expect(differenceOf([{ ...a, ttlSeconds: 60 }, b], [a])).toEqual([a, { ...b, records: [] }]);
  });
});
