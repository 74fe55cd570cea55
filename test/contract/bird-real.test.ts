/** Client, commands and reading against a real BIRD of every version that is there, over its socket and through its birdc. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configure } from '../../bird/apply/configure.ts';
import type { BirdClient } from '../../bird/client.ts';
import { disable, enable } from '../../bird/commands.ts';
import { readBird } from '../../bird/read.ts';
import type { BirdSeen } from '../../src/types/bird-view.ts';
import { instant } from '../../src/types/units.ts';
import { type ScratchBird, startBird } from './scratch-bird.ts';
import { type Way, ways } from './ways.ts';

const longName = `n${'a_9'.repeat(21)}`;
const text = `
timeformat base iso long ms;
timeformat protocol iso long ms;
router id 192.0.2.1;
protocol device {}
ipv4 table t_cmi4;
ipv4 table a_rather_long_name_of_a_table;
protocol static announce_cmi_web4 {
  disabled no;
  description "0000 Channel ipv4 State: DOWN";
  ipv4 { table t_cmi4; preference 200; };
  route 203.0.113.0/24 reject;
}
protocol static 'up-carrier.4' { ipv4 { table a_rather_long_name_of_a_table; }; }
protocol static ${longName} { ipv4 { table t_cmi4; }; }
`;

const patiently = { timeout: 30_000, interval: 10 };

describe.each(ways)('BIRD $version through $way', (way: Way) => {
  let bird: ScratchBird;
  let client: BirdClient;

  beforeAll(async () => {
    bird = await startBird(text, way.bird);
    client = way.open(bird.socket);
  });
  afterAll(async () => {
    client?.close();
    await bird?.stop();
  });

  async function read(from: BirdClient = client): Promise<BirdSeen> {
    const view = await readBird(from, bird.socket, () => instant(1));
    if (view.kind !== 'seen') throw new Error(`${view.code}: ${view.text}`);
    return view;
  }

  /** BIRD 3 takes a protocol down and up beside its replies: a moment later it is there. */
  const shown = async (name: string) => (await read()).protocols.get(name);

  test('what is read is what runs', async () => {
    await expect
      .poll(() => shown('announce_cmi_web4'), patiently)
      .toMatchObject({ channels: [{ imported: 1 }] });
    const view = await read();
    expect(view.version).toMatch(/^\d+\.\d+/);
    expect(client.version).toBe(view.version);
    expect(view.running).toBe(true);
    expect([...view.protocols.keys()].sort()).toEqual(
      ['announce_cmi_web4', 'device1', longName, 'up-carrier.4'].sort(),
    );
    expect(view.protocols.get('announce_cmi_web4')).toMatchObject({
      proto: 'Static',
      state: 'up',
      description: '0000 Channel ipv4 State: DOWN',
      message: null,
      channels: [{ family: 4, state: 'UP', imported: 1 }],
    });
    const { serverMillis, bootMillis, configuredMillis } = view;
    expect(serverMillis).not.toBeNull();
    // BIRD works each time out from its age when it prints it, so one and the same may differ by a millisecond; and what
    // follows its start comes later on a machine that is busy.
    const since = view.protocols.get(longName)?.sinceMillis ?? 0;
    for (const time of [configuredMillis ?? 0, since]) {
      expect(time - (bootMillis ?? 0)).toBeGreaterThanOrEqual(-1);
      expect(time - (bootMillis ?? 0)).toBeLessThan(60_000);
    }
  });

  describe.each(['announce_cmi_web4', 'up-carrier.4', longName])('%s', (name) => {
    test('goes down with our message and up again; a second time it was so already', async () => {
      expect(await disable(client, name, 'loss "34 %"\nin ID; 維護 \u001b[31m')).toBe('done');
      await expect
        .poll(() => shown(name), patiently)
        .toMatchObject({
          state: 'down',
          message: "causeway: loss '34 %' in ID; 維護  [31m",
        });
      expect(await disable(client, name, 'again')).toBe('already');
      expect(await enable(client, name, 'healthy')).toBe('done');
      await expect
        .poll(() => shown(name), patiently)
        .toMatchObject({ state: 'up', message: 'causeway: healthy' });
      expect(await enable(client, name, 'again')).toBe('already');
    });
  });

  test('the longest message is shown whole', async () => {
    await disable(client, 'announce_cmi_web4', '維'.repeat(300));
    const message = (await read()).protocols.get('announce_cmi_web4')?.message ?? '';
    expect(Buffer.byteLength(message)).toBeGreaterThan(195);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(200);
    expect(message).toMatch(/^causeway: 維+…$/);
    await enable(client, 'announce_cmi_web4', 'back');
  });

  test('an unknown protocol is refused with 9001', async () => {
    await expect(disable(client, 'announce_nobody_web4', 'x')).rejects.toMatchObject({
      code: 'refused',
      replyCode: '9001',
    });
  });

  test('configure revives what was disabled, unless the file says so', async () => {
    await disable(client, 'announce_cmi_web4', 'loss');
    await configure(client);
    await expect.poll(async () => (await shown('announce_cmi_web4'))?.state, patiently).toBe('up');
    writeFileSync(bird.config, readFileSync(bird.config, 'utf8').replace('disabled no;', 'disabled yes;'));
    await disable(client, 'announce_cmi_web4', 'loss');
    const before = await read();
    await configure(client);
    await expect
      .poll(async () => (await read()).configuredMillis, patiently)
      .not.toBe(before.configuredMillis);
    await expect
      .poll(() => shown('announce_cmi_web4'), patiently)
      .toMatchObject({ state: 'down', message: null });
  });

  test('a BIRD that was stopped is unreachable with ENOENT, whatever was read before', async () => {
    const own = await startBird(text, way.bird);
    const reader = way.open(own.socket);
    try {
      expect((await readBird(reader, own.socket, () => instant(1))).kind).toBe('seen');
      await reader.command('down');
      await expect
        .poll(async () => {
          const view = await readBird(reader, own.socket, () => instant(1));
          return view.kind === 'unreachable' ? view.code : view.kind;
        }, patiently)
        .toBe('ENOENT');
    } finally {
      reader.close();
      await own.stop();
    }
  });
});
