/** Wire schemas as JSON Schema (draft 2020-12), for OpenAPI and editors. */
import { z } from 'zod';

export type WireSchema = z.ZodType;
export type JsonSchema = Readonly<Record<string, unknown>>;

/** `input`: as it is sent to the daemon, where what has a default may be left out; `output`: as the daemon sends it. */
export function jsonSchemaOf(schema: WireSchema, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return made;
}
