/** What is wrong, worst first, by what the service says. Needs no browser. */
import { duration } from '../../../src/http/page/browser/format.ts';
import type { GeoDnsSites, GeoDnsState } from '../../../src/types/wire/geodns-answers.ts';
import type { english } from './words.en.ts';

type Words = typeof english;

export interface Trouble {
  readonly level: 'act' | 'watch';
  readonly text: string;
}

/** A site that is behind for this long is told of; a push takes tens of milliseconds. */
const lateSeconds = 5;

export function troublesOf(
  state: GeoDnsState | null,
  sites: GeoDnsSites | null,
  words: Words,
): readonly Trouble[] {
  const found = [
    ...(sites === null ? [] : troublesOfSites(sites, words)),
    ...(state === null ? [] : alarmsOf(state, words)),
  ];
  return [...found.filter(({ level }) => level === 'act'), ...found.filter(({ level }) => level === 'watch')];
}

function troublesOfSites(
  { kind, error, sites, verification }: GeoDnsSites,
  words: Words,
): readonly Trouble[] {
  const wrong = verification?.wrong ?? [];
  return [
    ...(kind === 'fenced' ? [act(words.fenced)] : []),
    ...(kind === 'failing' ? [act(words.pushFails(error ?? ''))] : []),
    ...sites.flatMap((site) => {
      const { name, behind, behindSeconds, error: why } = site;
      const late = behind > 0 && (behindSeconds ?? Infinity) >= lateSeconds;
      const length = behindSeconds === null ? '–' : duration(behindSeconds);
      return [
        ...(late ? [act(words.siteBehind(name, behind, length))] : []),
        ...(why === null ? [] : [watch(words.siteError(name, why))]),
      ];
    }),
    ...(wrong.length === 0
      ? []
      : [
          act(
            `${words.wrongAnswers(wrong.length, verification?.asked ?? 0)} ${wrong.slice(0, 3).join('; ')}`,
          ),
        ]),
  ];
}

function alarmsOf({ alarms }: GeoDnsState, words: Words): readonly Trouble[] {
  return [
    ...alarms.degraded.map(({ policy, rule, family, country, level }) => {
      const text = words.degraded(policy, rule, family, country ?? '', level);
      return level === 'fail-open' || level === 'all-down' ? act(text) : watch(text);
    }),
    ...alarms.held.map((what) => act(words.held(what))),
    ...alarms.silentNodes.map((node) => watch(words.silent(node))),
    ...alarms.oldDatabases.map((path) => watch(words.oldDatabase(path))),
    ...[...alarms.databases, ...alarms.halvedShares].map(watch),
    ...alarms.unknownRegions.map((region) => watch(words.unknownRegion(region))),
  ];
}

const act = (text: string): Trouble => ({ level: 'act', text });
const watch = (text: string): Trouble => ({ level: 'watch', text });
