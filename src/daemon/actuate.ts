/** Carries out a plan's steps on BIRD's socket, and tells what came of each. Never throws for BIRD's faults. */
import { BirdError, type BirdClient } from '../../bird/client.ts';
import { disable, enable } from '../../bird/commands.ts';
import type { Step } from '../core/plan/plan.ts';

export interface StepResult {
  readonly step: Step;
  readonly effect: 'done' | 'already' | 'waits-for-file' | 'waits-for-return' | 'failed';
  readonly text: string;
}

/**
 * Returns wait for the file; withdrawals and drains do not, but a withdrawal waits for the returns of its group that
 * the plan put before it, since without them nothing might be left. After a fault of the connection the rest is left
 * to the next tick.
 */
export async function actuate(
  client: BirdClient,
  steps: readonly Step[],
  fileAsWished: boolean,
): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  const lacking = new Set<string>();
  for (const step of steps) {
    const result = await carryOut(client, step, fileAsWished, lacking);
    results.push(result);
    if (step.purpose === 'return' && result.effect !== 'done' && result.effect !== 'already')
      lacking.add(step.group);
    if (result.effect === 'failed' && isConnectionFault(result.text)) break;
  }
  return results;
}

async function carryOut(
  client: BirdClient,
  step: Step,
  fileAsWished: boolean,
  lacking: ReadonlySet<string>,
): Promise<StepResult> {
  if (step.purpose === 'return' && !fileAsWished) {
    return { step, effect: 'waits-for-file', text: 'a return never precedes its file' };
  }
  if (step.purpose === 'withdraw' && lacking.has(step.group)) {
    return { step, effect: 'waits-for-return', text: 'something better must be announced first' };
  }
  try {
    const send = step.command === 'enable' ? enable : disable;
    return { step, effect: await send(client, step.protocol, step.message), text: '' };
  } catch (error) {
    if (!(error instanceof BirdError)) throw error;
    return { step, effect: 'failed', text: `${error.code}: ${error.message}` };
  }
}

function isConnectionFault(text: string): boolean {
  return !text.startsWith('refused: ') && !text.startsWith('bad-command: ');
}
