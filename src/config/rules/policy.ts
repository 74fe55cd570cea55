/** Policy and guards: values that only make sense together. */
import { formatDuration, formatRatio } from '../quantities.ts';
import { defaultBirdSocket } from '../schema/bird-way.ts';
import type { Finding } from '../problem.ts';
import type { View } from '../view.ts';

/** Problems between values of policy, guards and paths. */
export function checkPolicy(view: View): readonly Finding[] {
  return [
    ...checkLoss(view),
    ...checkHold(view),
    ...checkWeights(view),
    ...checkKeepUplinks(view),
    ...checkPlaces(view),
  ];
}

/** What works, but hardly as it was meant. */
export function warnOfPolicy(view: View): readonly Finding[] {
  return [...warnOfLatency(view), ...warnOfDrain(view), ...warnOfListen(view)];
}

function checkLoss({ policy }: View): readonly Finding[] {
  const { loss } = policy;
  if (loss === undefined || loss.good < loss.bad) return [];
  const allowed = `less than policy.loss.bad, which is ${formatRatio(loss.bad)}`;
  return [{ path: ['policy', 'loss', 'good'], where: 'value', found: formatRatio(loss.good), allowed }];
}

function checkHold({ policy }: View): readonly Finding[] {
  const { recovery } = policy;
  if (recovery === undefined || recovery.hold <= recovery.max_hold) return [];
  const allowed = `${formatDuration(recovery.hold)} or longer, which is policy.recovery.hold`;
  const found = formatDuration(recovery.max_hold);
  return [{ path: ['policy', 'recovery', 'max_hold'], where: 'value', found, allowed }];
}

function checkWeights({ policy, uplinks }: View): readonly Finding[] {
  const regions = new Set(uplinks.flatMap(({ targets }) => targets.map(({ entry }) => entry.region)));
  if (policy.regions === undefined || uplinks.some(({ targetsComplete }) => !targetsComplete)) return [];
  return Object.keys(policy.regions.weights)
    .filter((region) => !regions.has(region))
    .map((region) => ({
      path: ['policy', 'regions', 'weights', region],
      where: 'key',
      found: `the region ${JSON.stringify(region)}, which no target has`,
      allowed: `a region of the targets: ${[...regions].join(', ')}`,
    }));
}

function checkKeepUplinks({ root, uplinks }: View): readonly Finding[] {
  const { guards } = root;
  if (guards === undefined || uplinks.length === 0 || guards.keep_uplinks <= uplinks.length) return [];
  const allowed = `at most the number of uplinks, which is ${uplinks.length}`;
  return [{ path: ['guards', 'keep_uplinks'], where: 'value', found: String(guards.keep_uplinks), allowed }];
}

/** With a command there is no socket on this machine. */
function socketOf(bird: View['root']['bird']): string | undefined {
  if (bird === undefined || bird.command !== undefined) return undefined;
  return bird.socket ?? defaultBirdSocket;
}

/** A file that is named twice would be overwritten by one of its owners. */
function checkPlaces({ root }: View): readonly Finding[] {
  const places = [
    { path: ['bird', 'socket'], file: socketOf(root.bird) },
    { path: ['bird', 'config'], file: root.bird?.config },
    { path: ['paths', 'state'], file: root.paths?.state },
    { path: ['paths', 'control'], file: root.paths?.control },
  ];
  return places.flatMap(({ path, file }, index): readonly Finding[] => {
    const first = places.slice(0, index).find((place) => file !== undefined && place.file === file);
    if (first === undefined) return [];
    const allowed = `a path of its own: ${first.path.join('.')} is the same`;
    return [{ path, where: 'value', found: JSON.stringify(file), allowed }];
  });
}

function warnOfLatency({ policy, uplinks }: View): readonly Finding[] {
  const { latency, probe } = policy;
  if (latency === undefined || probe === undefined) return [];
  const timeouts = uplinks.map(({ self }) => self.probe?.timeout ?? probe.timeout);
  const shortest = Math.min(...timeouts);
  if (timeouts.length === 0 || latency.bad < shortest) return [];
  const said = `policy.latency.bad is ${formatDuration(latency.bad)}, but a probe is lost after ${formatDuration(shortest)}: slow answers count as loss`;
  return [{ path: ['policy', 'latency', 'bad'], where: 'value', allowed: 'less than the timeout', said }];
}

function warnOfDrain({ policy, uplinks }: View): readonly Finding[] {
  const { drain } = policy;
  if (drain === undefined) return [];
  return uplinks.flatMap(({ name, path, self }): readonly Finding[] => {
    if (self.med === undefined || self.med < drain.med) return [];
    const said = `the MED of ${name} is ${self.med}, not less than ${drain.med} of policy.drain.med: by MED a drained announcement attracts as much`;
    return [{ path: [...path, 'med'], where: 'value', allowed: 'less than policy.drain.med', said }];
  });
}

function warnOfListen({ root }: View): readonly Finding[] {
  const host = root.http?.listen.host;
  if (host === undefined || host.startsWith('127.') || host === '::1') return [];
  const said = `whoever reaches ${host} can read the status of this node: 127.0.0.1 keeps it on the machine`;
  return [{ path: ['http', 'listen'], where: 'value', allowed: 'a loopback address', said }];
}
