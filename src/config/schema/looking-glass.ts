/** `uplinks.*.looking_glass`: an HTTP looking glass, or the socket of a collector. */
import type { LookingGlass } from '../../types/looking-glass.ts';
import { bad, leaf, ok, type Parsed } from '../leaf.ts';

const allowed =
  'http://… or https://… of a looking glass that answers as birdwatcher does, or unix:/path of a BIRD that collects routes';

export const lookingGlassSchema = leaf(
  'What is asked every 30 s whether our prefixes are seen beyond the carrier.',
  { type: 'string', pattern: '^(https?://|unix:/)' },
  (value): Parsed<LookingGlass> => {
    if (typeof value !== 'string' || /[\s"\p{Cc}]/u.test(value)) return bad(allowed);
    if (/^unix:\/./.test(value) && Buffer.byteLength(value) <= 107 + 5)
      return ok({ kind: 'socket', path: value.slice(5) });
    if (!/^https?:\/\/./.test(value) || !URL.canParse(value)) return bad(allowed);
    const { search, hash, username, password } = new URL(value);
    if (search !== '' || hash !== '' || username !== '' || password !== '')
      return bad(`${allowed}, without user, query and fragment`);
    return ok({ kind: 'http', url: value.replace(/\/+$/, '') });
  },
).optional();

/** As it stands in the file. */
export function lookingGlassForm(glass: LookingGlass): string {
  return glass.kind === 'http' ? glass.url : `unix:${glass.path}`;
}
