/** Keeps the readiness of each service that has checks: the checks run beside the tick, which takes the facts as they stand. */
import { type CheckLoop, startCheckLoop } from '../host/ready/check-loop.ts';
import { openChecks, type RunCheck } from '../host/ready/run-check.ts';
import { checkName } from '../core/ready/check-name.ts';
import { combine, type CountedCheck, notRunTexts } from '../core/ready/combine.ts';
import { count, type ReadyCount, startCount } from '../core/ready/count.ts';
import type { Service } from '../types/config.ts';
import type { ReadinessFact } from '../types/readiness.ts';
import type { ReadyCheck } from '../types/ready-check.ts';
import { elapsed, type Instant } from '../types/units.ts';
import { unreachable } from '../types/unreachable.ts';
import type { ServiceStatus } from '../types/wire/status.ts';
import type { Alarm } from './alarms.ts';

export interface Readiness {
  /** By service; one without a check is not in it. */
  facts(): ReadonlyMap<string, ReadinessFact>;
  /** Of all services, in the config's order. */
  status(): readonly ServiceStatus[];
  alarms(): readonly Alarm[];
  /** After a reload: a check that did not change goes on, with all that it has counted. */
  use(services: readonly Service[]): void;
  stop(): void;
}

interface RunningCheck {
  /** Of a service: the same text is the same check. */
  readonly id: string;
  readonly check: ReadyCheck;
  readonly loop: CheckLoop;
  count: ReadyCount;
}

interface RunningService {
  readonly name: string;
  readonly checks: readonly RunningCheck[];
  fact: ReadinessFact | null;
}

/** Starts the checks of all services. `run` asks; the real one unless a test has another. */
export function startReadiness(
  config: { readonly services: readonly Service[] },
  now: () => Instant,
  run: RunCheck = openChecks(),
): Readiness {
  const start = (check: ReadyCheck, id: string, delayMillis: number): RunningCheck => {
    const running: RunningCheck = {
      id,
      check,
      count: startCount(now()),
      loop: startCheckLoop(
        check,
        run,
        (outcome) => {
          running.count = count(running.count, outcome, check, now());
        },
        delayMillis,
      ),
    };
    return running;
  };
  let services = serve(config.services, [], start);
  return {
    facts: () => new Map(services.flatMap((one) => factOf(one, now()))),
    status: () => services.map((one) => statusOf(one, now())),
    alarms: () => services.flatMap((one) => alarmsOf(one, now())),
    use(next) {
      const before = services;
      services = serve(next, before, start);
      const kept = new Set(services.flatMap(({ checks }) => checks));
      for (const one of before.flatMap(({ checks }) => checks)) if (!kept.has(one)) one.loop.stop();
    },
    stop() {
      for (const one of services.flatMap(({ checks }) => checks)) one.loop.stop();
    },
  };
}

function serve(
  wanted: readonly Service[],
  before: readonly RunningService[],
  start: (check: ReadyCheck, id: string, delayMillis: number) => RunningCheck,
): readonly RunningService[] {
  return wanted.map(({ name, ready }) => {
    const known = before.find((one) => one.name === name);
    const spare = [...(known?.checks ?? [])];
    const checks = ready.map((check, index) => {
      const id = JSON.stringify(check);
      const at = spare.findIndex((one) => one.id === id);
      const [found] = at < 0 ? [] : spare.splice(at, 1);
      // Checks of one service do not begin in the same moment.
      return found ?? start(check, id, (index * check.intervalMillis) / ready.length);
    });
    return { name, checks, fact: checks.length > 0 ? (known?.fact ?? null) : null };
  });
}

function counted({ checks }: RunningService): readonly CountedCheck[] {
  return checks.map((one) => ({ name: checkName(one.check.probe), count: one.count }));
}

function factOf(service: RunningService, now: Instant): readonly (readonly [string, ReadinessFact])[] {
  if (service.checks.length === 0) return [];
  service.fact = combine(counted(service), service.fact, now);
  return [[service.name, service.fact]];
}

function alarmsOf(service: RunningService, now: Instant): readonly Alarm[] {
  const [entry] = factOf(service, now);
  const [name, fact] = entry ?? [service.name, null];
  return [
    ...(fact?.state === 'not-ready' ? [{ code: 'not-ready', text: `${name}: ${fact.text}` } as const] : []),
    ...notRunTexts(name, counted(service)).map((text) => ({ code: 'check-not-run', text }) as const),
  ];
}

function statusOf(service: RunningService, now: Instant): ServiceStatus {
  const [entry] = factOf(service, now);
  const fact = entry?.[1] ?? null;
  return {
    service: service.name,
    readiness: fact?.state ?? 'no-check',
    text: fact?.text ?? 'it has no check, so it is always ready',
    sinceSeconds: fact === null ? null : Math.round(elapsed(fact.since, now) / 1000),
    checks: service.checks.map(({ check, count: counts }) => ({
      kind: check.probe.kind,
      name: checkName(check.probe),
      readiness: counts.state,
      text: counts.notRun?.text ?? counts.text ?? counts.because,
      counted: countedText(counts, check),
    })),
  };
}

/** How far it is from another state: `1 of 3 failures`; null: not at all. */
function countedText({ state, inRow, row }: ReadyCount, { rise, fall }: ReadyCheck): string | null {
  if (inRow === 0) return null;
  switch (state) {
    case 'ready':
      return `${inRow} of ${fall} failures`;
    case 'not-ready':
      return `${inRow} of ${rise} passes`;
    case 'unknown':
      return row === 'passes' ? `${inRow} of ${rise} passes` : `${inRow} of ${fall} failures`;
    default:
      return unreachable(state);
  }
}
