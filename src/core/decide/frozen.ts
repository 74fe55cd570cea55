/** DESIGN §7.13: while the wish is frozen it stays as it was, and only operators and hands change what is announced. */
import type { Freeze } from '../../types/freeze.ts';
import type { AnnouncementWish } from '../../types/wish.ts';
import { wishOf } from './desire.ts';
import type { Rung } from './leaving.ts';

/** The wish of a frozen tick; says what it would be. */
export function frozenWish({ member, wish }: Rung, freeze: Freeze): AnnouncementWish {
  const state = member.wished?.beneath ?? member.standing.state;
  if (member.override !== null || wish.state === state) return wish;
  const text = `frozen by ${freeze.author} (${freeze.reason})`;
  const held = { guard: 'frozen', text, until: null } as const;
  return wishOf(member, state, 'frozen', `${text}; it would ${wish.state}: ${wish.text}`, held);
}
