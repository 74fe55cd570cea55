/** What `ss -ti` says of TCP that is bound to an uplink's source. */
import { describe, expect, test } from 'vitest';
import { readSockets, watchRetransmissions } from '../../src/host/retransmissions.ts';

const line = (local: string, peer: string, sent: number, again: number): string =>
  `0      0      ${local}      ${peer}      cubic wscale:7,7 rto:204 rtt:0.05/0.02 mss:1448 bytes_sent:${sent} bytes_retrans:${again} bytes_acked:${sent} segs_out:9 retrans:0/3`;

function watchOf(looks: readonly string[], samples = 12) {
  const asked: (readonly string[])[] = [];
  const left = [...looks];
  const watch = watchRetransmissions(['192.0.2.2', '2001:db8::2'], samples, (argv) => {
    asked.push(argv);
    const text = left.shift();
    return text === undefined ? Promise.reject(new Error('ENOENT')) : Promise.resolve(text);
  });
  return { watch, asked };
}

test('the kernel is asked for sockets of these sources alone', async () => {
  const { watch, asked } = watchOf(['']);
  await watch.sample();
  expect(asked[0]?.at(-1)).toBe('( src 192.0.2.2 or src [2001:db8::2] )');
});

test('a line without counters, and what is no socket, count nothing', () => {
  const text = '0 0 192.0.2.2:179 192.0.2.1:40000 cubic rto:204\nState Recv-Q\n\n';
  expect([...readSockets(text)]).toEqual([['192.0.2.2:179 192.0.2.1:40000', { sent: 0, retransmitted: 0 }]]);
});

describe('the share of a source', () => {
  const first = line('192.0.2.2:179', '192.0.2.1:40000', 1_000_000, 900_000);

  test('is of what was sent between the looks, by new sockets too', async () => {
    const next = [
      line('192.0.2.2:179', '192.0.2.1:40000', 1_040_000, 902_000),
      line('192.0.2.2:5555', '198.51.100.7:443', 60_000, 3000),
      line('[2001:db8::2]:5556', '[2001:db8:9::7]:443', 20_000, 0),
    ].join('\n');
    const { watch } = watchOf([first, next]);
    await watch.sample();
    expect(watch.share('192.0.2.2')).toBe(null);
    await watch.sample();
    expect(watch.share('192.0.2.2')).toEqual({ sent: 100_000, retransmitted: 5000 });
    expect(watch.share('2001:db8::2')).toEqual({ sent: 20_000, retransmitted: 0 });
  });

  test('takes a new connection on the same ports for what it is', async () => {
    const { watch } = watchOf([first, line('192.0.2.2:179', '192.0.2.1:40000', 50_000, 100)]);
    await watch.sample();
    await watch.sample();
    expect(watch.share('192.0.2.2')).toEqual({ sent: 50_000, retransmitted: 100 });
  });

  test('is unknown for little traffic, after its minute, and while nothing can be read', async () => {
    const little = line('192.0.2.2:179', '192.0.2.1:40000', 1_009_000, 900_000);
    const more = line('192.0.2.2:179', '192.0.2.1:40000', 1_109_000, 900_500);
    const { watch } = watchOf([first, little, more, more, more], 2);
    const shares = [];
    for (let look = 0; look < 6; look += 1) {
      await watch.sample();
      shares.push(watch.share('192.0.2.2')?.sent ?? null);
    }
    expect(shares).toEqual([null, null, 109_000, 100_000, null, null]);
  });
});
