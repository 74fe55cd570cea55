/** What a node tells reaches GeoDNS as it is in the end, whatever the network, the disks and the clocks do meanwhile. */
import { describe, expect } from 'vitest';
import { fc, test } from '../support/property.ts';
import { Receiver, randomOf, Sender, fair, type Weather } from '../support/geodns-delivery.ts';
import { VirtualTime } from '../support/virtual-time.ts';

/** 10,000 in the full run. */
const runs = process.env['CAUSEWAY_TEST_FULL'] === '1' ? 10_000 : 100;

const uplinks = ['cmi', 'pccw', 'hkbn'] as const;
const share = fc.constantFrom(0, 0, 0.1, 0.3, 0.6);
const weather: fc.Arbitrary<Weather> = fc.record({
  lost: share,
  doubled: share,
  late: share,
  refused: share,
  diskFails: fc.constantFrom(0, 0, 0, 0, 0.2, 0.7),
});
const act = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('tell' as const),
      uplink: fc.constantFrom(...uplinks),
      state: fc.constantFrom('up', 'drain', 'down'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('weather' as const), weather }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      /** Its disk is new afterwards. */
      loses: fc.integer({ min: 0, max: 2 }).map((one) => one === 0),
      /** Its wall clock jumps by so much. */
      jumpMillis: fc.constantFrom(0, 3_600_000, -3_600_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('receiver' as const), isUp: fc.boolean() }) },
);
const script = fc.record({
  seed: fc.integer(),
  endpoints: fc.constantFrom(1, 1, 2),
  weather,
  acts: fc.array(fc.record({ act, waitMillis: fc.constantFrom(0, 5, 150, 900, 3000, 12_000) }), {
    minLength: 1,
    maxLength: 25,
  }),
});

type Script = typeof script extends fc.Arbitrary<infer S> ? S : never;

interface Played {
  readonly sender: Sender;
  readonly receivers: readonly Receiver[];
  readonly truth: ReadonlyMap<string, string>;
}

async function play({ seed, endpoints, weather: first, acts }: Script): Promise<Played> {
  const time = new VirtualTime();
  const receivers = Array.from({ length: endpoints }, () => new Receiver(time.now));
  const sender = new Sender(time, randomOf(seed), receivers);
  const truth = new Map<string, 'up' | 'drain' | 'down'>();
  let version = 0;
  const tellAll = (): void => {
    for (const [uplink, state] of truth) {
      version += 1;
      sender.tell(uplink, state, version);
    }
  };
  sender.weather = first;
  const starting = sender.start();
  await time.runTo(time.now());
  await starting;
  for (const { act: one, waitMillis } of acts) {
    switch (one.kind) {
      case 'tell':
        version += 1;
        truth.set(one.uplink, one.state);
        sender.tell(one.uplink, one.state, version);
        break;
      case 'weather':
        sender.weather = one.weather;
        break;
      case 'receiver':
        for (const receiver of receivers) receiver.isUp = one.isUp;
        break;
      case 'kill': {
        const onDisk = sender.disk.entries.length;
        sender.kill();
        if (one.loses) sender.disk.entries = [];
        sender.wallOffsetMillis += one.jumpMillis;
        const again = sender.start();
        await time.runTo(time.now() + 1);
        await again;
        // Its first tick says what is so; one whose disk took everything would tell it by itself, too.
        if (one.loses || sender.weather.diskFails > 0 || onDisk === 0 || waitMillis > 0) tellAll();
        break;
      }
    }
    await time.runTo(time.now() + waitMillis);
  }
  sender.weather = fair;
  for (const receiver of receivers) receiver.isUp = true;
  // A level-triggered sender says it in each tick.
  for (let tick = 0; tick < 60; tick += 1) {
    tellAll();
    await time.runTo(time.now() + 1000);
  }
  sender.kill();
  return { sender, receivers, truth };
}

/**
 * What it cannot know it cannot tell in order: what it has on its way when its disk is gone and its clock runs back, and
 * what it told while its disk took nothing. Both heal with its first verdicts.
 */
function isForgetful({ weather: first, acts }: Script): boolean {
  const kills = acts.flatMap(({ act: one }) => (one.kind === 'kill' ? [one] : []));
  const weathers = [first, ...acts.flatMap(({ act: one }) => (one.kind === 'weather' ? [one.weather] : []))];
  const isSick = kills.length > 0 && weathers.some(({ diskFails }) => diskFails > 0);
  return isSick || (kills.some(({ loses }) => loses) && kills.some(({ jumpMillis }) => jumpMillis < 0));
}

describe('telling GeoDNS', () => {
  test.prop([script], { numRuns: runs })(
    'the receiver ends with the last state, an older one never wins, one request of a kind is on its way',
    async (given) => {
      const { sender, receivers, truth } = await play(given);
      // With several ways to it, the one in use has it.
      const wrong = receivers.map((one) =>
        [...truth].filter(([uplink, state]) => one.wordOf(uplink) !== state).map(([uplink]) => uplink),
      );
      expect(wrong).toContainEqual([]);
      if (!isForgetful(given))
        for (const { taken } of receivers)
          for (const versions of taken.values()) expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      expect(sender.mostFlying).toBeLessThanOrEqual(1);
    },
  );
});
