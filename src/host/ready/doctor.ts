/** What `causeway doctor` says of readiness: each check asked once, and the unit that `on_boot: hold` needs. */
import { execa } from 'execa';
import type { NodeConfig } from '../../types/config.ts';
import type { ReadyCheck } from '../../types/ready-check.ts';
import { unreachable } from '../../types/unreachable.ts';
import { type Check, type Finding, finding } from '../doctor.ts';
import { checkOnce } from './check-loop.ts';
import { openChecks, type RunCheck } from './run-check.ts';

/** None where no service has a check. */
export function readyDoctorChecks(config: NodeConfig): readonly Check<unknown>[] {
  const run = openChecks();
  const checks = config.services.flatMap(({ name, ready }) =>
    ready.map((check, index) => ({
      id: `ready.${name}.${index + 1}`,
      title: `readiness of ${name}: ${check.probe.kind}`,
      run: () => readyFinding(name, check, run),
    })),
  );
  return config.onBoot === 'hold' && checks.length > 0 ? [...checks, bootUnitCheck] : checks;
}

async function readyFinding(service: string, check: ReadyCheck, run: RunCheck): Promise<Finding> {
  const outcome = await checkOnce(check, run);
  switch (outcome.kind) {
    case 'pass':
      return { kind: 'ok', text: outcome.text };
    case 'fail':
      return finding('ready-failing', {
        what: outcome.text,
        why: `while it is so, ${service} is not announced from this node`,
        mend: `mend the service, or its check in services.${service}.ready`,
      });
    case 'not-run':
      return finding('ready-unknown', {
        what: `it cannot be checked: ${outcome.text}`,
        why: `whether ${service} can answer on this node is not known, so it stays as it is`,
        mend: `let the daemon's user do what services.${service}.ready asks for`,
      });
    default:
      return unreachable(outcome);
  }
}

const unit = 'causeway-boot.service';

const bootUnitCheck: Check<unknown> = {
  id: 'boot-unit',
  title: `unit ${unit}`,
  run: async () => {
    const { stdout, exitCode } = await execa('systemctl', ['is-enabled', '--', unit], {
      reject: false,
      timeout: 5000,
    });
    if (exitCode === 0) return { kind: 'ok', text: stdout };
    return finding('boot-unit', {
      what: `${unit} is ${stdout === '' ? 'not known to systemd' : stdout}`,
      why: 'on_boot: hold is done by it: without it BIRD comes up with the owned file as it was',
      mend: `systemctl enable ${unit}`,
    });
  },
};
