/** The rehearsal on a real BIRD: what the generator makes passes, damaged texts are refused by prefix and uplink. */
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { exportsOf, rehearse } from '../../bird/apply/rehearse.ts';
import { readStates, restate } from '../../bird/file-states.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { birdVersions } from '../../lab/bird-versions.ts';
import { oddities, smallest, threeCarriers } from '../golden/node-configs.ts';

const config = threeCarriers('whole');
const text = renderConfig(config, new Map());
const down = { disabled: true, description: 'withdrawn: loss' };
const up = { disabled: false, description: 'drained: latency' };

function damaged(from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

describe.each(birdVersions())('BIRD $version', ({ bird }) => {
  const options = { binary: bird, folder: tmpdir() };
  const problemsOf = async (damagedText: string): Promise<readonly string[]> => {
    const result = await rehearse(damagedText, config, options);
    return result.kind === 'differs' ? result.problems : [];
  };

  test.each([
    ['three carriers, whole', threeCarriers('whole')],
    ['three carriers, include', threeCarriers('include')],
    ['oddities', oddities()],
    ['smallest', smallest('include')],
  ])('lets %s pass', async (_name, each) => {
    const result = await rehearse(renderConfig(each, new Map()), each, options);
    expect(result).toMatchObject({ kind: 'as-expected' });
  });

  test('shows what a carrier would get in the present wish', async () => {
    const wish = new Map([
      ['announce_cmi_web4', down],
      ['drain_pccw_web4', up],
    ]);
    const result = await rehearse(restate(text, wish), config, options);
    if (result.kind === 'differs') throw new Error(result.problems.join('\n'));
    expect(result.exports.get('bgp_cmi4')).toEqual(new Map());
    expect(result.exports.get('bgp_cmi6')).toEqual(
      new Map([['2001:db8:a::/48', { med: 100, path: [], communities: [] }]]),
    );
    const drained = { med: 65000, path: [65001, 65001, 65001], communities: ['65535:0'] };
    expect(result.exports.get('bgp_pccw4')).toEqual(new Map([['203.0.113.0/24', drained]]));
    expect(await exportsOf(text, new Map([...readStates(text), ...wish]), options)).toEqual(result.exports);
  });

  test('refuses a filter that accepts before it has looked at the prefix', async () => {
    const problems = await problemsOf(
      damaged(
        '{ if ! (net ~ CAUSEWAY_PREFIXES4) then reject; causeway_export(); }',
        '{ causeway_export(); if ! (net ~ CAUSEWAY_PREFIXES4) then reject; }',
      ),
    );
    expect(problems).toContain(
      '203.0.113.0/25 would be exported on uplink cmi (bgp_cmi4) in the present wish, and must not be',
    );
  });

  test('refuses a filter that rejects before it can accept', async () => {
    const problems = await problemsOf(
      damaged(
        '{ if ! (net ~ CAUSEWAY_PREFIXES6) then reject; ',
        '{ reject; if ! (net ~ CAUSEWAY_PREFIXES6) then reject; ',
      ),
    );
    expect(problems).toContain(
      '2001:db8:a::/48 would not be exported on uplink hkbn (bgp_hkbn6) in the present wish, and has to be',
    );
  });

  test('refuses an empty set', async () => {
    const problems = await problemsOf(
      damaged('define CAUSEWAY_PREFIXES4 = [ 203.0.113.0/24 ];', 'define CAUSEWAY_PREFIXES4 = [];'),
    );
    expect(problems).toContain(
      '203.0.113.0/24 would not be exported on uplink pccw (bgp_pccw4) in the present wish, and has to be',
    );
  });

  test('refuses a set of IPv4 prefixes on a channel of IPv6', async () => {
    const problems = await problemsOf(
      damaged(
        'filter causeway_export6 { if ! (net ~ CAUSEWAY_PREFIXES6)',
        'filter causeway_export6 { if ! (net ~ CAUSEWAY_PREFIXES4)',
      ),
    );
    expect(problems).toContain(
      '2001:db8:a::/48 would not be exported on uplink cmi (bgp_cmi6) in the present wish, and has to be',
    );
  });

  test('refuses a drain that does not reach its uplink', async () => {
    const problems = await problemsOf(
      damaged('ipv4 { table t_cmi4; preference 220; };', 'ipv4 { table t_pccw4; preference 220; };'),
    );
    expect(problems).toEqual([
      '203.0.113.0/24 would not be drained on uplink cmi (bgp_cmi4): MED 100, and not 65000',
    ]);
  });

  test('refuses a text without a session of the config', async () => {
    const problems = await problemsOf(text.replaceAll('protocol bgp bgp_cmi4 ', 'protocol bgp bgp_other4 '));
    expect(problems).toEqual(['the text has no session bgp_cmi4']);
  });

  test('says what BIRD says of a text that it does not take', async () => {
    await expect(
      rehearse(text.replace('bgp_med = causeway_med;', 'bgp_med = ;'), config, options),
    ).rejects.toThrow(/BIRD did not start for the rehearsal: .*syntax error/s);
  });
});
