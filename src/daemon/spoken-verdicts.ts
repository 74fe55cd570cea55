/** The transitions of one tick in words, each with the verdict that it led to. */
import type { Evidence, Transition, UplinkHealth, Verdict, VerdictSubject } from '../types/health.ts';
import type { Narrator, VerdictChange } from './narrator.ts';

/** Tells each transition to the narrator, with its evidence. `at` is wall time in ISO 8601. */
export function speakVerdicts(
  narrator: Narrator,
  health: readonly UplinkHealth[],
  transitions: readonly Transition[],
  at: string,
): void {
  for (const change of transitions) narrator.verdict(spokenChange(change), evidenceOf(health, change), at);
}

function spokenChange({ subject, ...change }: Transition): VerdictChange {
  return { ...change, subject: spokenSubject(subject) };
}

function evidenceOf(health: readonly UplinkHealth[], change: Transition): Evidence | null {
  return verdictOf(health, change)?.evidence ?? null;
}

function verdictOf(health: readonly UplinkHealth[], { uplink, family, subject }: Transition): Verdict | null {
  const found = health.find((one) => one.uplink === uplink && one.family === family);
  switch (subject.kind) {
    case 'uplink':
      return found?.uplinkVerdict ?? null;
    case 'gateway':
      return found?.gateway ?? null;
    case 'region':
      return found?.regions.get(subject.region) ?? null;
    case 'target':
      return found?.targets.get(subject.target) ?? null;
  }
}

function spokenSubject(subject: VerdictSubject): string {
  switch (subject.kind) {
    case 'uplink':
    case 'gateway':
      return subject.kind;
    case 'region':
      return `region ${subject.region}`;
    case 'target':
      return `target ${subject.target}`;
  }
}
