/** When everything is mended, everything is announced again. Pure. */
import type { Breach } from '../breach.ts';
import type { Story } from '../story.ts';

export function judgeReturns(story: Story): readonly Breach[] {
  return story
    .of('settled')
    .flatMap(({ at, healthyAfterMillis, text }): readonly Breach[] =>
      healthyAfterMillis === null ? [{ invariant: 'returns', at, subject: 'the fleet', text }] : [],
    );
}
