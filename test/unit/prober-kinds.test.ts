/** HTTP, DNS and full-size probes over the loopback interface, against servers that answer well, wrongly or not at all. */
import { createServer as createHttp } from 'node:http';
import { createServer as createTcp, type Server } from 'node:net';
import { createServer as createHttps } from 'node:https';
import { afterEach, describe, expect, test } from 'vitest';
import { encodeQuestion, rcodeOf } from '../../probes/dns-message.ts';
import { type Engine, makeEngine } from '../../probes/engine.ts';
import { nameOfErrno } from '../../probes/socket/libc.ts';
import type { Outcome, ProbeKind, ProbeTask } from '../../src/types/outcome.ts';
import { millis } from '../../src/types/units.ts';
import { selfSigned } from './self-signed.ts';
import { type AddressInfo, createServer as createUdp } from './udp-server.ts';
import { loopbackTask } from '../support/loopback-task.ts';

const open: { close(): unknown }[] = [];
let engine: Engine | null = null;

afterEach(() => {
  engine?.close();
  engine = null;
  for (const one of open.splice(0)) one.close();
});

function taskOf(kind: ProbeKind, port: number, more: Partial<ProbeTask> = {}): ProbeTask {
  return loopbackTask(kind, port, { intervalMillis: millis(40), timeoutMillis: millis(5000), ...more });
}

/** The first outcome that is not our own machine's fault. */
async function probed(task: ProbeTask): Promise<Outcome> {
  engine = makeEngine();
  engine.plan([task]);
  const end = performance.now() + 30_000;
  let last: Outcome | undefined;
  for (;;) {
    const { samples } = engine.harvest();
    last = samples.at(-1)?.outcome ?? last;
    const counted = samples.find(({ outcome }) => outcome.kind !== 'not-run');
    if (counted !== undefined) return counted.outcome;
    if (performance.now() > end) throw new Error(`no outcome within 30 s, only ${JSON.stringify(last)}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

async function listening(server: Server): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.2', resolve);
  });
  // A TCP server's address is never a path.
  return (server.address() as AddressInfo).port;
}

const ask = { tls: false, host: null, path: '/healthz', status: null };

describe('an HTTP probe', () => {
  test.each([
    { status: 204, wanted: null, wrong: undefined },
    { status: 302, wanted: null, wrong: undefined },
    { status: 503, wanted: null, wrong: 'status 503' },
    { status: 503, wanted: 503, wrong: undefined },
    { status: 200, wanted: 204, wrong: 'status 200' },
  ])('takes status $status, where $wanted is asked for, for an answer (wrong: $wrong)', async (row) => {
    const asked: (string | undefined)[] = [];
    const port = await listening(
      createHttp((incoming, outgoing) => {
        asked.push(incoming.url, incoming.headers.host);
        outgoing.writeHead(row.status).end();
      }),
    );
    const outcome = await probed(taskOf('http', port, { http: { ...ask, status: row.wanted } }));
    expect(outcome.kind).toBe('answered');
    expect(outcome.kind === 'answered' ? outcome.wrong : '').toBe(row.wrong);
    expect(asked.slice(0, 2)).toEqual(['/healthz', `127.0.0.2:${port}`]);
  });

  test('tells a certificate that does not verify from a path that is dead', async () => {
    const { key, cert } = selfSigned();
    const port = await listening(createHttps({ key, cert }, (_, outgoing) => outgoing.end()));
    const outcome = await probed(
      taskOf('http', port, { http: { ...ask, tls: true, host: 'www.example.com' } }),
    );
    expect(outcome).toMatchObject({ kind: 'answered', wrong: expect.stringMatching(/^tls .*SELF_SIGNED/) });
  });

  test('tells a port that speaks no TLS, one that resets, one that is closed and one that says no HTTP', async () => {
    const tls = { http: { ...ask, tls: true } };
    const plain = await listening(createHttp((_, outgoing) => outgoing.end()));
    expect(await probed(taskOf('http', plain, tls))).toMatchObject({ wrong: expect.stringMatching(/^tls /) });
    engine?.close();
    const resets = await listening(createTcp((socket) => socket.resetAndDestroy()));
    expect(await probed(taskOf('http', resets, { http: ask }))).toMatchObject({ wrong: 'reset' });
    engine?.close();
    const babble = await listening(createTcp((socket) => socket.end('hello\n')));
    expect(await probed(taskOf('http', babble, { http: ask }))).toMatchObject({ wrong: 'no HTTP' });
    engine?.close();
    const closed = createTcp();
    const port = await listening(closed);
    await new Promise((resolve) => {
      closed.close(resolve);
    });
    expect(await probed(taskOf('http', port, { http: ask }))).toMatchObject({ wrong: 'port closed' });
  });

  test('that gets a connection and then silence is lost', async () => {
    const port = await listening(createTcp((socket) => socket.on('error', () => undefined)));
    const outcome = await probed(taskOf('http', port, { http: ask, timeoutMillis: millis(100) }));
    expect(outcome).toEqual({ kind: 'lost' });
  });
});

test('the kernel’s word for "try again" has one name', () => {
  expect(nameOfErrno(11)).toBe('EAGAIN');
});

describe('a DNS probe', () => {
  const dns = { name: 'www.example.com', type: 'A' } as const;

  /** Answers each question with that rcode; `bend` may change the answer. */
  async function server(
    rcode: number,
    bend: (answer: Buffer) => Buffer | null = (one) => one,
  ): Promise<number> {
    const udp = createUdp((question, reply) => {
      const answer = Buffer.from(question);
      answer.writeUInt16BE(0x8180 | rcode, 2);
      const bent = bend(answer);
      if (bent !== null) reply(bent);
    });
    open.push(udp);
    return udp.listen('127.0.0.2');
  }

  test.each([
    { rcode: 0, wrong: undefined },
    { rcode: 3, wrong: undefined },
    { rcode: 2, wrong: 'rcode SERVFAIL' },
    { rcode: 5, wrong: 'rcode REFUSED' },
  ])('takes rcode $rcode for an answer (wrong: $wrong)', async ({ rcode, wrong }) => {
    const outcome = await probed(taskOf('dns', await server(rcode), { dns }));
    expect(outcome.kind).toBe('answered');
    expect(outcome.kind === 'answered' ? outcome.wrong : '').toBe(wrong);
  });

  test('takes an answer with another id, or to another question, for a stray, and is lost', async () => {
    const bends = [
      (answer: Buffer) => {
        answer.writeUInt16BE(answer.readUInt16BE(0) ^ 1, 0);
        return answer;
      },
      (answer: Buffer) => {
        answer[13] = 'x'.charCodeAt(0);
        return answer;
      },
      (answer: Buffer) => answer.subarray(0, 11),
    ];
    for (const bend of bends) {
      const task = taskOf('dns', await server(0, bend), { dns, timeoutMillis: millis(100) });
      expect(await probed(task)).toEqual({ kind: 'lost' });
      engine?.close();
    }
  });

  test('that finds the port closed is answered, since somebody at that address said so', async () => {
    const port = await server(0);
    open.splice(0).forEach((one) => one.close());
    expect(await probed(taskOf('dns', port, { dns }))).toMatchObject({
      kind: 'answered',
      wrong: 'port closed',
    });
  });

  test('knows its answer by id and question, names in any case', () => {
    const question = encodeQuestion(0x1234, { name: 'Www.Example.com.', type: 'AAAA' });
    expect(question.toString('hex')).toBe(
      '12340100000100000000000003577777074578616d706c6503636f6d00001c0001',
    );
    const answer = Buffer.from(question);
    answer.writeUInt16BE(0x8183, 2);
    expect(rcodeOf(answer, question)).toBe('NXDOMAIN');
    const lower = Buffer.from(answer);
    lower.write('www', 13, 'latin1');
    expect(rcodeOf(lower, question)).toBe('NXDOMAIN');
    expect(rcodeOf(question, question)).toBeNull();
    expect(rcodeOf(answer.subarray(0, 20), question)).toBeNull();
  });
});
