/** An operator's override for every node: given, and ended. */
import { subjectKey } from '../core/hands/subject.ts';
import { isWithin } from '../core/overrides/selection.ts';
import type { Override } from '../types/override.ts';
import type { FleetOrder } from '../types/wire/fleet-order.ts';
import type { OverrideRequest, ReleaseRequest } from '../types/wire/operator.ts';
import type { OperatorScene } from './operator-scene.ts';

/** What `--fleet` is answered where there is none. */
export const noFleetText = 'no fleet is configured here: say it on each node';

export function hasFleet({ fleet }: OperatorScene): boolean {
  return fleet !== undefined && fleet !== null;
}

/** The note says when the other nodes hear it. */
export function giveToFleet(
  scene: OperatorScene,
  override: Override,
  { author, last }: Pick<OverrideRequest, 'author' | 'last'>,
): string {
  const { scope: _, ...plain } = override;
  const subject = subjectKey(override.subject);
  const order: FleetOrder = { kind: 'override', ...saidHere(scene, author), subject, override: plain, last };
  return scene.fleet?.give(order) ?? noFleetText;
}

export function releaseInFleet(scene: OperatorScene, subject: string, author: string): string {
  const order: FleetOrder = {
    kind: 'override',
    ...saidHere(scene, author),
    subject,
    override: null,
    last: false,
  };
  return scene.fleet?.give(order) ?? noFleetText;
}

/** subjectKeys of the fleet's overrides within what is selected, also of those that this node has not. */
export function standingInFleet(
  { fleet }: OperatorScene,
  { selection, states }: Pick<ReleaseRequest, 'selection' | 'states'>,
): readonly string[] {
  return (fleet?.known() ?? []).flatMap((order) => {
    if (order.kind !== 'override' || order.override === null) return [];
    const { subject, state } = order.override;
    const isMeant = isWithin(subject, selection) && (states === null || states.includes(state));
    return isMeant ? [order.subject] : [];
  });
}

/** Where, by whom and when an order is given. */
export function saidHere(scene: OperatorScene, author: string) {
  return { schema: 1, node: scene.config().node.name, author, at: scene.wallTime() } as const;
}
