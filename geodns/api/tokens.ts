/** Who may do what: tokens of nodes, operators and readers, kept as SHA-256 so that the file itself opens nothing. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { wireName } from '../../src/types/wire/common.ts';
import { type Loaded, type Problem, readYaml } from '../yaml-file.ts';

const tokensFile = z.strictObject({
  tokens: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(63),
        role: z.enum(['node', 'edge', 'admin', 'reader']),
        node: wireName.optional(),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of the token in small hexadecimal digits'),
      }),
    )
    .min(1),
});

/** node: writes about its own node and reads; edge: tells what that node's edge served and measured, and reads; admin: everything; reader: reads. */
export interface Caller {
  readonly name: string;
  readonly role: 'node' | 'edge' | 'admin' | 'reader';
  readonly node: string | null;
}

export interface Tokens {
  /** null: no token of ours. */
  callerOf(token: string): Caller | null;
}

export function loadTokens(file: string, text: string): Loaded<Tokens> {
  const loaded = readYaml(file, text, tokensFile, lintTokens);
  if (loaded.kind === 'refused') return loaded;
  const known = loaded.value.tokens.map(({ name, role, node, sha256 }) => ({
    caller: { name, role, node: node ?? null },
    hash: Buffer.from(sha256, 'hex'),
  }));
  return { kind: 'loaded', value: { callerOf: (token) => find(known, token) } };
}

function find(
  known: readonly { readonly caller: Caller; readonly hash: Buffer }[],
  token: string,
): Caller | null {
  const hash = createHash('sha256').update(token).digest();
  const found = known.find((one) => timingSafeEqual(one.hash, hash));
  return found?.caller ?? null;
}

function lintTokens(file: z.output<typeof tokensFile>): readonly Problem[] {
  return file.tokens.flatMap(({ role, node }, index) => {
    const hasNode = role === 'node' || role === 'edge';
    if (hasNode && node === undefined)
      return [{ path: ['tokens', index], text: 'is of a node, so it must say of which: node: hk1' }];
    if (!hasNode && node !== undefined)
      return [{ path: ['tokens', index, 'node'], text: `a ${role} belongs to no node` }];
    return [];
  });
}
