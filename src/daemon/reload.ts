/**
 * SIGHUP and `causeway reload`: the new file is validated whole. A bad file leaves the running config in force, with an
 * alarm until a good one is read.
 */
import { type ConfigDifference, differenceText } from '../config/difference.ts';
import { loadConfig } from '../config/load.ts';
import type { NodeConfig } from '../types/config.ts';
import type { OperatorAnswer, ReloadRequest } from '../types/wire/operator.ts';
import type { Alarm } from './alarms.ts';
import { type LiveConfig, liveConfig } from './live-config.ts';
import { done, type OperatorResult, refused } from './operator-scene.ts';
import type { OperatorWords } from './operator-words.ts';
import type { SettingsHolder } from './settings.ts';

export interface Reloader {
  /** Call it between two ticks. */
  reload(request: ReloadRequest): Promise<OperatorResult>;
  /** After an apply: what of the whole config still waits for something. */
  review(config: NodeConfig): void;
  alarms(): readonly Alarm[];
}

/** `file`: null where the daemon was started without one (tests). */
export function openReloader(file: string | null, settings: SettingsHolder, words: OperatorWords): Reloader {
  let trouble: readonly Alarm[] = [];
  return {
    async reload({ author, dryRun }) {
      if (file === null) return refused(409, 'the daemon was started without a config file');
      const loaded = await loadConfig(file);
      if (loaded.kind === 'bad') {
        const text = loaded.problems.map((problem) => problem.text).join('\n');
        if (!dryRun) {
          trouble = [
            { code: 'reload-refused', text: `the running config stays in force: ${firstLine(text)}` },
          ];
          words.reload('refused', author, text.replaceAll('\n', '; '));
        }
        return refused(409, `the running config stays in force:\n${text}`);
      }
      const live = liveConfig(settings.now().config, loaded.config);
      const notes = notesOf(live);
      if (!dryRun) {
        trouble = waitingAlarms(live);
        if (live.taken.length > 0) settings.take(live.config);
        words.reload('taken', author, notes.map((note) => note.trim()).join(' '));
      }
      return done(answerOf(!dryRun, [...notes, ...loaded.warnings.map(({ text }) => `warning: ${text}`)]));
    },
    review(config) {
      trouble = waitingAlarms(liveConfig(settings.now().config, config));
    },
    alarms: () => trouble,
  };
}

function notesOf({ taken, waitsForApply, waitsForRestart }: LiveConfig): readonly string[] {
  const under = (title: string, differences: readonly ConfigDifference[]): readonly string[] =>
    differences.length === 0 ? [] : [title, ...differences.map((one) => `  ${differenceText(one)}`)];
  const notes = [
    ...under('taken, without touching BIRD:', taken),
    ...under("these change BIRD's text and wait for `causeway apply`:", waitsForApply),
    ...under('these are read at a start and wait for a restart of the daemon:', waitsForRestart),
  ];
  return notes.length === 0 ? ['nothing differs from the running config'] : notes;
}

function waitingAlarms({ waitsForApply, waitsForRestart }: LiveConfig): readonly Alarm[] {
  const alarm = (differences: readonly ConfigDifference[], what: string): readonly Alarm[] => {
    if (differences.length === 0) return [];
    const paths = differences.slice(0, 4).map(({ path }) => path);
    const more = differences.length > paths.length ? ', …' : '';
    return [{ code: 'config-waits', text: `${paths.join(', ')}${more} of the file ${what}` }];
  };
  return [
    ...alarm(waitsForApply, 'wait for `causeway apply`'),
    ...alarm(waitsForRestart, 'wait for a restart of the daemon'),
  ];
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}

function answerOf(isDone: boolean, notes: readonly string[]): OperatorAnswer {
  return { schema: 1, done: isDone, changes: [], begun: [], ended: [], notes };
}
