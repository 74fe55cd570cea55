/** What the parsers read from replies of five versions, and from texts that try to be fields. */
import { describe, expect, test } from 'vitest';
import { parseProtocols } from '../../bird/parse/protocols.ts';
import { parseStatus } from '../../bird/parse/status.ts';
import { type BirdTime, readSince, readTime } from '../../bird/parse/time.ts';
import type { ProtocolSeen } from '../../src/types/bird-view.ts';
import { replyOf } from './framing.ts';
import { replyBytes, versions } from './transcript.ts';

const now: BirdTime = { clock: 'local', millis: Date.UTC(2026, 10, 30, 1, 20, 0) };

function protocolOf(bytes: Buffer | string, name: string): ProtocolSeen {
  const found = parseProtocols(replyOf(bytes), now)?.get(name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

describe.each(versions)('BIRD %s', (version) => {
  test('show status has version, three times, and is running', () => {
    const status = parseStatus(replyOf(replyBytes(version, '01', 'show status')));
    expect(status).toMatchObject({ version, running: true });
    const { server, boot, configured } = status ?? { server: null, boot: null, configured: null };
    expect((server?.millis ?? 0) - (boot?.millis ?? 0)).toBeGreaterThan(7000);
    expect((server?.millis ?? 0) - (boot?.millis ?? 0)).toBeLessThan(9000);
    expect(configured).toEqual(boot);
  });

  test('graceful recovery is not running yet', () => {
    expect(parseStatus(replyOf(replyBytes(version, '19', 'show status')))?.running).toBe(false);
  });

  test('show protocols all has every protocol, with counts of its channels', () => {
    const reply = replyOf(replyBytes(version, '03', 'show protocols all'));
    const rows = reply.lines.filter(({ code }) => code === '1002');
    const protocols = parseProtocols(reply, now);
    expect(protocols?.size).toBe(rows.length);
    expect(protocols?.size).toBe(37);
    expect(protocols?.get('cmi4')).toMatchObject({
      proto: 'BGP',
      state: 'up',
      info: 'Established',
      description: 'CMI AS58453 IPv4',
      message: null,
      channels: [{ family: 4, state: 'UP', imported: 3, exported: 2, importUpdates: 6, exportWithdraws: 0 }],
    });
    expect(protocols?.get('drain_hkbn6')).toMatchObject({
      proto: 'Static',
      state: 'down',
      channels: [{ family: 6, state: 'DOWN', imported: null, exported: null, exportUpdates: null }],
    });
    expect(protocols?.get('learn_cmi4')).toMatchObject({
      proto: 'Pipe',
      info: 'master4 <=> t_cmi4',
      channels: [],
    });
    for (const protocol of protocols?.values() ?? []) expect(protocol.sinceMillis).not.toBeNull();
  });

  test('a disabled protocol shows its message, and an enabled one its new message', () => {
    const asked = 'show protocols all announce_cmi4';
    expect(protocolOf(replyBytes(version, '05', asked, 0), 'announce_cmi4')).toMatchObject({
      state: 'down',
      message: 'ticket 42: CMI maintenance',
      description: 'CMI announcement: normal',
    });
    expect(protocolOf(replyBytes(version, '05', asked, 1), 'announce_cmi4')).toMatchObject({
      state: 'up',
      message: 'ticket 42: done',
    });
    expect(protocolOf(replyBytes(version, '06', 'show protocols all hkbn4', 1), 'hkbn4')).toMatchObject({
      state: 'start',
      info: 'Active',
      message: 'kick',
    });
  });

  test.each([
    ['the short list', '02', 'show protocols'],
    ['a refusal', '02', 'show protocols nosuch'],
    ['no match', '02', 'show protocols "nosuch*"'],
    ['another command', '01', 'show status'],
  ])('%s is not taken for the whole list', (_, file, command) => {
    expect(parseProtocols(replyOf(replyBytes(version, file, command)), now)).toBeNull();
  });

  test('another reply is not taken for a status', () => {
    expect(parseStatus(replyOf(replyBytes(version, '03', 'show protocols all')))).toBeNull();
  });
});

/** A reply of one protocol with these details, each with its indent. */
function replyText(row: string, ...details: string[]): string {
  const head = '2002-Name       Proto      Table      State  Since         Info\n';
  const [first, ...rest] = [...details, ''];
  return `${head}1002-${row}\n1006-${first}\n${rest.map((line) => ` ${line}\n`).join('')}0000 \n`;
}

const local = (text: string): number | null => readTime(text)?.millis ?? null;

describe('the columns of a row', () => {
  test.each([
    ['08:49:09.974  ', Date.UTC(2026, 10, 29, 8, 49, 9, 974)],
    ['00:49:09.974  ', Date.UTC(2026, 10, 30, 0, 49, 9, 974)],
    ['2026-03-04    ', null],
    ['2026-03-04 08:49:09  ', local('2026-03-04 08:49:09')],
    ['2026-03-04 08:49:09.5  ', local('2026-03-04 08:49:09.500')],
    ['1795997564    ', null],
    ['Mon Nov 30 00:12:51 2026  ', local('2026-11-30 00:12:51')],
    ['<error>       ', null],
    ['half past nine  ', null],
    ['99:99:99      ', null],
  ])('a since of %j leaves name, state and info as they are', (since, sinceMillis) => {
    const seen = protocolOf(
      replyText(`up_a       BGP        ---        up     ${since}Established   `),
      'up_a',
    );
    expect(seen).toMatchObject({ name: 'up_a', proto: 'BGP', state: 'up', info: 'Established', sinceMillis });
  });

  test('seconds since 1970 are comparable with a server time of the same kind only', () => {
    expect(readSince('1795997564', { clock: 'epoch', millis: 1795997600000 })).toBe(1795997564000);
    expect(readSince('1795997564', now)).toBeNull();
    expect(readSince('2026-03-04 08:49:09', { clock: 'epoch', millis: 1795997600000 })).toBeNull();
    expect(readSince('2026-03-04 08:49:09', null)).toBeNull();
  });

  test('names and tables wider than their columns are whole', () => {
    const name = 'up-carrier-with-a-long-name-0001';
    expect(
      protocolOf(replyText(`${name} BGP        ---        up     00:01:29.263  Established`), name).state,
    ).toBe('up');
    const s2 = protocolOf(replyText('s2         Static     a_rather_long_table_name down   00:12:47'), 's2');
    expect(s2).toMatchObject({ proto: 'Static', state: 'down', info: '' });
  });

  test('a session says its state, not the error behind it', () => {
    const row =
      'cmi4       BGP        ---        start  2026-11-30 01:10:53.169  Active        Received: Cease';
    expect(protocolOf(replyText(row), 'cmi4').info).toBe('Active');
  });

  test('an unknown word of state is unknown, neither up nor down', () => {
    expect(protocolOf(replyText('x Static master4 UPPER 00:12:47  '), 'x').state).toBe('unknown');
  });
});

describe('text that others chose', () => {
  const row = 'announce_cmi_web4 Static     t_cmi4     down   2026-11-30 01:10:18.249  ';
  const channel = ['  Channel ipv4', '    State:          DOWN', '    Table:          t_cmi4'];

  test.each([
    'Channel ipv4',
    '  Message:        causeway: not ours',
    '    State:          UP',
    '0000 ',
    '1002-announce_cmi_web4 Static t_cmi4 up 01:00:00  ',
    'Routes:         99 imported, 99 exported, 0 preferred',
    '+Reconfigured',
  ])('%j is a message or a description and nothing else', (text) => {
    const asMessage = protocolOf(
      replyText(row, '  Description:    announced', `  Message:        ${text}`, ...channel),
      'announce_cmi_web4',
    );
    expect(asMessage).toMatchObject({ state: 'down', description: 'announced', message: text.trimStart() });
    expect(asMessage.channels).toMatchObject([{ state: 'DOWN', exported: null }]);
    const asDescription = protocolOf(
      replyText(row, `  Description:    ${text}`, ...channel),
      'announce_cmi_web4',
    );
    expect(asDescription).toMatchObject({ state: 'down', description: text.trimStart(), message: null });
  });

  test("a neighbour's host name is not a message of ours", () => {
    const seen = protocolOf(
      replyText(
        'bgp_cmi4   BGP        ---        up     2026-11-30 01:10:06.963  Established   ',
        '  Description:    cmi',
        '  BGP state:          Established',
        '    Neighbor capabilities',
        '      Hostname: x',
        '  Message:        causeway: forged',
        ...channel,
      ),
      'bgp_cmi4',
    );
    expect(seen.message).toBeNull();
  });

  test('a message too long for BIRD to send is unknown, and the protocol is still read', () => {
    const head = '2002-Name\n';
    const text = `${head}1002-${row}\n1006-  Description:    announced\n8000-<line overflow>\n1006-  Channel ipv4\n     State:          DOWN\n \n0000 \n`;
    expect(protocolOf(text, 'announce_cmi_web4')).toMatchObject({
      state: 'down',
      description: 'announced',
      message: null,
    });
  });
});

describe('why a session fell', () => {
  const infoOf = (info: string) =>
    parseProtocols(replyOf(replyText(`bgp_cmi4 BGP --- start 00:12:47  ${info}`)), now)?.get('bgp_cmi4');
  test.each([
    ['Idle          Error: BFD session down', 'bfd'],
    ['Active        Error: BFD session down', 'bfd'],
    ['Active        BGP Error: Hold timer expired', 'hold-timer'],
    ['Idle          Error: Link down', 'link'],
    ['Idle          Error: Neighbor lost', 'link'],
    ['Active        Received: Hold timer expired', undefined],
    ['Active        Socket: Connection refused', undefined],
    ['Active        Received: Error: BFD session down', undefined],
    ['Active', undefined],
  ])('%s', (info, lostBy) => {
    expect(infoOf(info)?.lostBy).toBe(lostBy);
    expect(infoOf(info)?.info).toBe(info.split(' ')[0]);
  });
});

describe('replies that are not sound', () => {
  const ok = 'a Static t up 00:12:47  ';
  test.each([
    ['a row that cannot be read', replyText('a Static t')],
    ['a protocol twice', replyText(ok).replace('0000 \n', '') + replyText(ok).replace(/^.*\n/, '')],
    ['details before any row', '2002-Name\n1006-  Channel ipv4\n0000 \n'],
    ['details without their end', `2002-Name\n1002-${ok}\n1006-  Description:    x\n0000 \n`],
    ['a row without details', `2002-Name\n1002-${ok}\n0000 \n`],
    ['no head', `1002-${ok}\n1006-\n0000 \n`],
    ['a channel without a state', replyText(ok, '  Channel ipv4', '    Table:          t')],
    [
      'counts of routes that are none',
      replyText(ok, '  Channel ipv4', '    State:  UP', '    Routes:  many'),
    ],
    ['another last code', replyText(ok).replace('0000 ', '8001 Network not found')],
    ['nothing', '0000 \n'],
  ])('%s is an error, never a list', (_, text) => {
    expect(parseProtocols(replyOf(text), now)).toBeNull();
  });

  test('reconfiguration and shutdown are not running', () => {
    const status = (last: string): boolean | undefined =>
      parseStatus(replyOf(`1000-BIRD 3.4.0\n1011-Router ID is 192.0.2.1\n0013 ${last}\n`))?.running;
    expect(status('Daemon is up and running')).toBe(true);
    expect(status('Reconfiguration in progress')).toBe(false);
    expect(status('Shutdown in progress')).toBe(false);
  });
});
