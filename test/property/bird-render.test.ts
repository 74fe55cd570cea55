/**
 * Whatever an operator writes: either it is refused before anything is written, or the rendered text means the same and
 * BIRD takes it. That it means the same is seen by rendering a plain config and putting the operator's words in place of
 * the plain ones: a word that could leave its place would make another text.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, test } from '../support/property.ts';
import { afterAll, beforeAll, expect, test as once } from 'vitest';
import { stringify } from 'yaml';
import { openClient } from '../../bird/client.ts';
import { checkSyntax } from '../../bird/owned-file.ts';
import { stateLines } from '../../bird/file-states.ts';
import { cleanText } from '../../bird/message.ts';
import { readBird } from '../../bird/read.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { readConfig } from '../../src/config/read.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { instant } from '../../src/types/units.ts';
import { startBird } from '../contract/scratch-bird.ts';

const full = process.env['CAUSEWAY_TEST_FULL'] === '1';

const tricks = fc.constantFrom(
  '"; disabled; "',
  '"',
  '\\',
  '# x',
  '/* x',
  "'",
  '};',
  'a\nb',
  'a\r',
  '\u0000',
  '\u001B[2J',
  '\u0085',
  '\u2028',
  '\u202E',
  '維護 04:00',
  '%s%n',
  '*',
  '..',
  ' eth0',
  'x'.repeat(300),
);
const anything = fc.oneof(
  tricks,
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
/** Mostly such as are accepted, so that the second half of the promise is tried as well. */
const mostly = (fair: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 8, arbitrary: fair }, { weight: 1, arbitrary: anything });

const word = mostly(fc.stringMatching(/^[a-z][a-z0-9]{0,14}$/));
const wireWord = mostly(fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/));
const words = fc.record({
  node: wireWord,
  site: wireWord,
  carrier: wireWord,
  uplink: word,
  service: word,
  interface: mostly(fc.stringMatching(/^[A-Za-z0-9_.-]{1,15}$/)),
  passwordFile: mostly(fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => `/${text}`)),
  community: mostly(fc.tuple(fc.nat(70_000), fc.nat(70_000)).map(([a, b]) => `${a}:${b}`)),
  password: mostly(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 80 })),
  description: anything,
});
type Words = typeof words extends fc.Arbitrary<infer T> ? T : never;

/** Each differs from all others and stands nowhere else in the text. */
const plain: Words = {
  node: 'qnode',
  site: 'qsite',
  carrier: 'qcarrier',
  uplink: 'quplink',
  service: 'qservice',
  interface: 'qinterface',
  passwordFile: '/qfile',
  community: '61234:61235',
  password: 'qpassword',
  description: 'qdescription',
};

function configOf(given: Words): NodeConfig | null {
  const target = (n: number) => ({ name: `t${n}`, region: 'ID', ping: `198.18.0.${n}` });
  const text = stringify({
    node: { name: given.node, site: given.site, asn: 65001, router_id: '10.255.0.1' },
    bird: { layout: 'whole' },
    services: { [given.service]: { prefixes: ['203.0.113.0/24'] } },
    uplinks: {
      [given.uplink]: {
        carrier: given.carrier,
        interface: given.interface,
        source: '223.118.10.2',
        peer: { asn: 58453, address: '223.118.10.1', password_file: given.passwordFile },
        communities: [given.community],
        targets: [target(1), target(2), target(3)],
      },
    },
  });
  const read = readConfig('causeway.yaml', text);
  return read.kind === 'ok' ? read.config : null;
}

/** null: refused. Without the line that stands for the text, since it differs with the text. */
function rendered(given: Words): string | null {
  const config = configOf(given);
  if (config === null) return null;
  const states = new Map([
    [`announce_${given.uplink}_${given.service}4`, { disabled: true, description: given.description }],
  ]);
  try {
    return renderConfig(config, states, new Map([[given.uplink, given.password]]));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function withoutMark(text: string): string {
  return text.replace(/^define CAUSEWAY_BASE = .*$/m, '');
}

/** The plain text with the operator's words in place of the plain ones. */
function expected(given: Words): string {
  const places: readonly (readonly [string, string])[] = [
    [plain.node, given.node],
    [plain.site, given.site],
    [plain.carrier, given.carrier],
    [plain.uplink, given.uplink],
    [plain.service, given.service],
    [plain.interface, given.interface],
    [JSON.stringify(plain.passwordFile), JSON.stringify(given.passwordFile)],
    [plain.community.replace(':', ','), given.community.split(':').map(Number).join(',')],
    [plain.password, given.password],
    [plain.description, cleanText(given.description)],
  ];
  const text = withoutMark(rendered(plain) ?? '');
  const finder = new RegExp(places.map(([from]) => from).join('|'), 'g');
  return text.replace(finder, (found) => places.find(([from]) => from === found)?.[1] ?? found);
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-words-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let taken = 0;
test.prop([words], { numRuns: full ? 20_000 : 250 })(
  'words of an operator are refused, or stand where they belong and nowhere else, and BIRD takes the text',
  async (given) => {
    const text = rendered(given);
    if (text === null) return;
    expect(withoutMark(text)).toBe(expected(given));
    taken += 1;
    const file = join(folder, 'words.conf');
    writeFileSync(file, text);
    expect(await checkSyntax(file, { binary: 'bird' })).toEqual({ kind: 'ok' });
  },
);

once('a good part of the words of the property above was taken, so that both halves of it were tried', () => {
  // Far below what is usual: chance must not decide it.
  expect(taken).toBeGreaterThan(full ? 1000 : 10);
});

once('BIRD shows every description as it was meant', async () => {
  const samples = fc.sample(anything, { numRuns: full ? 5000 : 400, seed: 7 });
  const protocols = samples.map((description, index) =>
    [
      `protocol static announce_a_s${index}x4 {`,
      ...stateLines({ disabled: true, description }),
      '  ipv4;',
      '}',
    ].join('\n'),
  );
  const head = 'router id 1.1.1.1;\ntimeformat protocol iso long ms;\nprotocol device {}';
  const bird = await startBird(`${head}\n${protocols.join('\n')}\n`);
  const client = openClient({ path: bird.socket, timeoutMillis: 30_000 });
  try {
    const view = await readBird(client, bird.socket, () => instant(0));
    if (view.kind !== 'seen') throw new Error(view.text);
    const shown = samples.map((_, index) => view.protocols.get(`announce_a_s${index}x4`)?.description ?? '');
    // The reader takes blanks at the ends of a line for padding.
    expect(shown.map((text) => text.trim())).toEqual(samples.map((text) => cleanText(text).trim()));
  } finally {
    client.close();
    await bird.stop();
  }
});
