/** `causeway doctor --json` and `causeway check --host --json`: what was looked at, and what was found. */
import { z } from 'zod';

const finding = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ok'), text: z.string() }),
  /** Could not be looked at, because of something that another finding names. */
  z.object({ kind: z.literal('skipped'), text: z.string() }),
  z.object({
    /** wrong: the node cannot do its work; warning: it can, but not as well or not for long. */
    kind: z.enum(['wrong', 'warning']),
    /** One of those in docs/errors.md. */
    code: z.string(),
    what: z.string(),
    why: z.string(),
    /** The exact command, or the line to change. */
    mend: z.string(),
  }),
]);

export const examined = z.object({ id: z.string(), title: z.string(), finding });

export const doctorOutput = z.object({
  /** Nothing is wrong; warnings may be. */
  ok: z.boolean(),
  findings: z.array(examined).readonly(),
});
