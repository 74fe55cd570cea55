/**
 * Questions for the GeoDNS benchmarks from a process of its own: at a rate, or so many in flight at once. Every reply is
 * compared with what may be answered. Reads one order as a line of JSON from its standard input, prints one report.
 */
import { createSocket, type Socket } from 'node:dgram';
import { parseSubnet } from '../geodns/address.ts';
import { DnsMessageError, decodeReply, encodeQuestion } from '../geodns/dns/message.ts';

export interface SenderOrder {
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  readonly pace:
    | { readonly kind: 'rate'; readonly perSecond: number }
    | { readonly kind: 'in-flight'; readonly count: number };
  readonly seconds: number;
  readonly timeoutMillis: number;
  readonly questions: readonly SenderQuestion[];
}

export interface SenderQuestion {
  readonly name: string;
  /** null: no client subnet. */
  readonly subnet: string | null;
  /** Sorted addresses joined by blanks; each is right at some time. */
  readonly allowed: readonly string[];
}

export interface SenderReport {
  readonly sent: number;
  readonly answered: number;
  readonly lost: number;
  /** Another answer than allowed, an empty one, another rcode. */
  readonly wrong: number;
  readonly examples: readonly string[];
  readonly perSecond: number;
  readonly latencyMillis: {
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
    readonly max: number;
  };
}

const socketCount = 16;
const receiveBytes = 4_000_000;

interface Line {
  readonly socket: Socket;
  /** By id: when it was sent, 0 for none; and which question. */
  readonly sentAt: Float64Array;
  readonly which: Uint16Array;
  /** Ids are given in turn, so what waits lies between these two. */
  oldest: number;
  next: number;
}

class Sender {
  private readonly order: SenderOrder;
  private readonly messages: readonly Buffer[];
  private readonly lines: Line[] = [];
  private sent = 0;
  private answered = 0;
  private lost = 0;
  private flying = 0;
  private wrong = 0;
  private readonly examples: string[] = [];
  private readonly latencies: number[] = [];

  constructor(order: SenderOrder) {
    this.order = order;
    this.messages = order.questions.map(({ name, subnet }) =>
      encodeQuestion({
        id: 0,
        name,
        type: 'A',
        subnet: subnet === null ? null : (parseSubnet(subnet) ?? null),
      }),
    );
  }

  async run(): Promise<SenderReport> {
    for (let index = 0; index < socketCount; index += 1) this.lines.push(await this.open(index));
    const began = performance.now();
    const end = began + this.order.seconds * 1000;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const now = performance.now();
        this.expire(now);
        if (now < end) this.fill(now - began);
        else if (this.flying === 0 || now > end + this.order.timeoutMillis + 500) {
          clearInterval(timer);
          resolve();
        }
      }, 1);
    });
    for (const { socket } of this.lines) socket.close();
    return this.report();
  }

  private async open(index: number): Promise<Line> {
    const socket = createSocket('udp4');
    const server = this.order.servers[index % this.order.servers.length];
    if (server === undefined) throw new Error('no server');
    await new Promise<void>((resolve) => socket.connect(server.port, server.host, resolve));
    socket.setRecvBufferSize(receiveBytes);
    const [sentAt, which] = [new Float64Array(65_536), new Uint16Array(65_536)];
    const line: Line = { socket, sentAt, which, oldest: 0, next: 0 };
    socket.on('message', (message) => this.hear(line, message));
    socket.on('error', () => undefined);
    return line;
  }

  private fill(elapsedMillis: number): void {
    const { pace } = this.order;
    const due =
      pace.kind === 'rate'
        ? Math.floor((elapsedMillis / 1000) * pace.perSecond) - this.sent
        : Math.min(pace.count - this.flying, 2000);
    for (let count = 0; count < due; count += 1) this.ask();
  }

  private ask(): void {
    const line = this.lines[this.sent % this.lines.length];
    const which = (this.sent * 7919) % this.messages.length;
    const message = this.messages[which];
    if (line === undefined || message === undefined) return;
    const id = line.next;
    line.next = (id + 1) & 0xffff;
    if (line.sentAt[id] !== 0) this.lose();
    const copy = Buffer.from(message);
    copy.writeUInt16BE(id, 0);
    line.sentAt[id] = performance.now();
    line.which[id] = which;
    this.sent += 1;
    this.flying += 1;
    line.socket.send(copy);
  }

  private hear(line: Line, message: Buffer): void {
    const id = message.readUInt16BE(0);
    const sentAt = line.sentAt[id] ?? 0;
    if (sentAt === 0) return;
    line.sentAt[id] = 0;
    this.flying -= 1;
    this.answered += 1;
    this.latencies.push(performance.now() - sentAt);
    const question = this.order.questions[line.which[id] ?? 0];
    if (question !== undefined) this.judge(question, message);
  }

  private judge(question: SenderQuestion, message: Buffer): void {
    const got = answerIn(message);
    if (question.allowed.includes(got)) return;
    this.wrong += 1;
    if (this.examples.length < 5)
      this.examples.push(`${question.subnet ?? 'no subnet'}: ${got || 'nothing'}`);
  }

  private lose(): void {
    this.lost += 1;
    this.flying -= 1;
  }

  private expire(now: number): void {
    const least = now - this.order.timeoutMillis;
    for (const line of this.lines) {
      for (; line.oldest !== line.next; line.oldest = (line.oldest + 1) & 0xffff) {
        const at = line.sentAt[line.oldest] ?? 0;
        if (at > least) break;
        if (at === 0) continue;
        line.sentAt[line.oldest] = 0;
        this.lose();
      }
    }
  }

  private report(): SenderReport {
    const sorted = this.latencies.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    return {
      sent: this.sent,
      answered: this.answered,
      lost: this.lost,
      wrong: this.wrong,
      examples: this.examples,
      perSecond: this.answered / this.order.seconds,
      latencyMillis: { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) },
    };
  }
}

function answerIn(message: Buffer): string {
  try {
    const { rcode, answers } = decodeReply(message);
    if (rcode !== 0) return `rcode ${rcode}`;
    return answers
      .map(({ data }) => data ?? '')
      .sort()
      .join(' ');
  } catch (error) {
    if (error instanceof DnsMessageError) return 'no DNS message';
    throw error;
  }
}

if (process.argv[1] === import.meta.filename) {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  const order: SenderOrder = JSON.parse(text);
  process.stdout.write(`${JSON.stringify(await new Sender(order).run())}\n`);
}
