/** The states in the owned file: a change of the wish alters its own lines and nothing else. */
import { fc, test } from '../support/property.ts';
import { describe, expect } from 'vitest';
import { type FileState, NotOwnedError, readStates, restate, sameBase } from '../../bird/file-states.ts';
import { cleanText } from '../../bird/message.ts';
import { defaultStates } from '../../bird/render/parts.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { oddities, smallest, threeCarriers } from '../golden/node-configs.ts';

const config = fc.constantFrom(
  threeCarriers('whole'),
  threeCarriers('include'),
  oddities(),
  smallest('whole'),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.constantFrom(
    '"; disabled no; "',
    '  disabled no;',
    'protocol static announce_cmi_web4 {',
    '\n# End',
    '\\"',
  ),
);
const state: fc.Arbitrary<FileState> = fc.record({ disabled: fc.boolean(), description: text });

/** A config, and states for some of its protocols. */
const case_ = config.chain((made) => {
  const names = [...defaultStates(made).keys()];
  return fc
    .array(fc.tuple(fc.constantFrom(...names), state), { maxLength: names.length })
    .map((entries) => ({ made, states: new Map(entries) }));
});

describe('render and restate', () => {
  test.prop([case_, case_])('restate of what readStates reads is the same text', ({ made, states }) => {
    const rendered = renderConfig(made, states);
    expect(restate(rendered, readStates(rendered))).toBe(rendered);
  });

  test.prop([case_])('rendering with states is restating the plain text', ({ made, states }) => {
    expect(restate(renderConfig(made, new Map()), states)).toBe(renderConfig(made, states));
  });

  test.prop([case_])('what was written is read, cleaned', ({ made, states }) => {
    const read = readStates(renderConfig(made, states));
    expect([...read.keys()].sort()).toEqual([...defaultStates(made).keys()].sort());
    for (const [name, { disabled, description }] of states)
      expect(read.get(name)).toEqual({ disabled, description: cleanText(description) });
  });

  test.prop([case_])(
    'only disabled and description lines differ, and the base is the same',
    ({ made, states }) => {
      const plain = renderConfig(made, new Map());
      const changed = renderConfig(made, states);
      const [before, after] = [plain.split('\n'), changed.split('\n')];
      expect(after.length).toBe(before.length);
      for (const [index, line] of after.entries())
        if (line !== before[index]) expect(line).toMatch(/^ {2}(disabled (yes|no)|description "[^"]*");$/);
      expect(sameBase(plain, changed)).toBe(true);
    },
  );

  test.prop([case_, fc.double({ min: 0, max: 1, noNaN: true })])(
    'a text that was cut anywhere is not a file of ours',
    ({ made, states }, share) => {
      const rendered = renderConfig(made, states);
      const cut = rendered.slice(0, Math.min(Math.floor(rendered.length * share), rendered.length - 1));
      expect(() => readStates(cut)).toThrow(NotOwnedError);
      expect(sameBase(cut, cut)).toBe(false);
    },
  );
});

describe('cleaned text', () => {
  test.prop([text])('is one line without a double quote, at most 200 bytes, and clean already', (any) => {
    const clean = cleanText(any);
    expect(clean).not.toMatch(/["\n\r\0]/);
    expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(200);
    expect(clean).not.toContain('\ufffd'.repeat(3));
    expect(cleanText(clean)).toBe(clean);
    expect(Buffer.from(clean).toString()).toBe(clean);
  });
});
