/** A lab whose node is changed by its config: edits, `causeway diff` and `apply`, and what the carriers make of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { markOf } from '../../../bird/base-mark.ts';
import { readStates } from '../../../bird/file-states.ts';
import { carrierFiles } from '../../../lab/carrier/router.ts';
import { openControl } from '../../../lab/carrier/control.ts';
import type { RouteHeld, SessionSeen } from '../../../lab/carrier/replies.ts';
import { sameTime } from '../../../lab/carrier/compare.ts';
import { carrierNames, type CarrierName } from '../../../lab/network/names.ts';
import { tryRun } from '../../../lab/network/command.ts';
import { inside } from '../../../lab/network/inside.ts';
import type { Network } from '../../../lab/network/network.ts';
import { compiledProgram } from '../../../lab/network/process.ts';
import { waitUntil } from '../../../lab/network/wait.ts';
import { askNodeBird } from '../../../lab/node/bird.ts';
import { nodeFiles } from '../../../lab/node/config.ts';
import type { Lab } from '../../../lab/node/lab.ts';
import { families } from '../../../src/types/units.ts';
import { applyResult, type ApplyResult, type BaseDiff } from '../../../src/types/wire/apply.ts';

/** The part of causeway.yaml that tests change. */
export interface NodeDocument {
  services: Record<string, { prefixes: string[] }>;
  uplinks: Record<
    string,
    Record<string, unknown> & { peer: Record<string, unknown> & { address: string[] } }
  >;
}

export function editConfig(network: Network, change: (document: NodeDocument) => void): void {
  const { config } = nodeFiles(network);
  const document = parse(readFileSync(config, 'utf8')) as NodeDocument;
  change(document);
  writeFileSync(config, stringify(document));
}

export function uplinkIn(document: NodeDocument, name: CarrierName): NodeDocument['uplinks'][string] {
  const found = document.uplinks[name];
  if (found === undefined) throw new Error(`no uplink ${name}`);
  return found;
}

/** Command line of the program in the node, for those who start it themselves. */
export function causewayLine(network: Network, words: readonly string[]): string[] {
  const [command = '', ...rest] = words;
  const program = compiledProgram('src/cli/main');
  return [process.execPath, program, command, '-c', nodeFiles(network).config, ...rest];
}

/** `causeway apply` or `diff` with `--json`, to its end, whatever its answer. */
export async function askApply(network: Network, words: readonly string[]): Promise<ApplyResult> {
  const line = causewayLine(network, [...words, '--json']);
  const { stdout, stderr } = await tryRun('ip', inside(network.namespace('node'), line), {
    timeoutMillis: 150_000,
  });
  const read = applyResult.safeParse(stdout === '' ? null : JSON.parse(stdout));
  if (!read.success) throw new Error(`${words.join(' ')}: ${stdout}\n${stderr}`);
  return read.data;
}

/** What the carriers hold and count. */
export interface Measured {
  readonly sessions: ReadonlyMap<string, SessionSeen>;
  readonly routes: ReadonlyMap<string, ReadonlyMap<string, RouteHeld>>;
}

export async function measure(lab: Lab): Promise<Measured> {
  const sessions = new Map<string, SessionSeen>();
  const routes = new Map<string, ReadonlyMap<string, RouteHeld>>();
  for (const carrier of carrierNames) {
    const view = await lab.observer.view(carrier);
    const learnt = await lab.observer.learnt(carrier);
    for (const family of families) {
      const own = learnt.filter(({ prefix }) => prefix.includes(':') === (family === 6));
      sessions.set(`bgp_${carrier}${family}`, view.sessions[family]);
      routes.set(`bgp_${carrier}${family}`, new Map(own.map((route) => [route.prefix, route])));
    }
  }
  return { sessions, routes };
}

/** Effects in one form, whether they were said before or measured after: `bgp_cmi4 reset`, `… 203.0.113.0/24 starts`. */
export function measuredEffects(before: Measured, after: Measured): readonly string[] {
  const effects: string[] = [];
  for (const [name, was] of before.sessions) {
    const is = after.sessions.get(name);
    if (is === undefined) throw new Error(`no session ${name}`);
    if (was.established && !is.established) effects.push(`${name} removed`);
    else if (!was.established && is.established) effects.push(`${name} added`);
    else if (is.established && !sameTime(was.since, is.since)) effects.push(`${name} reset`);
    const [old, now] = [before.routes.get(name) ?? new Map(), after.routes.get(name) ?? new Map()];
    effects.push(...routeEffects(name, old, now));
  }
  return effects.toSorted();
}

function routeEffects(
  name: string,
  old: ReadonlyMap<string, RouteHeld>,
  now: ReadonlyMap<string, RouteHeld>,
): readonly string[] {
  const effects: string[] = [];
  for (const [prefix, was] of old) {
    const is = now.get(prefix);
    if (is === undefined) effects.push(`${name} ${prefix} stops`);
    else {
      const changes = [
        ...(was.med === is.med ? [] : [`MED ${was.med} → ${is.med}`]),
        // Our own number stands in front of the prepended copies.
        ...(was.path.length === is.path.length
          ? []
          : [`prepend ${was.path.length - 1} → ${is.path.length - 1}`]),
        ...is.communities
          .filter((one) => !was.communities.includes(one))
          .map((one) => `community ${one} added`),
        ...was.communities
          .filter((one) => !is.communities.includes(one))
          .map((one) => `community ${one} removed`),
      ];
      if (changes.length > 0) effects.push(`${name} ${prefix} changes: ${changes.join('; ')}`);
    }
  }
  for (const prefix of now.keys()) if (!old.has(prefix)) effects.push(`${name} ${prefix} starts`);
  return effects;
}

export function predictedEffects(diff: BaseDiff): readonly string[] {
  const sessions = diff.sessions
    .filter(({ kind }) => kind !== 'none' && kind !== 'refresh')
    .map(({ session, kind }) => `${session} ${kind}`);
  const prefixes = diff.prefixes.map(({ session, prefix, kind, changes }) =>
    kind === 'changes'
      ? `${session} ${prefix} changes: ${changes.join('; ')}`
      : `${session} ${prefix} ${kind}`,
  );
  return [...sessions, ...prefixes].toSorted();
}

/** Sessions on which nothing was said to happen heard nothing. */
export function expectQuiet(diff: BaseDiff, before: Measured, after: Measured): void {
  const told = new Set([
    ...diff.sessions
      .filter(({ kind }) => kind !== 'none' && kind !== 'refresh')
      .map(({ session }) => session),
    ...diff.prefixes.map(({ session }) => session),
  ]);
  for (const [name, { updates, withdraws }] of before.sessions) {
    if (told.has(name)) continue;
    expect({ name, updates, withdraws }).toEqual({
      name,
      updates: after.sessions.get(name)?.updates,
      withdraws: after.sessions.get(name)?.withdraws,
    });
  }
}

/** Another text for a carrier's BIRD, taken at once. */
export async function changeCarrier(
  network: Network,
  carrier: CarrierName,
  change: (text: string) => string,
): Promise<void> {
  const path = join(network.folder, `${carrier}.conf`);
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`nothing to change in ${path}`);
  writeFileSync(path, changed);
  const control = openControl(carrierFiles(network, carrier).socket);
  try {
    await control.ask('configure');
  } finally {
    control.close();
  }
}

/** The mark that BIRD runs; null: none. */
export async function runningMark(network: Network): Promise<number | null> {
  const lines = await askNodeBird(network, 'eval CAUSEWAY_BASE').catch(() => []);
  return lines.length === 0 ? null : Number(lines.at(-1));
}

/** The owned file is whole, BIRD runs it, and no window is open. */
export async function expectOneBase(network: Network): Promise<string> {
  const text = readFileSync(nodeFiles(network).owned, 'utf8');
  readStates(text);
  await waitUntil('BIRD to run the owned file', async () => (await runningMark(network)) === markOf(text));
  const status = await askNodeBird(network, 'configure status');
  expect(status.join('\n')).not.toContain('unconfirmed');
  return text;
}
