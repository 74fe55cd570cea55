/** Reads edge.yaml and the networks.yaml that it names; everything that is wrong in either, at once. */
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../src/types/message-of.ts';
import { networksFile } from '../../src/types/wire/networks.ts';
import { compileNetworks } from '../networks/compile.ts';
import type { CompiledNetworks } from '../networks/compile.ts';
import { crosscheck } from './crosscheck.ts';
import { checkDocument } from './document.ts';
import type { Checked } from './problem.ts';
import { edgeFile } from './schema.ts';
import type { EdgeConfig } from './schema.ts';

export interface EdgeInput {
  readonly config: EdgeConfig;
  readonly networks: CompiledNetworks;
}

/** Loads a config file. Never throws for what people wrote or for a file that cannot be read. */
export async function loadEdge(file: string): Promise<Checked<EdgeInput>> {
  const text = await readText(file);
  if (text.kind === 'wrong') return text;
  const parsed = checkDocument(file, text.value, edgeFile);
  if (parsed.kind === 'wrong') return parsed;
  const networks = await loadNetworks(parsed.value.value.networks);
  if (networks.kind === 'wrong') return networks;
  const problems = crosscheck(parsed.value, networks.value);
  if (problems.length > 0) return { kind: 'wrong', problems };
  return { kind: 'ok', value: { config: parsed.value.value, networks: networks.value } };
}

/** Loads and compiles a networks.yaml. */
export async function loadNetworks(file: string): Promise<Checked<CompiledNetworks>> {
  const text = await readText(file);
  if (text.kind === 'wrong') return text;
  const parsed = checkDocument(file, text.value, networksFile);
  return parsed.kind === 'wrong' ? parsed : compileNetworks(parsed.value);
}

async function readText(file: string): Promise<Checked<string>> {
  try {
    return { kind: 'ok', value: await readFile(file, 'utf8') };
  } catch (error) {
    const message = `cannot be read: ${messageOf(error)}`;
    return { kind: 'wrong', problems: [{ file, line: null, column: null, path: '', message }] };
  }
}
