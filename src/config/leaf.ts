/** A single value of the config: how it is read, what is allowed, and what editors are told about it. */
import { z } from 'zod';

/** Where something stands in the config: keys and list indexes from the top. */
export type ConfigPath = readonly (string | number)[];

/** What is wrong with a value. `path` goes on from the value itself; empty: the whole of it. */
export interface Flaw {
  readonly path: ConfigPath;
  /** What may stand there, as the end of the sentence "allowed: …". */
  readonly allowed: string;
}

/** A value that was read, or everything that is wrong with it. */
export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'bad'; readonly flaws: readonly Flaw[] };

/** What a parser returns for a value that is right. */
export function ok<T>(value: T): Parsed<T> {
  return { kind: 'ok', value };
}

/** What a parser returns for a value with one flaw. */
export function bad<T>(allowed: string, path: ConfigPath = []): Parsed<T> {
  return { kind: 'bad', flaws: [{ path, allowed }] };
}

/** What editors are told: JSON Schema keywords of the value as it is written in the file. */
export type EditorSchema = Readonly<Record<string, unknown>>;

/**
 * A schema of one value. Each flaw becomes one issue whose message says what is allowed.
 * The sentence is shown by editors and in the reference.
 */
export function leaf<T>(sentence: string, editor: EditorSchema, parse: (value: unknown) => Parsed<T>) {
  return z
    .unknown()
    .transform((value, context): T => {
      const parsed = parse(value);
      if (parsed.kind === 'ok') return parsed.value;
      for (const flaw of parsed.flaws)
        context.issues.push({
          code: 'custom',
          input: value,
          path: [...flaw.path],
          message: flaw.allowed,
        });
      return z.NEVER;
    })
    .meta({ ...editor, description: sentence });
}

/** Reads one value by its schema; null when it is not right, which the schema of the whole reports. */
export function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | null {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : null;
}
