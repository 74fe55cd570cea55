/**
 * The edge hears after each tick what stands: it is computed here in some microseconds, and brought beside the ticks
 * (edge-delivery.ts). In observe mode nothing is written and nobody is told.
 */
import type { Logger } from 'pino';
import { type NodeFacts, nodeView, type UplinkWord } from '../core/edge-feed/node-view.ts';
import { noteOrigins, type OriginStreams, planOrigins, viewOrigin } from '../core/edge-feed/origins.ts';
import { edgeWord, type EdgeWord, type OtherNodes } from '../core/edge-feed/snapshot.ts';
import { edgeWords, toldIn, type WordFacts } from '../core/edge-feed/words.ts';
import type { DecideInput } from '../core/decide/decide.ts';
import type { NodeConfig } from '../types/config.ts';
import { announcementKey } from '../types/keys.ts';
import type { Sample } from '../types/outcome.ts';
import type { Instant } from '../types/units.ts';
import type { EdgeNodeView } from '../types/wire/node-to-edge.ts';
import type { EdgeStatus } from '../types/wire/edge-status.ts';
import type { Alarm } from './alarms.ts';
import { type Delivery, type EdgeDelivery, openDelivery, readBootFile } from './edge-delivery.ts';
import type { SettingsHolder } from './settings.ts';
import { seenOf } from './status-document.ts';
import type { TickReport } from './tick.ts';

export interface EdgeFeed {
  /** Outcomes of the origins' probes. */
  readonly samples: (samples: readonly Sample[]) => void;
  /** After each tick; `asked`: what it decided from. */
  after(report: TickReport, asked: DecideInput | null): void;
  /** This node as the edges of others see it; null: no edge is configured, or no tick has passed. */
  view(): EdgeNodeView | null;
  alarms(): readonly Alarm[];
  /** null: no edge is configured. */
  status(): EdgeStatus | null;
  close(): Promise<void>;
}

export interface EdgeFeedTools {
  readonly settings: SettingsHolder;
  readonly log: Logger;
  readonly now: () => Instant;
  /** What the fleet says of the other nodes; a node that stands alone has none, and that is known. */
  readonly others: () => OtherNodes;
}

/** The fleet of a node that has none. */
export const standsAlone: OtherNodes = { nodes: new Map(), read: true };

export async function openEdgeFeed(tools: EdgeFeedTools): Promise<EdgeFeed> {
  const { config } = tools.settings.now();
  const left = config.edge === null ? null : await readBootFile(config.paths.edge.file);
  const mine = left?.self === config.node.name ? left : null;
  return new Feeding(tools, mine);
}

class Feeding implements EdgeFeed {
  readonly #tools: EdgeFeedTools;
  readonly #delivery: EdgeDelivery;
  #origins: OriginStreams = new Map();
  #told: ReadonlyMap<string, UplinkWord>;
  #word: EdgeWord | null;
  #view: EdgeNodeView | null = null;
  #ups: ReadonlyMap<string, boolean> = new Map();
  /** As it was logged last. */
  #fileError: string | null = null;

  constructor(tools: EdgeFeedTools, left: Awaited<ReturnType<typeof readBootFile>>) {
    this.#tools = tools;
    this.#word = left;
    this.#told = left === null ? new Map() : toldIn(left);
    this.#delivery = openDelivery({
      paths: tools.settings.now().config.paths.edge,
      wallMillis: Date.now,
      monotonicMillis: tools.now,
      lastOrder: left,
      onDelivered: (delivery) => this.#logDelivery(delivery),
    });
    this.#plan();
    tools.settings.onChange(() => this.#plan());
  }

  readonly samples = (samples: readonly Sample[]): void => {
    const { edge } = this.#config();
    if (edge === null) return;
    this.#origins = noteOrigins(this.#origins, samples, edge.probe, this.#tools.now());
  };

  after(report: TickReport, asked: DecideInput | null): void {
    const config = this.#config();
    const { edge, uplinks, policy, node } = config;
    if (edge === null || asked === null) {
      this.#view = null;
      this.#delivery.offer(null);
      return;
    }
    const { health, wish } = report;
    this.#told = edgeWords({ wish, health, sessions: asked.sessions, ...seenIn(report) }, this.#told);
    const last = this.#view;
    const facts: NodeFacts = { edge, uplinks, policy, health, wish, told: this.#told, last };
    const view = nodeView(facts);
    this.#view = view;
    const carriers = new Map(uplinks.map(({ name, carrier }) => [name, carrier]));
    const word = edgeWord(
      {
        self: node.name,
        edge,
        view,
        others: this.#tools.others(),
        origins: this.#origins,
        carriers,
        now: this.#tools.now(),
      },
      this.#word,
    );
    this.#word = word;
    this.#logOrigins(word);
    this.#delivery.offer(config.mode === 'live' ? word : null);
  }

  view(): EdgeNodeView | null {
    return this.#view;
  }

  alarms(): readonly Alarm[] {
    const config = this.#config();
    const delivery = this.#delivery.last();
    if (config.edge === null || config.mode !== 'live' || delivery === null) return [];
    const { socket, file } = config.paths.edge;
    const { failing, push, fileError } = delivery;
    const away = failing !== null && this.#tools.now() - failing.sinceMillis > config.edge.ttlMillis;
    const stale = 'the edge redirects nobody until it is told again';
    return [
      ...(away ? [{ code: 'edge-behind', text: `${socket}: ${whyOf(push)}; ${stale}` } as const] : []),
      ...(fileError === null
        ? []
        : [{ code: 'edge-behind', text: `${file} cannot be written: ${fileError}` } as const]),
    ];
  }

  status(): EdgeStatus | null {
    const { edge } = this.#config();
    if (edge === null) return null;
    const word = this.#word;
    const now = this.#tools.now();
    const told = this.#delivery.last();
    return {
      host: edge.host,
      accepting: this.#view?.accepting ?? null,
      nodesActive: word?.nodesActive ?? null,
      told:
        told === null ? null : { ...told.order, at: told.at, result: told.push.kind, text: whyOf(told.push) },
      origins: edge.pools.flatMap(({ name, origins }) =>
        origins.map((origin) => {
          const { address, port } = origin;
          const up = upIn(word, name, address, port);
          return { pool: name, address, port, up, via: [...viewOrigin(this.#origins, origin, now)] };
        }),
      ),
    };
  }

  async close(): Promise<void> {
    await this.#delivery.close();
  }

  #config(): NodeConfig {
    return this.#tools.settings.now().config;
  }

  #plan(): void {
    const { config, tasks } = this.#tools.settings.now();
    if (config.edge === null) this.#word = null;
    this.#origins = planOrigins(tasks, this.#origins, this.#tools.now());
  }

  #logDelivery({ push, failing, fileError }: Delivery): void {
    if (failing?.times === 1) this.#tools.log.warn({ why: whyOf(push) }, 'edge not told');
    if (fileError !== null && fileError !== this.#fileError)
      this.#tools.log.warn({ why: fileError }, 'edge file not written');
    this.#fileError = fileError;
  }

  #logOrigins({ origins }: EdgeWord): void {
    const ups = new Map<string, boolean>();
    for (const [pool, list] of Object.entries(origins ?? {})) {
      for (const { address, port, up } of list) ups.set(`${pool} ${address} ${port}`, up);
    }
    for (const [origin, up] of ups) {
      if ((this.#ups.get(origin) ?? true) !== up)
        this.#tools.log.info({ origin, from: up ? 'down' : 'up', to: up ? 'up' : 'down' }, 'origin changed');
    }
    this.#ups = ups;
  }
}

function seenIn({ view, wish }: TickReport): Pick<WordFacts, 'seen' | 'birdSeen'> {
  const bird = view.kind === 'seen' ? view : null;
  const seen = wish.announcements.map((one) => {
    return [announcementKey(one.uplink, one.service, one.family), seenOf(one, bird)] as const;
  });
  return { seen: new Map(seen), birdSeen: bird !== null };
}

function upIn(word: EdgeWord | null, pool: string, address: string, port: number): boolean | null {
  const found = word?.origins?.[pool]?.find((one) => one.address === address && one.port === port);
  return found?.up ?? null;
}

function whyOf(push: Delivery['push']): string {
  switch (push.kind) {
    case 'taken':
      return 'taken';
    case 'older':
      return `it holds a newer word, epoch ${push.newest.epoch}`;
    case 'refused':
      return `refused with ${push.status}: ${push.why}`;
    case 'unreachable':
      return push.why;
  }
}
