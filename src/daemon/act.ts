/**
 * The end of a tick: the wish into the file, and the steps to BIRD. A return goes out after its file; where nothing returns,
 * withdrawals and drains go out beside the write, since a disk takes longer than the carrier needs to hear it. A daemon that
 * dies between the two finds at its next start what BIRD shows (adopt-seen.ts).
 */
import type { BirdClient } from '../../bird/client.ts';
import type { Plan } from '../core/plan/plan.ts';
import type { ProtocolWish } from '../core/plan/protocols.ts';
import type { NodeConfig } from '../types/config.ts';
import { actuate, type StepResult } from './actuate.ts';
import { type ApplyGate, stepsLetBy } from './apply-gate.ts';
import type { FileKeeper, FileOutcome } from './file-keeper.ts';
import type { Narrator } from './narrator.ts';

export interface ActTools {
  readonly config: Pick<NodeConfig, 'mode'>;
  readonly client: BirdClient;
  readonly file: Pick<FileKeeper, 'hold'>;
  /** Asked before anything is sent; absent: everything may be. */
  readonly gate?: ApplyGate;
  readonly narrator: Pick<Narrator, 'file' | 'steps'>;
  readonly wallTime: () => string;
}

/** What came of it. In observe mode nothing is written and nothing is sent. */
export async function act(
  tools: ActTools,
  planned: Plan,
  protocols: ReadonlyMap<string, ProtocolWish>,
): Promise<{ readonly file: FileOutcome; readonly results: readonly StepResult[] }> {
  if (tools.config.mode === 'observe') return { file: { kind: 'as-wished' }, results: [] };
  const { client, gate } = tools;
  const letBy = (): Plan['steps'] => (gate === undefined ? planned.steps : stepsLetBy(gate, planned.steps));
  const returnsNothing = planned.steps.every(({ purpose }) => purpose !== 'return');
  const sent = returnsNothing ? actuate(client, letBy(), false) : null;
  const file = await tools.file.hold(protocols);
  const results = await (sent ?? actuate(client, letBy(), file.kind === 'as-wished'));
  tools.narrator.file(file);
  tools.narrator.steps(results, tools.wallTime());
  return { file, results };
}
