/** The JSON Schema for editors, from the same schema that reads the file. */
import { z } from 'zod';
import { rootSchema } from './schema/root.ts';

/** JSON Schema (draft 2020-12) of the file as it is written. Rules between keys are checked by `causeway check` alone. */
export function jsonSchema(): Readonly<Record<string, unknown>> {
  return { title: 'Causeway node', ...z.toJSONSchema(rootSchema, { io: 'input', reused: 'inline' }) };
}
