/** `on_stop`: what an orderly stop of the daemon does with what is announced. */
import { millis } from '../../types/units.ts';
import type { OnStop } from '../../types/config.ts';
import { bad, leaf, ok, type Parsed } from '../leaf.ts';
import { parseDuration } from '../quantities.ts';

const words = ['keep', 'drain', 'withdraw'] as const;
const allowed = 'keep, drain or withdraw; or a mapping such as { do: drain, deadline: 60s }';
const deadlineBounds = { min: 1000, max: 3_600_000 };
const defaultDeadline = millis(60_000);

/** Editors get both forms. */
const editor = {
  anyOf: [
    { enum: words },
    {
      type: 'object',
      properties: {
        do: { enum: words, description: 'What is done.' },
        deadline: { type: ['string', 'integer'], description: 'How long it may take; default 60s.' },
      },
      required: ['do'],
      additionalProperties: false,
    },
  ],
};

export const onStopSchema = leaf(
  'What stopping the daemon does: keep leaves BIRD as it is; drain waits for traffic to fall, at most until the deadline; withdraw ends when nothing is exported.',
  editor,
  parseOnStop,
).prefault('keep');

function parseOnStop(value: unknown): Parsed<OnStop> {
  const word = words.find((one) => one === value);
  if (word !== undefined) return ok({ do: word, deadlineMillis: defaultDeadline });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return bad(allowed);
  const given: Readonly<Record<string, unknown>> = { ...value };
  const unknownKey = Object.keys(given).find((key) => key !== 'do' && key !== 'deadline');
  if (unknownKey !== undefined) return bad('one of the keys do, deadline', [unknownKey]);
  const action = words.find((one) => one === given['do']);
  if (action === undefined) return bad('keep, drain or withdraw', given['do'] === undefined ? [] : ['do']);
  if (given['deadline'] === undefined) return ok({ do: action, deadlineMillis: defaultDeadline });
  const deadline = parseDuration(given['deadline'], deadlineBounds);
  if (deadline.kind === 'ok') return ok({ do: action, deadlineMillis: deadline.value });
  return {
    kind: 'bad',
    flaws: deadline.flaws.map((flaw) => ({ ...flaw, path: ['deadline', ...flaw.path] })),
  };
}
