/** What GeoDNS and webhooks are told, as lines of `causeway status`; nothing where all is told and well. Pure. */
import type { StatusDocument } from '../types/wire/status.ts';

/** `duration` prints seconds. */
export function tellTexts(
  { geodns, webhooks }: StatusDocument,
  duration: (seconds: number) => string,
): readonly string[] {
  const told = (geodns?.uplinks ?? []).flatMap(({ uplink, families, waitingSeconds, trouble, reason }) => {
    const apart = [families['4'], families['6']].flatMap((one, index) => {
      if (one === undefined) return [];
      const regions = Object.entries(one.regions).map(([region, state]) => `${region} ${state}`);
      return one.state === 'up' && regions.length === 0
        ? []
        : [`IPv${index === 0 ? 4 : 6} ${[one.state, ...regions].join(', ')}`];
    });
    const waits =
      waitingSeconds === null
        ? ''
        : ` (waits for ${duration(waitingSeconds)}${trouble === null ? '' : `: ${trouble}`})`;
    if (apart.length === 0 && waits === '') return [];
    return [`GeoDNS ${uplink}: ${apart.length === 0 ? 'up' : apart.join('; ')}${waits}: ${reason}`];
  });
  const hooks = (webhooks ?? []).flatMap(({ name, waiting, refused, waitingSeconds, trouble }) => {
    if (waiting === 0 && refused === 0) return [];
    const since = waitingSeconds === null ? '' : ` for ${duration(waitingSeconds)}`;
    return [`webhook ${name}: ${waiting} waiting, ${refused} refused${since}: ${trouble ?? 'no answer yet'}`];
  });
  return [...told, ...hooks];
}
