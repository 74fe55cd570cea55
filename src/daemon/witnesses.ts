/** Who watches the ticks without changing them: the recorder with its files, and the shadow policy. */
import { join } from 'node:path';
import { explainConfig } from '../config/explain.ts';
import type { RecordingSource } from '../types/recording.ts';
import type { ShadowStatus } from '../types/wire/status.ts';
import type { Alarm } from './alarms.ts';
import { monotonicNow, wallTimeNow } from './clock.ts';
import { startRecorder } from './recorder.ts';
import { type RecordingFiles, recordingFolder, recordToFiles } from './recording-files.ts';
import type { SettingsHolder } from './settings.ts';
import { startShadow } from './shadow.ts';
import type { TickWitness } from './tick-witness.ts';

export interface Witnesses extends RecordingSource {
  readonly all: readonly TickWitness[];
  alarms(): readonly Alarm[];
  shadow(): ShadowStatus | null;
  /** Puts what was gathered on the disk. */
  close(): Promise<void>;
}

export function openWitnesses(settings: SettingsHolder): Witnesses {
  const setup = () => {
    const { config, tasks } = settings.now();
    return { config: explainConfig(config), tasks };
  };
  const recorder = startRecorder({ node: settings.now().config.node.name, setup, wallTime: wallTimeNow });
  const shadow = startShadow(() => settings.now(), wallTimeNow);
  let files: { readonly sink: RecordingFiles; readonly end: () => Promise<void> } | null = null;
  const begin = (): void => {
    const { record, paths } = settings.now().config;
    if (record === null) return;
    const folder = join(paths.state, recordingFolder);
    const sink = recordToFiles({ ...record, folder, now: monotonicNow, wallMillis: Date.now });
    const end = recorder.record(sink);
    files = { sink, end: async () => end().then(() => sink.written()) };
  };
  begin();
  settings.onChange(({ config }, before) => {
    recorder.changed();
    shadow.changed();
    if (config.record?.sizeBytes === before.config.record?.sizeBytes) return;
    void files?.end();
    files = null;
    begin();
  });
  return {
    all: [recorder, shadow],
    record: (sink) => recorder.record(sink),
    alarms: () => files?.sink.alarms() ?? [],
    shadow: () => shadow.status(),
    close: async () => files?.end(),
  };
}
