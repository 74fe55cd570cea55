/** Carries out, between two ticks, what operators said to the whole fleet on other nodes. */
import { subjectKey } from '../core/hands/subject.ts';
import { subjectText, withOverride } from '../core/overrides/selection.ts';
import type { Freeze } from '../types/freeze.ts';
import { messageOf } from '../types/message-of.ts';
import type { Override } from '../types/override.ts';
import type { FleetOrder } from '../types/wire/fleet-order.ts';
import type { OperatorScene } from './operator-scene.ts';
import { lastOnesTaken, wishWith } from './preview.ts';

/** A disk that takes longer does not hold the tick up; the writes go on beside it. */
const keepWaitMillis = 50;

export async function takeFleetOrders(scene: OperatorScene): Promise<void> {
  const { fleet, world } = scene;
  // What an order takes away is known from the first tick on.
  if (fleet === undefined || fleet === null || world.operator.decided === null) return;
  const orders = fleet.take();
  if (orders.length === 0) return;
  for (const order of orders) {
    if (order.kind === 'freeze') await takeFreeze(scene, order);
    else await takeOverride(scene, order);
  }
  fleet.carriedOut();
}

async function takeFreeze(
  scene: OperatorScene,
  order: Extract<FleetOrder, { readonly kind: 'freeze' }>,
): Promise<void> {
  const { operator } = scene.world;
  const by = `${order.author}@${order.node}`;
  if (order.freeze !== null) {
    // A freeze of this node's own stands already, and outlasts the fleet's.
    if (operator.freeze !== null) return;
    const freeze: Freeze = { ...order.freeze, author: by, scope: 'fleet' };
    await scene.freezeFile.freeze(freeze, keepWaitMillis);
    operator.freeze = freeze;
    scene.words.freeze('frozen', freeze, by);
    return;
  }
  const { freeze } = operator;
  if (freeze?.scope !== 'fleet') return;
  try {
    await scene.freezeFile.thaw();
  } catch (error) {
    const said = messageOf(error);
    scene.fleet?.refuse(order, `the fleet is thawed, but the freeze here cannot be removed: ${said}`);
    return;
  }
  operator.freeze = null;
  scene.words.freeze('thawed', freeze, by);
}

async function takeOverride(
  scene: OperatorScene,
  order: Extract<FleetOrder, { readonly kind: 'override' }>,
): Promise<void> {
  const { world } = scene;
  const standing = world.overrides.filter(
    (one) => one.scope === 'fleet' && subjectKey(one.subject) === order.subject,
  );
  if (order.override === null) {
    const overrides = world.overrides.filter((one) => !standing.includes(one));
    if (standing.length > 0) await keep(scene, overrides);
    for (const one of standing) scene.words.override('released', one, `${order.author}@${order.node}`);
    return;
  }
  const { expires, subject } = order.override;
  if (expires !== null && Date.parse(expires) <= Date.parse(scene.wallTime())) return;
  if (!isHere(scene, order.override)) return;
  const override: Override = {
    ...order.override,
    author: `${order.author}@${order.node}`,
    scope: 'fleet',
  };
  const overrides = withOverride(world.overrides, override, subjectKey);
  const taken = order.last ? [] : lastTaken(scene, overrides);
  if (taken.length > 0) {
    const why = `${override.state} of ${subjectText(subject)} for the whole fleet is not done here: it leaves no undrained announcement of ${taken.join(', ')} on this node (that takes \`--last\`, and fleet.orders_key_file on every node)`;
    scene.fleet?.refuse(order, why);
    return;
  }
  await keep(scene, overrides);
  scene.words.override('set', override, override.author);
}

function lastTaken({ world }: OperatorScene, overrides: readonly Override[]): readonly string[] {
  const { decided, maintenance } = world.operator;
  if (decided === null) return [];
  const wish = (ones: readonly Override[]) =>
    wishWith(decided, world.decide, { overrides: [...ones, ...maintenance] });
  return lastOnesTaken(wish(world.overrides), wish(overrides));
}

/** Not every node has every uplink and service. */
function isHere(scene: OperatorScene, { subject }: Override): boolean {
  if (subject.kind !== 'selection') return false;
  const { uplinks, services } = scene.config();
  return (
    (subject.uplink === null || uplinks.some(({ name }) => name === subject.uplink)) &&
    (subject.service === null || services.some(({ name }) => name === subject.service))
  );
}

async function keep(scene: OperatorScene, overrides: readonly Override[]): Promise<void> {
  await scene.store.save({ overrides, released: scene.world.released }, keepWaitMillis);
  scene.world.overrides = overrides;
}
