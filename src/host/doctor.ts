/** The frame of `causeway doctor`: checks one after the other, each with one finding that says what, why and how to mend it. */
import { messageOf } from '../types/message-of.ts';
import { type FindingCode, findingCodes } from './finding-codes.ts';

export type Finding =
  | { readonly kind: 'ok'; readonly text: string }
  /** Could not be looked at, because of something that another finding names. */
  | { readonly kind: 'skipped'; readonly text: string }
  | {
      /** wrong: the node cannot do its work; warning: it can, but not as well or not for long. */
      readonly kind: 'wrong' | 'warning';
      readonly code: FindingCode;
      /** What was found. */
      readonly what: string;
      /** Why it matters. */
      readonly why: string;
      /** The exact command, or the line to change. */
      readonly mend: string;
    };

export interface Check<Context> {
  /** Stable, for scripts: `rp-filter.cmi`. */
  readonly id: string;
  /** For people: `reverse-path filter of eth1`. */
  readonly title: string;
  readonly run: (context: Context) => Promise<Finding>;
}

export interface Examined {
  readonly id: string;
  readonly title: string;
  readonly finding: Finding;
}

/** A finding with the level of its code. */
export function finding(
  code: FindingCode,
  { what, why, mend }: { readonly what: string; readonly why: string; readonly mend: string },
): Finding {
  return { kind: findingCodes[code].level, code, what, why, mend };
}

/** Runs all checks in their order. One that throws is wrong itself and does not stop the others. */
export async function examine<Context>(
  checks: readonly Check<Context>[],
  context: Context,
): Promise<readonly Examined[]> {
  const results: Examined[] = [];
  for (const { id, title, run } of checks) {
    results.push({ id, title, finding: await run(context).catch(unableFinding) });
  }
  return results;
}

/** Nothing is wrong; warnings are not wrong. */
export function isSound(results: readonly Examined[]): boolean {
  return results.every((result) => result.finding.kind !== 'wrong');
}

function unableFinding(error: unknown): Finding {
  return finding('check-broken', {
    what: messageOf(error),
    why: 'this could not be looked at, so nothing is known about it',
    mend: 'mend what the message names, then run `causeway doctor` again',
  });
}
