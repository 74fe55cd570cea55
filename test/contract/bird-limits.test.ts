/** A real BIRD at its limits: restricted, crashed, crowded, with a reader that does not read, with lines that are too long. */
import { createConnection, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBirdc } from '../../bird/birdc.ts';
import { type BirdClient, commandLimitBytes, openClient } from '../../bird/client.ts';
import { disable, enable } from '../../bird/commands.ts';
import { readBird } from '../../bird/read.ts';
import { readAllExported, readExported, readRouteCount } from '../../bird/read-routes.ts';
import { birdVersions } from '../../lab/bird-versions.ts';
import type { BirdSeen } from '../../src/types/bird-view.ts';
import { instant } from '../../src/types/units.ts';
import { type ScratchBird, startBird } from './scratch-bird.ts';

const routes = 4000;
const blackholes = Array.from(
  { length: routes },
  (_, index) => `  route 10.${index >> 8}.${index & 255}.0/24 blackhole;`,
);
const text = `
timeformat base iso long ms;
timeformat protocol iso long ms;
router id 192.0.2.1;
protocol device {}
ipv4 table t_cmi4;
ipv4 table t_far4;
protocol static announce_cmi_web4 { ipv4 { table t_cmi4; }; route 203.0.113.0/24 reject { bgp_med = 50; }; }
protocol static many4 { ipv4 { table t_far4; };
${blackholes.join('\n')}
}
protocol pipe out_cmi4 { table t_cmi4; peer table t_far4; import none; export filter {
  bgp_med = 77; bgp_community.add((64500, 100)); accept;
}; }
`;
const patiently = { timeout: 30_000, interval: 10 };

describe.each(birdVersions())('BIRD $version', (each) => {
  let bird: ScratchBird;
  let client: BirdClient;

  beforeAll(async () => {
    bird = await startBird(text, each.bird);
    client = openClient({ path: bird.socket, timeoutMillis: 20_000 });
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

  test('a restricted socket shows everything, and a change is refused with what that means', async () => {
    const reader = openClient({ path: bird.socket, timeoutMillis: 20_000 });
    const through = openBirdc({ command: [each.birdc, '-r', '-s', bird.socket], timeoutMillis: 20_000 });
    try {
      await reader.command('restrict');
      for (const one of [reader, through]) {
        expect((await read(one)).protocols.get('announce_cmi_web4')?.state).toBe('up');
        await expect(disable(one, 'announce_cmi_web4', 'loss')).rejects.toMatchObject({
          code: 'refused',
          replyCode: '8007',
          message: expect.stringContaining('restricted'),
        });
      }
      expect((await read()).protocols.get('announce_cmi_web4')?.state).toBe('up');
    } finally {
      reader.close();
      through.close();
    }
  });

  test('a message that is too long for a line leaves the state right and itself unknown', async () => {
    await client.command(`disable announce_cmi_web4 "${'x'.repeat(500)}"`);
    const shown = async () => (await read()).protocols.get('announce_cmi_web4');
    await expect.poll(shown, patiently).toMatchObject({ state: 'down', message: null });
    expect(await shown()).toMatchObject({ channels: [{ family: 4, state: 'DOWN' }] });
    await enable(client, 'announce_cmi_web4', 'back');
    await expect.poll(async () => (await shown())?.state, patiently).toBe('up');
  });

  test('the longest command that is sent is taken, on both ways', async () => {
    const long = `show protocols "${'y'.repeat(commandLimitBytes - 17)}"`;
    const through = openBirdc({ command: [each.birdc, '-s', bird.socket], timeoutMillis: 20_000 });
    for (const one of [client, through])
      await expect(one.command(long)).rejects.toMatchObject({ code: 'refused', replyCode: '8003' });
    through.close();
  });

  test('what a protocol exports is read with what its filter made of it', async () => {
    const found = await readExported(client, 'out_cmi4', '203.0.113.0/24', true);
    expect(found).toMatchObject({
      kind: 'exported',
      route: { prefix: '203.0.113.0/24', table: 't_cmi4', protocol: 'announce_cmi_web4', med: 77 },
    });
    expect(found.kind === 'exported' ? found.route.communities : []).toEqual(['64500:100']);
    await disable(client, 'announce_cmi_web4', 'loss');
    await expect
      .poll(async () => (await readExported(client, 'out_cmi4', '203.0.113.0/24', true)).kind, patiently)
      .toBe('not-exported');
    expect(await readAllExported(client, 'out_cmi4')).toEqual([]);
    await enable(client, 'announce_cmi_web4', 'back');
    await expect
      .poll(async () => (await readAllExported(client, 'out_cmi4')).map(({ prefix }) => prefix), patiently)
      .toEqual(['203.0.113.0/24']);
    await expect(readExported(client, 'nosuch', '203.0.113.0/24', true)).rejects.toMatchObject({
      replyCode: '9001',
    });
    expect(await readExported(client, 'out_cmi4', '203.0.113.0/24', false)).toEqual({ kind: 'session-down' });
  });

  test('tables are counted', async () => {
    const of = async (table: string) => (await readRouteCount(client)).find((one) => one.table === table);
    await expect.poll(() => of('t_cmi4'), patiently).toMatchObject({ routes: 1, networks: 1 });
    // The pipe brings its one route over as well.
    await expect.poll(() => of('t_far4'), patiently).toMatchObject({ routes: routes + 1 });
  });

  test('forty clients at once are all answered, each with its own reply', async () => {
    const clients = Array.from({ length: 40 }, () =>
      openClient({ path: bird.socket, timeoutMillis: 20_000 }),
    );
    try {
      const replies = await Promise.all(clients.map((one, index) => one.command(`eval 1000 + ${index}`)));
      expect(replies.map(({ lines }) => lines[0]?.text)).toEqual(
        clients.map((_, index) => `${1000 + index}`),
      );
    } finally {
      for (const one of clients) one.close();
    }
  });

  test('somebody who asks for all routes and does not read holds nobody up', async () => {
    const lazy = await asksAndDoesNotRead(bird.socket);
    try {
      for (let turn = 0; turn < 20; turn += 1) expect((await read()).running).toBe(true);
    } finally {
      lazy.destroy();
    }
  });

  test('a crash is unreachable at once, and a new start is seen by the same client', async () => {
    const before = await read();
    await bird.crash();
    const view = await readBird(client, bird.socket, () => instant(1));
    expect(view).toMatchObject({ kind: 'unreachable' });
    await expect
      .poll(async () => {
        const again = await readBird(client, bird.socket, () => instant(1));
        return again.kind === 'unreachable' ? again.code : again.kind;
      }, patiently)
      .toBe('ECONNREFUSED');
    await bird.start();
    await expect
      .poll(async () => (await readBird(client, bird.socket, () => instant(1))).kind, patiently)
      .toBe('seen');
    expect((await read()).bootMillis).not.toBe(before.bootMillis);
  });
});

/** A connection over which a long answer is on its way; nothing of it is taken. */
function asksAndDoesNotRead(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    socket.once('error', reject);
    socket.once('data', () => {
      socket.pause();
      socket.removeAllListeners('data');
      socket.write('show route table t_far4 all\n', () => resolve(socket));
    });
  });
}
