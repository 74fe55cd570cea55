/** One question to one server, over UDP or TCP, with a deadline. */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { randomInt } from 'node:crypto';
import type { Subnet } from '../address.ts';
import { decodeReply, encodeQuestion, type QueryType, type Reply } from './message.ts';

export interface DnsServer {
  readonly host: string;
  readonly port: number;
}

export interface AskOptions {
  readonly subnet?: Subnet | null;
  readonly transport?: 'udp' | 'tcp';
  /** Own address to ask from. */
  readonly from?: string;
  readonly timeoutMillis?: number;
}

export class DnsError extends Error {
  override readonly name = 'DnsError';
  readonly code: 'dns-timeout' | 'dns-unreachable' | 'dns-bad-reply';
  constructor(code: DnsError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Rejects with a DnsError; a reply of any rcode is a reply. */
export function ask(
  server: DnsServer,
  name: string,
  type: QueryType,
  options: AskOptions = {},
): Promise<Reply> {
  const id = randomInt(65536);
  const question = encodeQuestion({ id, name, type, subnet: options.subnet ?? null });
  const exchange = options.transport === 'tcp' ? overTcp : overUdp;
  return exchange(server, question, options).then((message) => {
    const reply = decodeReplyOf(message, server);
    if (reply.id !== id)
      throw new DnsError('dns-bad-reply', `${server.host}:${server.port} answered another question`);
    return reply;
  });
}

function decodeReplyOf(message: Buffer, server: DnsServer): Reply {
  try {
    return decodeReply(message);
  } catch (error) {
    throw new DnsError(
      'dns-bad-reply',
      `${server.host}:${server.port} sent a reply that is no DNS message`,
      error,
    );
  }
}

const defaultTimeoutMillis = 2000;

function overUdp(server: DnsServer, question: Buffer, options: AskOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(server.host.includes(':') ? 'udp6' : 'udp4');
    let ended = false;
    const end = (finish: () => void): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      socket.close();
      finish();
    };
    // Timers run before sockets are read, so after a delay of our own a reply that is already there gets its turn first.
    const timer = setTimeout(
      () => setImmediate(() => end(() => reject(timedOut(server, 'UDP')))),
      options.timeoutMillis ?? defaultTimeoutMillis,
    );
    socket.on('message', (message) => end(() => resolve(message)));
    socket.on('error', (error) => end(() => reject(unreachableServer(server, error))));
    const send = (): void => socket.connect(server.port, server.host, () => socket.send(question));
    if (options.from === undefined) send();
    else socket.bind({ address: options.from, port: 0 }, send);
  });
}

function overTcp(server: DnsServer, question: Buffer, options: AskOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({
      host: server.host,
      port: server.port,
      ...(options.from === undefined ? {} : { localAddress: options.from }),
    });
    socket.setTimeout(options.timeoutMillis ?? defaultTimeoutMillis, () => {
      socket.destroy();
      reject(timedOut(server, 'TCP'));
    });
    socket.on('error', (error) => reject(unreachableServer(server, error)));
    socket.on('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(question.length);
      socket.write(Buffer.concat([length, question]));
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const all = Buffer.concat(chunks);
      if (all.length < 2 || all.length < 2 + all.readUInt16BE(0)) return;
      socket.destroy();
      resolve(all.subarray(2, 2 + all.readUInt16BE(0)));
    });
    socket.on('close', () =>
      reject(unreachableServer(server, new Error('closed before the reply was whole'))),
    );
  });
}

function timedOut(server: DnsServer, transport: string): DnsError {
  return new DnsError(
    'dns-timeout',
    `${server.host}:${server.port} did not answer over ${transport} in time`,
  );
}

function unreachableServer(server: DnsServer, cause: unknown): DnsError {
  return new DnsError(
    'dns-unreachable',
    `${server.host}:${server.port} cannot be asked; is PowerDNS running there?`,
    cause,
  );
}
