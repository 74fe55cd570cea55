/** The config in force and what follows from it. A reload replaces it between two ticks. */
import { tasksOf } from '../core/probe-tasks.ts';
import type { NodeConfig } from '../types/config.ts';
import type { ProbeTask } from '../types/outcome.ts';
import { type Millis, millis } from '../types/units.ts';

export interface Settings {
  readonly config: NodeConfig;
  readonly tasks: readonly ProbeTask[];
  /** How long a failed uplink waits for the others: patience + timeout + 1 s, of the slowest probes. */
  readonly waitMillis: Millis;
}

export interface SettingsHolder {
  now(): Settings;
  /** Takes another config; everybody who asked is told. Call it between two ticks. */
  take(config: NodeConfig): void;
  onChange(listener: (settings: Settings, before: Settings) => void): void;
}

export function holdSettings(config: NodeConfig): SettingsHolder {
  let settings = settingsOf(config);
  const listeners: ((settings: Settings, before: Settings) => void)[] = [];
  return {
    now: () => settings,
    take(next) {
      const before = settings;
      settings = settingsOf(next);
      for (const listener of listeners) listener(settings, before);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

function settingsOf(config: NodeConfig): Settings {
  const timeout = Math.max(...config.uplinks.map((uplink) => uplink.probe.timeoutMillis));
  const waitMillis = millis(config.policy.patienceMillis + timeout + 1000);
  return { config, tasks: tasksOf(config), waitMillis };
}
