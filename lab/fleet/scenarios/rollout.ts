/** A new base reaches the fleet one node after the other, and stops where it did harm. */
import { readFileSync, writeFileSync } from 'node:fs';
import { waitUntil } from '../../network/wait.ts';
import type { FleetNodeName } from '../../network/names.ts';
import { nodeFiles } from '../../node/config.ts';
import { gone, Unexpected } from '../../scenarios/expect.ts';
import { fleetHealthyAgain, fleetUntouched } from '../expect.ts';
import { carrierDead } from '../faults.ts';
import { onNode } from '../fleet.ts';
import type { FleetScenario, FleetStage } from '../stage.ts';

const newMed = '    med: 77\n';

export const rolloutScenarios: readonly FleetScenario[] = [
  {
    name: 'apply-in-turn',
    summary:
      'after an apply on hk1 no other node applies: while it soaks, and while it lacks what it announced before; of two at once one goes on',
    async run(stage) {
      const names = ['hk1', 'hk2', 'tk1', 'sg1'] as const;
      for (const name of names)
        editConfig(stage, name, (text) => text.replaceAll(/^(?= {4}table:)/gm, newMed));
      try {
        await stage.act('hk1 applies', () => apply(stage, 'hk1'));
        await refusedWith(stage, 'hk2', 'hk1 has just applied');
        const fault = carrierDead('cmi', ['hk1']);
        await stage.hit(fault);
        await gone(stage.node('hk1'), 'cmi', { timeoutMillis: 60_000 });
        await refusedWith(stage, 'hk2', 'hk1 has lost cmi_web4');
        await stage.mend(fault);
        await stage.act('hk2 applies once hk1 has all again', () => appliesOnceFree(stage, 'hk2'));
        await stage.act('tk1 and sg1 apply at once, when hk2 has soaked', () => oneOfTwo(stage));
      } finally {
        for (const name of names) editConfig(stage, name, (text) => text.replaceAll(newMed, ''));
        for (const name of names) await apply(stage, name, ['--skip-fleet']);
      }
      await fleetHealthyAgain(stage);
      await fleetUntouched(stage.nodes(...names));
    },
  },
];

function editConfig(stage: FleetStage, name: FleetNodeName, edit: (text: string) => string): void {
  const { config } = nodeFiles(stage.fleet.node(name).lab.network);
  const before = readFileSync(config, 'utf8');
  writeFileSync(config, edit(before));
}

function apply(stage: FleetStage, name: FleetNodeName, more: readonly string[] = []): Promise<string> {
  return onNode(stage.fleet, name, ['apply', ...more]);
}

/** What an apply that was not done said; null: it was done. */
async function applyOrWhy(stage: FleetStage, name: FleetNodeName): Promise<string | null> {
  const text = await onNode(stage.fleet, name, ['apply', '--json']).catch((error: unknown) => String(error));
  return text.includes('"kind": "applied"') ? null : text;
}

async function refusedWith(stage: FleetStage, name: FleetNodeName, sentence: string): Promise<void> {
  const said = await waitUntil(
    `${name} refuses to apply: ${sentence}`,
    async () => {
      const why = await applyOrWhy(stage, name);
      return why === null ? 'applied' : why.includes(sentence) && 'refused';
    },
    { timeoutMillis: 30_000, everyMillis: 100 },
  );
  if (said === 'applied') throw new Unexpected(`${name} applied, though “${sentence}” was to hold it`);
}

async function appliesOnceFree(stage: FleetStage, name: FleetNodeName): Promise<void> {
  await waitUntil(`${name} applies`, async () => (await applyOrWhy(stage, name)) === null, {
    timeoutMillis: 90_000,
    everyMillis: 500,
  });
}

/** Both ask until one of them goes on; the other must then have been refused. */
async function oneOfTwo(stage: FleetStage): Promise<void> {
  const applied = await waitUntil(
    'one of tk1 and sg1 applies',
    async () => {
      const said = await Promise.all([applyOrWhy(stage, 'tk1'), applyOrWhy(stage, 'sg1')]);
      return said.filter((why) => why === null).length || null;
    },
    { timeoutMillis: 90_000, everyMillis: 500 },
  );
  if (applied > 1) throw new Unexpected('both applied at once');
}
