/** Outgoing requests: whom they believe, and how names are looked up without harming anybody. */
import { afterAll, describe, expect, test } from 'vitest';
import { openExchange } from '../../src/adapters/exchange.ts';
import { openNames } from '../../src/adapters/name-lookup.ts';
import { startReceiver } from '../support/http-receiver.ts';
import { selfSigned } from './self-signed.ts';

const exchange = openExchange(openNames(() => performance.now()));
afterAll(() => exchange.close());

test('only a certificate of the given authority is believed', async () => {
  const tls = selfSigned();
  const safe = await startReceiver(tls);
  try {
    const ask = async (ca: string | null, headers: Record<string, string>): Promise<string> => {
      const asked = {
        url: new URL(safe.url),
        method: 'POST',
        headers,
        body: '{}',
        timeoutMillis: 30_000,
        ca,
      };
      const reply = await exchange.ask(asked);
      return reply.kind === 'answer' ? String(reply.status) : reply.code;
    };
    const named = { host: 'www.example.com' };
    expect(await ask(null, named)).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
    expect(await ask(tls.cert, {})).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await ask(tls.cert, named)).toBe('200');
  } finally {
    await safe.close();
  }
});

describe('names', () => {
  const asked: string[] = [];
  const found = (name: string): readonly { address: string; family: number }[] =>
    name === 'both'
      ? [
          { address: '::1', family: 6 },
          { address: '127.0.0.1', family: 4 },
        ]
      : [];
  const lookUp = (
    names: ReturnType<typeof openNames>,
    name: string,
    family: 0 | 4 | 6 = 0,
  ): Promise<string> =>
    new Promise((resolve) => {
      names(name, { all: false, family }, (error, address) =>
        resolve(error === null ? (typeof address === 'string' ? address : '') : error.message),
      );
    });

  test('are asked for once while fresh, one at a time, and the last answer outlives a dead resolver', async () => {
    let now = 0;
    let isDead = false;
    const waiting: (() => void)[] = [];
    const names = openNames(
      () => now,
      (name, done) => {
        asked.push(name);
        waiting.push(() => done(isDead ? new Error('EAI_AGAIN') : null, isDead ? [] : found(name)));
      },
    );
    const [one, two, other] = [lookUp(names, 'both'), lookUp(names, 'both', 4), lookUp(names, 'none')];
    expect(asked).toEqual(['both']);
    waiting.shift()?.();
    expect([await one, await two]).toEqual(['::1', '127.0.0.1']);
    expect(asked).toEqual(['both', 'none']);
    waiting.shift()?.();
    expect(await other).toBe('no address of none');
    [now, isDead] = [31_000, true];
    expect(await lookUp(names, 'both')).toBe('::1');
    expect(asked).toEqual(['both', 'none', 'both']);
    waiting.shift()?.();
    expect(await lookUp(names, 'both')).toBe('::1');
  });
});
