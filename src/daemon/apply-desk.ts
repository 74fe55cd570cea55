/** `POST /v1/apply`: reads the config file anew, applies its base, and runs with all of it where that went well. */
import { loadConfig } from '../config/load.ts';
import type { NodeConfig } from '../types/config.ts';
import type { ApplyProgress, ApplyRequest, ApplyResult, ApplyStep } from '../types/wire/apply.ts';
import type { Applier } from './applier.ts';
import type { Fleet } from './fleet-alone.ts';
import { withoutRestart } from './live-config.ts';
import type { OperatorDesk } from './operators.ts';
import type { SettingsHolder } from './settings.ts';

export interface ApplyDesk {
  apply(request: ApplyRequest, say: (progress: ApplyProgress) => void): Promise<ApplyResult>;
}

/** `file`: null where the daemon was started without one (tests). */
export function openApplyDesk(
  file: string | null,
  settings: SettingsHolder,
  applier: Applier,
  desk: Pick<OperatorDesk, 'queue' | 'review'>,
  fleet: Pick<Fleet, 'beginApply' | 'endApply'>,
): ApplyDesk {
  const take = (config: NodeConfig, whole: NodeConfig): Promise<void> =>
    desk.queue.run(async () => {
      settings.take(config);
      desk.review(whole);
    });
  return {
    async apply(request, say) {
      if (file === null) return refused('render', ['the daemon was started without a config file']);
      const loaded = await loadConfig(file);
      if (loaded.kind === 'bad')
        return refused(
          'render',
          loaded.problems.map(({ text }) => text),
        );
      const config = withoutRestart(settings.now().config, loaded.config);
      const result = await staged(fleet, request, () => applier.apply(config, request, say));
      const isTaken = result.kind === 'applied' || (result.kind === 'nothing' && !request.dryRun);
      // Not waited for: it comes between two ticks, and after the last one never.
      if (isTaken) void take(config, loaded.config).catch(() => undefined);
      return result;
    },
  };
}

/** One node after the other (docs/fleet.md); a mere question asks nobody. */
async function staged(
  fleet: Pick<Fleet, 'beginApply' | 'endApply'>,
  { dryRun, skipFleet = false }: ApplyRequest,
  run: () => Promise<ApplyResult>,
): Promise<ApplyResult> {
  if (dryRun) return run();
  const why = await fleet.beginApply(!skipFleet);
  if (why !== null) return refused('fleet', [why, '`--skip-fleet` applies nevertheless']);
  let isApplied = false;
  try {
    const result = await run();
    isApplied = result.kind === 'applied';
    return result;
  } finally {
    await fleet.endApply(isApplied);
  }
}

function refused(step: ApplyStep, problems: readonly string[]): ApplyResult {
  return { kind: 'refused', step, problems };
}
