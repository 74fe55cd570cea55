/**
 * One HTTP request and its answer, bounded in time and size, on connections that are kept. Redirects are answers like
 * any other: what is told to one place is not carried to another.
 */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

export interface Ask {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For all of it: name, connection, answer. */
  readonly timeoutMillis: number;
  /** PEM of the authorities that are believed; null: those of the system. */
  readonly ca: string | null;
}

export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly text: string;
      /** Of `Retry-After` in seconds; null: not said, or as a date. */
      readonly retryAfterMillis: number | null;
    }
  | { readonly kind: 'failed'; readonly code: string; readonly text: string };

export interface Exchange {
  /** Never rejects. */
  ask(ask: Ask): Promise<Reply>;
  /** Ends all connections, those in use too. */
  close(): void;
}

const mostAnswerBytes = 64 * 1024;
const connections = { keepAlive: true, maxSockets: 8, maxFreeSockets: 2 } as const;

export function openExchange(lookup: LookupFunction): Exchange {
  const plain = new HttpAgent(connections);
  const secure = new Map<string | null, HttpsAgent>();
  return {
    ask: (ask) => exchange(ask, lookup, ask.url.protocol === 'https:' ? secureAgent(secure, ask.ca) : plain),
    close() {
      plain.destroy();
      for (const agent of secure.values()) agent.destroy();
    },
  };
}

/** A new list of authorities ends the connections that were made with the old one. */
function secureAgent(agents: Map<string | null, HttpsAgent>, ca: string | null): HttpsAgent {
  const known = agents.get(ca);
  if (known !== undefined) return known;
  if (agents.size >= 8) {
    for (const old of agents.values()) old.destroy();
    agents.clear();
  }
  const agent = new HttpsAgent({ ...connections, ...(ca === null ? {} : { ca }) });
  agents.set(ca, agent);
  return agent;
}

function exchange(
  { url, method, headers, body, timeoutMillis }: Ask,
  lookup: LookupFunction,
  agent: HttpAgent | HttpsAgent,
): Promise<Reply> {
  return new Promise((resolve) => {
    const end = (reply: Reply): void => {
      clearTimeout(timer);
      resolve(reply);
    };
    const failed = (error: Error): void => end({ kind: 'failed', ...wordsOf(error) });
    const content =
      body === '' && method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...headers, ...content }, agent, lookup };
    const ask = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
    const timer = setTimeout(() => {
      end({ kind: 'failed', code: 'timeout', text: `no whole answer within ${timeoutMillis} ms` });
      ask.destroy();
    }, timeoutMillis);
    ask.on('error', failed);
    ask.on('response', (message) => void readAnswer(message).then(end, failed));
    ask.end(body);
  });
}

async function readAnswer(message: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > mostAnswerBytes) {
      message.destroy();
      return { kind: 'failed', code: 'too-large', text: `an answer of more than ${mostAnswerBytes} bytes` };
    }
    chunks.push(part);
  }
  if (!message.complete) return { kind: 'failed', code: 'cut-short', text: 'the answer was cut short' };
  const seconds = /^\d{1,6}$/.exec(message.headers['retry-after'] ?? '');
  return {
    kind: 'answer',
    status: message.statusCode ?? 0,
    text: Buffer.concat(chunks).toString('utf8'),
    retryAfterMillis: seconds === null ? null : Number(seconds[0]) * 1000,
  };
}

function wordsOf(error: Error): { readonly code: string; readonly text: string } {
  // Of several addresses that were tried, the first error says most.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const known = first instanceof Error ? first : error;
  const code = 'code' in known ? String(known.code) : 'failed';
  return { code, text: known.message.slice(0, 200) };
}
