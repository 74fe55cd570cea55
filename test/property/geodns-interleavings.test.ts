/**
 * Removals, returns, repetitions, old orders, restarts and kills in any order, over the real service with a real journal
 * file: what was acknowledged is never lost, the revision only grows, no answer is empty, and in the end everybody is
 * answered as an independent computation says. (10,000 of them in the full run.)
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { parseAddress } from '../../geodns/address.ts';
import { mmdbOf, geoLookup } from '../../geodns/mmdb/geo.ts';
import { renderZone, type RenderedZone } from '../../geodns/render/zone.ts';
import { plainReport } from '../../geodns/service/messages.ts';
import { GeoDnsService } from '../../geodns/service/service.ts';
import { openStateStore } from '../../geodns/service/store.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { compareOrder, type Order } from '../../src/types/wire/common.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { labNetworks, labNetworksText, labRulesText, value } from '../support/geodns.ts';
import { oracleOf } from '../support/geodns-oracle.ts';
import { fc, test } from '../support/property.ts';

const isFull = process.env['CAUSEWAY_TEST_FULL'] === '1';
const runs = isFull ? 10_000 : 30;
/** In memory, so that ten thousand journals wear no disk. */
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'causeway-interleave-'));
afterAll(() => rmSync(folder, { recursive: true }));

const world = worldMmdbs();
const lookup = geoLookup(mmdbOf('asn', world.asn, 'asn'), mmdbOf('country', world.country, 'country'));
const oracle = oracleOf(labRulesText, labNetworksText, world.asn, world.country);
const targets = ['hk1/cmi', 'hk1/pccw', 'hk1/hkbn', 'hk2/cmi', 'sg1/multi'] as const;
/** The guard against mass removal has tests of its own; here every word counts. */
const rulesText = labRulesText.replace('max_removed: 50%', 'max_removed: 100%');
const rules = value(loadRules('rules.yaml', rulesText, labNetworks));
const users = ['120.196.1.1', '36.96.1.1', '175.136.1.1', '14.160.1.1', '87.128.1.1', '112.198.1.1'];
const stepMillis = 1000;

const target = fc.constantFrom(...targets);
const state = fc.constantFrom('up' as const, 'down' as const);
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('tell' as const), target, state }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat' as const), which: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('new-epoch' as const), target }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      /** Told when it dies, so that nobody knows whether it was heard. */
      unheard: fc.array(fc.record({ target, state }), { maxLength: 3 }),
      /** How much of what was being written is on the disk. */
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

interface Message {
  readonly target: (typeof targets)[number];
  readonly state: 'up' | 'down';
  readonly order: Order;
}

let worlds = 0;

/** One service and its successors, with what its nodes have told. */
class World {
  private readonly name: string;
  private lives = 0;
  private now = 1e12;
  private zone: RenderedZone | null = null;
  private service: GeoDnsService | null = null;
  private readonly orders = new Map<string, Order>();
  private readonly acknowledged = new Map<string, Order>();
  readonly told: Message[] = [];

  constructor() {
    worlds += 1;
    this.name = join(folder, `w${worlds}`);
  }

  private journal(): string {
    return `${this.name}-${this.lives}.journal`;
  }

  async start(): Promise<void> {
    const service = new GeoDnsService({
      rules,
      networks: labNetworks,
      lookup,
      databases: [],
      store: await openStateStore(this.journal()),
      publisher: { want: (zone) => this.see(zone), settled: async () => true },
      nowMillis: () => this.now,
      revisionAbove: this.zone?.revision ?? 0,
      writer: '',
    });
    this.service = service;
    await service.start();
  }

  private see(zone: RenderedZone): void {
    expect(zone.revision).toBeGreaterThan(this.zone?.revision ?? 0);
    this.zone = zone;
  }

  async play(one: Act): Promise<void> {
    this.now += stepMillis;
    switch (one.kind) {
      case 'tell':
        await this.send(this.newest(one.target, one.state));
        break;
      case 'repeat': {
        const old = this.told[one.which % Math.max(1, this.told.length)];
        if (old !== undefined) await this.send(old);
        break;
      }
      case 'new-epoch': {
        const { epoch } = this.orders.get(one.target) ?? { epoch: 0 };
        this.orders.set(one.target, { epoch: epoch + 1, seq: 0 });
        break;
      }
      case 'restart':
        await this.service?.stop();
        await this.start();
        break;
      case 'kill':
        await this.kill(one.unheard, one.share);
        break;
    }
    for (const [name, order] of this.acknowledged) {
      const stands = this.service?.parts.store.state().records.get(name)?.order ?? { epoch: 0, seq: 0 };
      expect(compareOrder(stands, order)).toBeGreaterThanOrEqual(0);
    }
  }

  private newest(name: Message['target'], to: Message['state']): Message {
    const before = this.orders.get(name) ?? { epoch: 1, seq: 0 };
    const order = { epoch: before.epoch, seq: before.seq + 1 };
    this.orders.set(name, order);
    const message = { target: name, state: to, order };
    this.told.push(message);
    return message;
  }

  private async send({ target: name, state: to, order }: Message): Promise<void> {
    const [node = '', uplink = ''] = name.split('/');
    const report = plainReport(uplink, to, 'loss', order, null);
    const heard = (await this.service?.hear(node, new Map([[uplink, report]]))) ?? [];
    const [first] = heard;
    const before = this.acknowledged.get(name) ?? { epoch: 0, seq: 0 };
    if (first?.answer !== 'accepted' && first?.answer !== 'replay') return;
    if (compareOrder(order, before) > 0) this.acknowledged.set(name, order);
  }

  /** The process is gone at once; of what it was writing, a part is on the disk. */
  private async kill(
    unheard: readonly { readonly target: Message['target']; readonly state: Message['state'] }[],
    share: number,
  ): Promise<void> {
    const dead = this.service;
    const path = this.journal();
    const sure = statSync(path).size;
    const known = new Map(this.acknowledged);
    await Promise.all(unheard.map((one) => this.send(this.newest(one.target, one.state))));
    // What its callers never heard is not known to have been heard.
    this.acknowledged.clear();
    for (const [name, order] of known) this.acknowledged.set(name, order);
    const written = statSync(path).size;
    this.lives += 1;
    copyFileSync(path, this.journal());
    truncateSync(this.journal(), sure + Math.round((written - sure) * share));
    await dead?.stop();
    rmSync(path);
    await this.start();
  }

  /** All nodes repeat their newest until it is acknowledged. */
  async end(): Promise<void> {
    for (const name of targets) {
      const newest = this.newestOf(name);
      if (newest !== undefined) await this.send(newest);
    }
  }

  private newestOf(name: string): Message | undefined {
    return this.told
      .filter((one) => one.target === name)
      .toSorted((a, b) => compareOrder(a.order, b.order))
      .at(-1);
  }

  /** Sentences; none when all is right. */
  faults(): readonly string[] {
    const { service, zone } = this;
    if (service === null || zone === null) return ['nothing was published'];
    const dead = new Set(targets.filter((name) => this.newestOf(name)?.state === 'down'));
    const wrong = users.flatMap((user) =>
      ([4, 6] as const).flatMap((family) => {
        const address = parseAddress(user);
        const decision = address && service.decide('www.geo.test', address, family);
        const answer = decision?.answer;
        const got = answer?.kind === 'all' ? answer.addresses : answer?.choices.map((one) => one.address);
        const expected = oracle('www', family, user, user, dead).addresses;
        return [...(got ?? [])].sort().join() === [...expected].sort().join()
          ? []
          : [`${user}: ${got?.join()}, expected ${expected.join()}`];
      }),
    );
    const rendered = renderZone(service.view(), labNetworks, zone.revision);
    const isSame = JSON.stringify(rendered.rrsets) === JSON.stringify(zone.rrsets);
    return isSame ? wrong : [...wrong, 'the published zone is not that of the state'];
  }

  async close(): Promise<void> {
    await this.service?.stop();
    rmSync(this.journal());
  }
}

describe('interleavings', () => {
  test.prop([fc.array(act, { minLength: 1, maxLength: 14 })], { numRuns: runs })(
    'of removals, returns, repetitions, restarts and kills end in the right state',
    async (acts) => {
      const one = new World();
      await one.start();
      try {
        for (const each of acts) await one.play(each);
        await one.end();
        expect(one.faults()).toEqual([]);
      } finally {
        await one.close();
      }
    },
  );
});
