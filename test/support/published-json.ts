/** What a command prints with `--json`, against the schema that docs/schemas publishes for it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { jsonOutputs } from '../../src/cli/json-outputs.ts';

export const schemaFolder = join(import.meta.dirname, '../../docs/schemas');

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

/** Valid by the published file; and nothing is in it that the schema does not have. Gives what was printed. */
export function expectPublished(name: string, text: string): unknown {
  const found: unknown = JSON.parse(text);
  const file: object = JSON.parse(readFileSync(join(schemaFolder, `${name}.json`), 'utf8'));
  const validate = ajv.compile(file);
  expect(validate(found), `${name}: ${ajv.errorsText(validate.errors)}\n${text}`).toBe(true);
  const output = jsonOutputs.find((one) => one.name === name);
  expect(output?.schema.parse(found)).toEqual(found);
  return found;
}
