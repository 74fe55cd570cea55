/** The client against a real Unix server that fails in every way a socket can. */
import { chmodSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { type BirdClient, openClient } from '../../bird/client.ts';
import { disable } from '../../bird/commands.ts';
import { readBird } from '../../bird/read.ts';
import { instant } from '../../src/types/units.ts';
import { type SocketServer, startServer } from './bird-socket-server.ts';

const patiently = { timeout: 20_000 };
const opened: { server?: SocketServer; client?: BirdClient }[] = [];

afterEach(async () => {
  for (const { server, client } of opened.splice(0)) {
    client?.close();
    await server?.stop();
  }
});

async function setUp(
  onCommand: Parameters<typeof startServer>[0],
  options: { first?: string; timeoutMillis?: number; onAsync?: (line: string) => void } = {},
): Promise<{ server: SocketServer; client: BirdClient }> {
  const server = await startServer(onCommand, options.first);
  const { timeoutMillis = 5000, onAsync } = options;
  const client = openClient({
    path: server.path,
    timeoutMillis,
    ...(onAsync === undefined ? {} : { onAsync }),
  });
  opened.push({ server, client });
  return { server, client };
}

function clientOf(path: string): BirdClient {
  const client = openClient({ path, timeoutMillis: 5000 });
  opened.push({ client });
  return client;
}

/** Runs as user nobody where we are root: root may open any socket. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const uid = process.geteuid?.();
  if (uid === 0) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    if (uid === 0) process.seteuid?.(0);
  }
}

describe('what cannot be reached', () => {
  test('a missing socket is ENOENT with its path, and works as soon as it is there', async () => {
    const client = clientOf('/nonexistent/bird.ctl');
    await expect(client.command('show status')).rejects.toMatchObject({ name: 'BirdError', code: 'ENOENT' });
    await expect(client.command('show status')).rejects.toThrow('/nonexistent/bird.ctl');
    expect(client.version).toBeNull();
  });

  test('a file that is no socket is ECONNREFUSED', async () => {
    const { server } = await setUp(() => undefined);
    writeFileSync(`${server.path}.dead`, '');
    await expect(clientOf(`${server.path}.dead`).command('show status')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  test('a socket without permission is EACCES', async () => {
    const { server, client } = await setUp((_, socket) => socket.write('0000 \n'));
    chmodSync(server.path, 0o000);
    const path = server.path.slice(0, server.path.lastIndexOf('/'));
    chmodSync(path, 0o711);
    await asNobody(async () => {
      await expect(client.command('show status')).rejects.toMatchObject({ code: 'EACCES' });
      const view = await readBird(client, server.path, () => instant(7));
      expect(view).toMatchObject({ kind: 'unreachable', code: 'EACCES', path: server.path, readAt: 7 });
    });
    chmodSync(server.path, 0o666);
    await expect
      .poll(
        () =>
          client.command('show status').then(
            ({ code }) => code,
            () => 'failed',
          ),
        patiently,
      )
      .toBe('0000');
  });

  test('another greeting than that of BIRD is a bad reply', async () => {
    const { client } = await setUp(() => undefined, { first: '0002 SSH-2.0-OpenSSH\n' });
    await expect(client.command('show status')).rejects.toMatchObject({ code: 'bad-reply' });
  });
});

describe('what breaks', () => {
  test('a reply cut by the end of the connection is closed, and never part of a list', async () => {
    const { client } = await setUp((_, socket) => socket.end('2002-Name\n1002-a Static t up 00:00:01  \n'));
    await expect(client.command('show protocols all')).rejects.toMatchObject({ code: 'closed' });
  });

  test('the next command after a loss connects anew', async () => {
    let calls = 0;
    const { server, client } = await setUp((_, socket) => {
      calls += 1;
      if (calls === 1) socket.destroy();
      else socket.write('0000 \n');
    });
    await expect(client.command('show status')).rejects.toMatchObject({ code: 'closed' });
    await expect(client.command('show status')).resolves.toMatchObject({ code: '0000' });
    expect(server.connections()).toBe(2);
  });

  test('a hanging BIRD is ETIMEDOUT, and its late reply is nobody else’s', async () => {
    let calls = 0;
    const late: (() => void)[] = [];
    const { server, client } = await setUp(
      (line, socket) => {
        calls += 1;
        if (calls === 1) late.push(() => socket.write('0009-late: disabled\n0000 \n'));
        else {
          for (const send of late) send();
          socket.write(`0003 answer to ${line}\n`);
        }
      },
      { timeoutMillis: 800 },
    );
    await expect(client.command('first')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await expect.poll(() => server.open(), patiently).toBe(0);
    const reply = await client.command('second');
    expect(reply.lines).toEqual([{ code: '0003', text: 'answer to second' }]);
    expect(server.connections()).toBe(2);
  });

  test('bytes that trickle in do not extend the deadline', async () => {
    const timers: NodeJS.Timeout[] = [];
    const { client } = await setUp(
      (_, socket) => {
        socket.write('1000-');
        timers.push(setInterval(() => socket.write('x'), 10));
      },
      { timeoutMillis: 200 },
    );
    const start = performance.now();
    await expect(client.command('show status')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(performance.now() - start).toBeLessThan(2000);
    for (const timer of timers) clearInterval(timer);
  });

  test('a server that accepts and never greets is ETIMEDOUT', async () => {
    const { client } = await setUp(() => undefined, { first: '', timeoutMillis: 150 });
    await expect(client.command('show status')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  test('slow bytes within the deadline are one whole reply', async () => {
    const text = '1000-BIRD 2.0.12\n1011-Router ID is 192.0.2.1\n0013 Daemon is up and running\n';
    const { client } = await setUp((_, socket) => {
      const bytes = [...Buffer.from(text)];
      const send = (): void => {
        const byte = bytes.shift();
        if (byte !== undefined) socket.write(Buffer.from([byte]), () => setImmediate(send));
      };
      send();
    });
    await expect(client.command('show status')).resolves.toMatchObject({ code: '0013' });
  });

  test('a reply that nobody asked for ends the connection', async () => {
    const { server, client } = await setUp((line, socket) => {
      socket.write(line === 'two' ? '0000 \n0009-x: disabled\n0000 \n' : '0003 fine\n');
    });
    await client.command('two');
    await expect
      .poll(
        () =>
          client.command('next').then(
            ({ code }) => code,
            () => 'failed',
          ),
        patiently,
      )
      .toBe('0003');
    expect(server.connections()).toBe(2);
  });

  test('bytes that are no reply are bad-reply, and the view is unreachable', async () => {
    const { server, client } = await setUp((_, socket) => socket.write('HTTP/1.1 200 OK\r\n'));
    const view = await readBird(client, server.path, () => instant(1));
    expect(view).toMatchObject({ kind: 'unreachable', code: 'bad-reply' });
  });
});

describe('commands', () => {
  test('go one at a time and in order, and their replies come back in order', async () => {
    let inFlight = 0;
    let most = 0;
    const { server, client } = await setUp((line, socket) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      setImmediate(() => {
        inFlight -= 1;
        socket.write(`0023 ${line}\n`);
      });
    });
    const texts = Array.from({ length: 20 }, (_, index) => `eval ${index}`);
    const replies = await Promise.all(texts.map((text) => client.command(text)));
    expect(replies.map((reply) => reply.lines[0]?.text)).toEqual(texts);
    expect(server.received).toEqual(texts);
    expect([most, server.connections()]).toEqual([1, 1]);
    expect(client.version).toBe('2.0.12');
  });

  test.each([
    ['more than 1000 bytes', `disable x "${'ü'.repeat(500)}"`],
    ['a line end', 'show status\ndown'],
    ['a carriage return', 'show status\rdown'],
    ['NUL', 'show\0status'],
    ['nothing', '  '],
    ['help, to which BIRD gives no reply', 'help'],
  ])('%s is refused before it is sent', async (_, text) => {
    const { server, client } = await setUp((line, socket) => socket.write(`0000 ${line}\n`));
    await expect(client.command(text)).rejects.toMatchObject({ code: 'bad-command' });
    await client.command('show status');
    expect(server.received).toEqual(['show status']);
  });

  test('a refusal of BIRD carries its code, and an 8006 in the middle is none', async () => {
    const { client } = await setUp((line, socket) => {
      if (line === 'no') socket.write('9001 syntax error\n');
      else if (line === 'configure')
        socket.write('0002-Reading\n8002 /etc/bird/bird.conf:1:1 syntax error\n');
      else socket.write('8006-x: reload failed\n0000 \n');
    });
    await expect(client.command('configure')).rejects.toMatchObject({ code: 'refused', replyCode: '8002' });
    await expect(client.command('no')).rejects.toMatchObject({ code: 'refused', replyCode: '9001' });
    await expect(client.command('yes')).resolves.toMatchObject({ code: '0000' });
  });

  test('asynchronous lines are told, and are no replies', async () => {
    const lines: string[] = [];
    const { client } = await setUp((_, socket) => socket.write('+Undo soon\n0003 Reconfigured\n'), {
      onAsync: (line) => lines.push(line),
    });
    await expect(client.command('configure')).resolves.toMatchObject({ code: '0003' });
    expect(lines).toEqual(['Undo soon']);
  });

  test('closing fails what waits and what comes later', async () => {
    const { client } = await setUp(() => undefined);
    const waiting = [client.command('one'), client.command('two')];
    client.close();
    for (const outcome of await Promise.allSettled([...waiting, client.command('three')]))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'closed' } });
  });

  test('success is the line for that very protocol', async () => {
    const { client } = await setUp((_, socket) => socket.write('0009-announce_cmi_web46: disabled\n0000 \n'));
    await expect(disable(client, 'announce_cmi_web4', 'loss')).rejects.toMatchObject({ code: 'bad-reply' });
  });

  test('a name with a quote never reaches BIRD', async () => {
    const { server, client } = await setUp((_, socket) => socket.write('0000 \n'));
    for (const name of ['a b', 'x"y', "x'y", '', 'a\nb'])
      await expect(disable(client, name, 'x')).rejects.toMatchObject({ code: 'bad-command' });
    expect(server.received).toEqual([]);
  });
});

test('a reconfiguration between the commands is read again, and one that never ends is unreachable', async () => {
  let configured = 0;
  const { server, client } = await setUp((line, socket) => {
    if (line === 'show protocols all')
      socket.write('2002-Name\n1002-a Static t up 00:00:01  \n1006-\n0000 \n');
    else {
      configured += configured < 3 ? 1 : 0;
      socket.write(statusAt(configured));
    }
  });
  const view = await readBird(client, server.path, () => instant(1));
  expect(view).toMatchObject({ kind: 'seen', configuredMillis: Date.UTC(2026, 10, 30, 1, 0, 3) });
  expect(server.received.filter((line) => line === 'show protocols all').length).toBe(2);

  let turn = 0;
  const restless = await setUp((line, socket) => {
    if (line === 'show protocols all') socket.write('2002-Name\n0000 \n');
    else socket.write(statusAt((turn += 1)));
  });
  const never = await readBird(restless.client, restless.server.path, () => instant(1));
  expect(never).toMatchObject({ kind: 'unreachable', code: 'bad-reply' });
});

function statusAt(second: number): string {
  return [
    '1000-BIRD 2.0.12',
    '1011-Router ID is 192.0.2.1',
    ' Current server time is 2026-11-30 01:10:14.235',
    ' Last reboot on 2026-11-30 01:00:00.000',
    ` Last reconfiguration on 2026-11-30 01:00:0${second}.000`,
    '0013 Daemon is up and running\n',
  ].join('\n');
}
