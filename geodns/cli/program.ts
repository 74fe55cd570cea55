/** All commands of `causeway-geodns`. */
import { Command } from 'commander';
import { addApply } from './apply.ts';
import { addCheck } from './check.ts';
import { addDecide } from './decide.ts';
import { addGeoip } from './geoip.ts';
import { addOverride } from './override.ts';
import { addPromote } from './promote.ts';
import { addPropose } from './propose.ts';
import { addRevisions } from './revisions.ts';
import { addRollback } from './rollback.ts';
import { addRun } from './run.ts';
import { addStatus } from './status.ts';
import { addFreeze, addSteering } from './steering.ts';

/** Files first, then the running service, then what is done to both. */
const adders = [
  addRun,
  addCheck,
  addDecide,
  addStatus,
  addOverride,
  addApply,
  addRevisions,
  addRollback,
  addGeoip,
  addSteering,
  addFreeze,
  addPromote,
  addPropose,
];

export function buildProgram(): Command {
  const program = new Command('causeway-geodns')
    .description(
      'Answers users by access network, country and subnet, and takes a lost uplink out of the answers at once',
    )
    .exitOverride();
  for (const add of adders) add(program);
  return program;
}
