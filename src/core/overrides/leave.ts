/** The wish while the daemon is stopped in order (`on_stop`): nothing stays more attractive than it says. */
import { stopWords } from '../plan/file-words.ts';
import type { AnnouncementWish, Wish } from '../../types/wish.ts';

/**
 * What an operator or a verdict holds lower stays lower. Egress stays as it is: answers need a way out until the last
 * user has gone. null: the daemon is not stopped, or leaves all as it is.
 */
export function wishOnLeave(wish: Wish, leaving: 'drain' | 'withdraw' | null): Wish {
  if (leaving === null) return wish;
  return { ...wish, announcements: wish.announcements.map((one) => lowered(one, leaving)) };
}

function lowered(one: AnnouncementWish, leaving: 'drain' | 'withdraw'): AnnouncementWish {
  if (one.state === 'withdraw' || one.state === leaving) return one;
  const text = `${stopWords} (on_stop: ${leaving})`;
  return { ...one, state: leaving, reason: 'stopping', text, author: 'causeway', held: null };
}
