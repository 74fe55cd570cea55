/** Facts of the host for each uplink: is the link there, do its probes leave by it. Followed beside the tick. */
import type { LinkWatch } from '../host/links.ts';
import { watchLinks } from '../host/links.ts';
import { checkRouting } from '../host/routing-check.ts';
import type { NodeConfig } from '../types/config.ts';
import type { LinkFact } from '../types/health.ts';
import { uplinkKey } from '../types/keys.ts';
import type { LinkView, RouteFact } from '../types/link-view.ts';
import { messageOf } from '../types/message-of.ts';
import type { Outcome, ProbeTask, Sample } from '../types/outcome.ts';
import type { Alarm } from './alarms.ts';

export interface HostFacts {
  /** By uplink name; empty until the links were read. */
  links(): ReadonlyMap<string, LinkFact>;
  /** A probe that does not leave by its own uplink says nothing about it: its outcome becomes `not-run`. */
  honest(samples: readonly Sample[]): readonly Sample[];
  alarms(): readonly Alarm[];
  /** Another config: its uplinks and tasks from now on. */
  use(config: NodeConfig, tasks: readonly ProbeTask[]): void;
  stop(): void;
}

export interface HostOptions {
  readonly config: NodeConfig;
  readonly tasks: readonly ProbeTask[];
  readonly onLinkChange: () => void;
  readonly onTrouble: (text: string) => void;
}

export function followHost({ config, tasks, onLinkChange, onTrouble }: HostOptions): HostFacts {
  let current = config;
  let keys = keysOf(tasks);
  const routes = new Map<string, RouteFact>();
  let seen: LinkView | null = null;
  let checking = false;
  let again = false;
  const check = async (): Promise<void> => {
    again = checking;
    if (checking) return;
    checking = true;
    try {
      for (const fact of await checkRouting(current)) routes.set(uplinkKey(fact.uplink, fact.family), fact);
    } catch (error) {
      onTrouble(`policy routing cannot be checked: ${messageOf(error)}`);
    }
    checking = false;
    if (again) void check();
  };
  const watch: LinkWatch = watchLinks({
    onChange: (view) => {
      seen = view;
      onLinkChange();
    },
    onEvent: () => void check(),
    onTrouble,
  });
  return {
    links: () => (seen === null ? new Map() : linkFacts(current, seen)),
    honest: (samples) =>
      samples.map((sample) => honestSample(sample, routes.get(keys.get(sample.task) ?? ''))),
    alarms: () => [...routes.values()].flatMap((fact) => routeAlarm(fact)),
    use(next, probed) {
      current = next;
      keys = keysOf(probed);
      const names = new Set(next.uplinks.map(({ name }) => name));
      for (const [key, { uplink }] of routes) if (!names.has(uplink)) routes.delete(key);
      void check();
    },
    stop: () => watch.stop(),
  };
}

function keysOf(tasks: readonly ProbeTask[]): ReadonlyMap<number, string> {
  return new Map(tasks.map((task) => [task.id, uplinkKey(task.uplink, task.family)]));
}

function linkFacts(config: NodeConfig, view: LinkView): ReadonlyMap<string, LinkFact> {
  return new Map(
    config.uplinks.map(({ name, interface: device }) => {
      const link = view.links.get(device);
      return [name, link === undefined ? 'missing' : link.up ? 'up' : 'down'];
    }),
  );
}

function honestSample(sample: Sample, fact: RouteFact | undefined): Sample {
  if (fact?.kind !== 'wrong' || sample.outcome.kind === 'not-run') return sample;
  const outcome: Outcome = { kind: 'not-run', why: fact.why };
  return { ...sample, outcome };
}

function routeAlarm(fact: RouteFact): readonly Alarm[] {
  if (fact.kind === 'ok') return [];
  return [{ code: 'routing-wrong', text: `${fact.uplink} IPv${fact.family}: ${fact.text}; ${fact.mend}` }];
}
