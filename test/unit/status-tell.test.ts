/** What `causeway status` says of telling: nothing while all is well, else who, what and why. */
import { expect, test } from 'vitest';
import { tellTexts } from '../../src/cli/status-tell.ts';
import { duration } from '../../src/cli/quantities-text.ts';
import type { StatusDocument } from '../../src/types/wire/status.ts';

type Told = Pick<StatusDocument, 'geodns' | 'webhooks'>;
const textsOf = (told: Told): readonly string[] => tellTexts(told as StatusDocument, duration);
const up = { state: 'up', regions: {}, services: { web: 'up' } } as const;
const one = {
  uplink: 'cmi',
  families: { '4': up, '6': up },
  held: null,
  reason: 'healthy',
  waitingSeconds: null,
  trouble: null,
};
const geodns = (more: object): Told => ({
  geodns: {
    url: 'https://a',
    epoch: 1,
    seq: 1,
    acknowledgedSeconds: 1,
    trouble: null,
    uplinks: [{ ...one, ...more }],
  },
});
const hook = (waiting: number, refused: number, trouble: string | null): Told => ({
  webhooks: [
    { name: 'chat', waiting, refused, waitingSeconds: waiting + refused === 0 ? null : 90, trouble },
  ],
});

test.each<[string, Told, readonly string[]]>([
  ['nothing is configured', {}, []],
  ['all is up and acknowledged', { ...geodns({}), ...hook(0, 0, null) }, []],
  [
    'one family is down and a region of the other',
    geodns({
      families: { '4': { ...up, state: 'down' }, '6': { ...up, regions: { ID: 'down' } } },
      reason: 'loss 34 %',
    }),
    ['GeoDNS cmi: IPv4 down; IPv6 up, ID down: loss 34 %'],
  ],
  [
    'it is not acknowledged',
    geodns({ waitingSeconds: 40, trouble: 'ECONNREFUSED' }),
    [`GeoDNS cmi: up (waits for ${duration(40)}: ECONNREFUSED): healthy`],
  ],
  [
    'a webhook refuses',
    hook(1, 2, 'HTTP 422: no'),
    [`webhook chat: 1 waiting, 2 refused for ${duration(90)}: HTTP 422: no`],
  ],
])('%s', (_name, told, texts) => {
  expect(textsOf(told)).toEqual(texts);
});
