/** The owned file's states by example. */
import { describe, expect, test } from 'vitest';
import { firstLine, lastLine, NotOwnedError, readStates, restate, sameBase } from '../../bird/file-states.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { smallest, threeCarriers } from '../golden/node-configs.ts';

const text = renderConfig(smallest('whole'), new Map());
const down = { disabled: true, description: 'withdrawn: loss' };

test('the smallest file has four states, with the defaults', () => {
  expect([...readStates(text)]).toEqual([
    ['announce_cmi_web4', { disabled: false, description: 'announced' }],
    ['drain_cmi_web4', { disabled: true, description: 'not drained' }],
    ['bgp_cmi4', { disabled: false, description: 'cmi AS58453 IPv4' }],
    ['learn_cmi4', { disabled: false, description: 'learnt routes in use' }],
  ]);
});

test('restate changes two lines, where they are', () => {
  const changed = restate(text, new Map([['announce_cmi_web4', down]]));
  expect(changed).toBe(
    text.replace(
      '  disabled no;\n  description "announced";',
      '  disabled yes;\n  description "withdrawn: loss";',
    ),
  );
  expect(sameBase(changed, text)).toBe(true);
});

test('a name that the file does not have is an error, for restate and for render', () => {
  const states = new Map([['announce_pccw_web4', down]]);
  expect(() => restate(text, states)).toThrow(/announce_pccw_web4/);
  expect(() => renderConfig(smallest('whole'), states)).toThrow(/announce_pccw_web4/);
});

test('another base is not the same', () => {
  expect(sameBase(text, renderConfig(smallest('include'), new Map()))).toBe(false);
  expect(sameBase(text, text.replace('causeway_med = 100', 'causeway_med = 101'))).toBe(false);
  expect(sameBase(text, renderConfig(threeCarriers(), new Map()))).toBe(false);
});

describe('what is no file of ours', () => {
  test.each([
    ['nothing', ''],
    ['a foreign file', 'router id 192.0.2.1;\nprotocol device {}\n'],
    ['no last line', text.replace(lastLine, '')],
    ['something added behind the last line', `${text}protocol static x {}\n`],
    ['a state line that was removed', text.replace('  disabled no;\n', '')],
    ['a state line in another form', text.replace('  disabled no;', '  disabled;')],
    ['a description with something behind it', text.replace('"announced";', '"announced"; debug all;')],
    ['a protocol twice', text.replaceAll('drain_cmi_web4', 'announce_cmi_web4')],
    ['an empty file of ours', `${firstLine}\n`],
  ])('%s is refused', (_, foreign) => {
    expect(() => readStates(foreign)).toThrow(NotOwnedError);
    expect(() => restate(foreign, new Map())).toThrow(NotOwnedError);
    expect(sameBase(foreign, foreign)).toBe(false);
  });
});
