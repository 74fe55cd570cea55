/** Reading BIRD's state whole: what counts as one and the same run of it. */
import { expect, test } from 'vitest';
import type { BirdClient } from '../../bird/client.ts';
import { createReader, type Reply } from '../../bird/codec.ts';
import { readBird } from '../../bird/read.ts';
import { instant } from '../../src/types/units.ts';

function replyOf(lines: readonly string[]): Reply {
  const [frame] = createReader().push(Buffer.from(`${lines.join('\n')}\n`));
  if (frame?.kind !== 'reply') throw new Error('no reply');
  return frame.reply;
}

/** A BIRD whose `show status` gives these times of its last reconfiguration, one after the other and round again. */
function birdWith(configured: readonly string[]): BirdClient {
  let asked = 0;
  return {
    version: '2.0.12',
    close: () => undefined,
    async command(text) {
      if (text !== 'show status') return replyOf(['2002-Name Proto Table State Since Info', '0000 ']);
      const at = configured[asked % configured.length] ?? '';
      asked += 1;
      return replyOf([
        '1000-BIRD 2.0.12',
        '1011-Router ID is 10.0.0.1',
        ' Current server time is 2026-11-30 01:14:09.493',
        ' Last reboot on 2026-11-30 01:13:28.228',
        ` Last reconfiguration on 2026-11-30 01:14:${at}`,
        '0013 Daemon is up and running',
      ]);
    },
  };
}

test.each([
  ['one that stays', ['08.992', '08.992'], 'seen'],
  ['one that wavers by the millisecond of its rounding', ['08.992', '08.993'], 'seen'],
  ['one that goes on each time', ['08.992', '08.999'], 'unreachable'],
] as const)('a time of the last reconfiguration: %s', async (_which, times, kind) => {
  expect((await readBird(birdWith(times), 'bird.ctl', () => instant(1))).kind).toBe(kind);
});
