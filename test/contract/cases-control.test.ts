/**
 * Small inputs that broke programs of this kind in public, in the form of every version: framing, times, names, and the many
 * good answers to `configure`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configure } from '../../bird/apply/configure.ts';
import { type BirdClient, BirdError } from '../../bird/client.ts';
import { disable, enable } from '../../bird/commands.ts';
import { checkSyntax } from '../../bird/owned-file.ts';
import { configureOutcome, configureRefusal } from '../../bird/parse/configure.ts';
import { parseProtocols } from '../../bird/parse/protocols.ts';
import { readSince, readTime } from '../../bird/parse/time.ts';
import { readBird } from '../../bird/read.ts';
import { birdVersions } from '../../lab/bird-versions.ts';
import { instant } from '../../src/types/units.ts';
import { chunked, framesOf, replyOf } from './framing.ts';
import { type ScratchBird, startBird } from './scratch-bird.ts';
import { readTranscript, replyBytes, versions } from './transcript.ts';
import { ways } from './ways.ts';

const now = readTime('2026-11-30 01:20:00.000');
const patiently = { timeout: 30_000, interval: 10 };

describe('framing: banner, partial reads, rows without a code, lines that nobody asked for', () => {
  const cut = [
    '0001 BIRD 2.0.12 ready.\n2002-Name       Proto      Table      State  Since         Info\n1002-device1    Device     ---        up     00:00:47.016  \n up_a       BGP   ',
    '     ---        up     00:00:47.821  Established   \n0000 \n',
  ];

  test('two rows come of two reads, and the banner is none of them', () => {
    const [banner, list, ...more] = framesOf(cut.map((text) => Buffer.from(text)));
    expect(banner).toMatchObject({ kind: 'reply', reply: { code: '0001' } });
    expect(list?.kind === 'reply' ? list.reply.lines.filter(({ code }) => code === '1002') : []).toHaveLength(
      2,
    );
    expect(more).toEqual([]);
  });

  test.each(versions)('of %s, every place to cut a list gives the same list', (version) => {
    const bytes = replyBytes(version, '02', 'show protocols');
    const whole = framesOf([bytes]);
    for (const size of [1, 2, 3, 7, 509, 1024]) expect(framesOf(chunked(bytes, [size]))).toEqual(whole);
  });

  test.each(versions)('of %s, the line behind an undone configure belongs to no reply', (version) => {
    const bytes = Buffer.concat(readTranscript(version, '10-async-undo.txt').map((each) => each.bytes));
    const frames = framesOf([bytes]);
    const told = frames.filter((frame) => frame.kind === 'async');
    expect(told).toEqual([{ kind: 'async', line: 'Config timeout expired, starting undo' }]);
    for (const frame of frames)
      if (frame.kind === 'reply')
        expect(frame.reply.lines.map(({ text }) => text).join()).not.toContain('starting undo');
  });

  test('the end of the connection in the middle of a list is an error, and never an empty list', () => {
    const list = cut.join('').replace('0000 \n', '');
    expect(framesOf([Buffer.from(list)]).filter(({ kind }) => kind === 'reply')).toHaveLength(1);
  });

  test.each(versions)('of %s, access that was restricted is a reply of its own', (version) => {
    const reply = replyOf(replyBytes(version, '12', 'restrict'));
    expect(reply).toMatchObject({ code: '0016' });
    expect(parseProtocols(reply, now)).toBeNull();
  });
});

describe('a Since column of any number of words', () => {
  const sinces = [
    '08:49:09.974  ',
    '2026-03-04    ',
    '2026-03-04 08:49:09  ',
    '1795997564    ',
    'Mon Nov 30 00:12:51 2026  ',
    '<error>       ',
  ];

  test.each(sinces)('%j leaves name, state and info as they are', (since) => {
    const row = `2002-Name\n1002-up_a       BGP        ---        up     ${since}Established   \n1006-\n0000 \n`;
    expect(parseProtocols(replyOf(row), now)?.get('up_a')).toMatchObject({
      name: 'up_a',
      state: 'up',
      info: 'Established',
    });
  });

  test('a bare time of day that has not come yet is yesterday’s, and a bare date is no time', () => {
    expect(readSince('08:49:09.974', now)).toBe(Date.UTC(2026, 10, 29, 8, 49, 9, 974));
    expect(readSince('2026-03-04', now)).toBeNull();
    expect(readSince('<error>', now)).toBeNull();
  });

  // What the daemon of each version makes of the operator's `timeformat`.
  const formats = ['"%F"', '"%F %T"', '"%s"', '"%c"', '"%T"', 'iso short', 'iso long us', '"%F %T" 20 "%F"'];
  test.each(birdVersions())(
    'BIRD $version shows its protocols in every format',
    async ({ bird: binary, version }) => {
      const text = (format: string): string =>
        `timeformat protocol ${format};\nrouter id 192.0.2.1;\nprotocol device {}\nprotocol static up_a { disabled; ipv4; }\n`;
      const bird = await startBird(text(formats[0] ?? ''), binary);
      const client = ways.find((way) => way.version === version && way.way === 'socket')?.open(bird.socket);
      if (client === undefined) throw new Error('no client');
      try {
        for (const format of formats) {
          writeFileSync(bird.config, text(format));
          await configure(client);
          await expect
            .poll(async () => {
              const view = await readBird(client, bird.socket, () => instant(1));
              if (view.kind !== 'seen') throw new Error(view.text);
              return [...view.protocols.values()]
                .map(({ name, state, info }) => `${name} ${state} ${info}`)
                .sort();
            }, patiently)
            .toEqual(['device1 up ', 'up_a down ']);
        }
      } finally {
        client.close();
        await bird.stop();
      }
    },
  );
});

const long = 'up-carrier-with-a-long-name-0001';

describe.each(ways)('names and configure, BIRD $version through $way', (way) => {
  const good = `router id 192.0.2.1;\nprotocol device {}\nipv4 table a_rather_long_table_name;\nprotocol static '${long}' { ipv4; }\nprotocol static s2 { disabled; ipv4 { table a_rather_long_table_name; }; }\n`;
  let bird: ScratchBird;
  let client: BirdClient;

  beforeAll(async () => {
    bird = await startBird(good, way.bird);
    client = way.open(bird.socket);
  });
  afterAll(async () => {
    client?.close();
    await bird?.stop();
  });

  const refusal = async (command: string): Promise<BirdError> => {
    const error: unknown = await client.command(command).then(
      (reply) => new Error(`not refused: ${reply.code}`),
      (reason: unknown) => reason,
    );
    if (!(error instanceof BirdError)) throw error;
    return error;
  };

  test('a name wider than its column and with dashes is read, switched and read again', async () => {
    const view = await readBird(client, bird.socket, () => instant(1));
    if (view.kind !== 'seen') throw new Error(view.text);
    expect(view.protocols.get(long)).toMatchObject({ proto: 'Static', state: 'up' });
    expect(view.protocols.get('s2')).toMatchObject({ proto: 'Static', state: 'down' });
    expect((await refusal(`disable ${long}`)).replyCode ?? 'bad-reply').toMatch(/^9001$|^bad-reply$/);
    expect(await disable(client, long, 'by name')).toBe('done');
    expect(await disable(client, long, 'by name')).toBe('already');
    expect(await enable(client, long, 'by name')).toBe('done');
  });

  test('an unknown name and a pattern without a match are both failures', async () => {
    expect((await refusal('disable nosuch')).replyCode).toBe('9001');
    expect((await refusal('show protocols "nosuch*"')).replyCode).toBe('8003');
  });

  test('every good answer to configure is taken, and every refusal names its place', async () => {
    expect(configureOutcome(await client.command('configure check'))).toBe('done');
    expect(configureOutcome(await client.command('configure confirm'))).toBe('nothing');
    expect(['done', 'in-progress']).toContain(configureOutcome(await client.command('configure timeout 60')));
    await settled();
    expect(configureOutcome(await client.command('configure confirm'))).toBe('confirmed');
    writeFileSync(bird.config, `${good}protocol static broken { ipv4 }\n`);
    for (const command of ['configure check', 'configure', 'configure soft']) {
      const error = await refusal(command);
      expect(error.replyCode).toBe('8002');
      if (error.reply === null) throw new Error('no reply');
      expect(configureRefusal(error.reply)).toMatchObject({
        path: bird.config,
        line: 6,
        text: /syntax error/,
      });
    }
    writeFileSync(bird.config, good);
    expect(['done', 'in-progress']).toContain(configureOutcome(await client.command('configure')));
    await settled();
  });

  async function settled(): Promise<void> {
    await expect
      .poll(async () => configureOutcome(await client.command('configure status')), patiently)
      .toBe('done');
  }
});

describe('replies to configure, by their codes', () => {
  test.each([
    ['0003 Reconfigured', 'done'],
    ['0004 Reconfiguration in progress', 'in-progress'],
    ['0005 Reconfiguration already in progress, queueing new config', 'in-progress'],
    ['0017 Reconfiguration already in progress, removing queued config', 'superseded'],
    ['0006 Reconfiguration ignored, shutting down', 'shutting-down'],
    ['0018 Reconfiguration confirmed', 'confirmed'],
    ['0019 Nothing to do', 'nothing'],
    ['0020 Configuration OK', 'done'],
    ['0003 Rekonfiguriert', 'done'],
    ['0042 Reconfigured', 'unknown'],
  ])('%s is %s', (line, outcome) => {
    expect(configureOutcome(replyOf(`0002-Reading configuration from /etc/bird/bird.conf\n${line}\n`))).toBe(
      outcome,
    );
  });

  test.each(versions)('all that %s answered to a configure has a meaning', (version) => {
    const asks = ['08', '09', '10', '20'].flatMap((prefix) =>
      readTranscript(
        version,
        `${prefix}-${{ '08': 'configure', '09': 'pending-timeout-lost', 10: 'async-undo', 20: 'configure-in-progress' }[prefix] ?? ''}.txt`,
      ),
    );
    const answers = asks
      .filter(({ command, bytes }) => command?.startsWith('configure') === true && bytes.length > 0)
      .map(({ bytes }) => framesOf([bytes]).find((frame) => frame.kind === 'reply'))
      .flatMap((frame) => (frame?.kind === 'reply' ? [frame.reply] : []));
    expect(answers.length).toBeGreaterThan(20);
    for (const reply of answers)
      if (!/^[89]/.test(reply.code)) expect(configureOutcome(reply)).not.toBe('unknown');
      else expect(configureRefusal(reply) ?? reply.code).not.toBeNull();
  });

  test('a file that is missing is a refusal without a place', () => {
    const reply = replyOf('0002-Reading configuration from /x\n8002 /x: No such file or directory\n');
    expect(configureRefusal(reply)).toEqual({
      path: null,
      line: null,
      column: null,
      text: '/x: No such file or directory',
    });
    expect(configureRefusal(replyOf('8007 Access denied\n'))).toBeNull();
  });
});

describe('`bird -p`, by its exit code', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-syntax-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(birdVersions())(
    'of $version: a fault has its place, a warning is none',
    async ({ bird: binary, version }) => {
      const file = (name: string, text: string): string => {
        const path = join(folder, `${version}-${name}.conf`);
        writeFileSync(path, text);
        return path;
      };
      const fault = file('fault', 'router id 192.0.2.1;\nprotocol static x { nosuch; }\n');
      expect(await checkSyntax(fault, { binary })).toMatchObject({
        kind: 'refused',
        line: 2,
        text: /syntax error/,
      });
      // 2.17 and newer warn of a password without `authentication`, at exit code 0.
      const warned = file(
        'warned',
        'router id 192.0.2.1;\nprotocol device {}\nprotocol bgp up_a { local 192.0.2.1 as 64500; neighbor 192.0.2.2 as 64501; password "x"; ipv4 { import none; export none; }; }\n',
      );
      expect(await checkSyntax(warned, { binary })).toEqual({ kind: 'ok' });
    },
  );
});
