/** All commands of `causeway-geodns`. */
import { Command } from 'commander';
import { addCheck } from './check.ts';
import { addDecide } from './decide.ts';
import { addPromote } from './promote.ts';
import { addPropose } from './propose.ts';
import { addRevisions } from './revisions.ts';
import { addRollback } from './rollback.ts';
import { addRun } from './run.ts';

export function buildProgram(): Command {
  const program = new Command('causeway-geodns').description(
    'Answers users by access network, country and subnet, and takes a lost uplink out of the answers at once',
  );
  for (const add of [addRun, addCheck, addDecide, addRevisions, addRollback, addPromote, addPropose])
    add(program);
  return program;
}
