/** The code in a page of the docs: what stands in fences, and what is indented by four or more. */
import { readFileSync } from 'node:fs';

export interface Block {
  readonly page: string;
  /** Where it begins: the fence, or the first line of an indented one. */
  readonly line: number;
  /** Of the part of the page that it stands in. */
  readonly heading: string;
  /** Of a fence; `indented` for one without. */
  readonly language: string;
  readonly lines: readonly string[];
  /** What the comment above it says; null: there is none. */
  readonly mark: string | null;
}

interface Found {
  readonly language: string;
  readonly lines: readonly string[];
  /** The line behind it. */
  readonly next: number;
}

const comment = /^ *<!-- example: (.+) -->$/;

/** Every block of a page, in its order. Throws where a fence is not closed. */
export function blocksOf(page: string): readonly Block[] {
  const all = readFileSync(page, 'utf8').split('\n');
  const blocks: Block[] = [];
  let heading = '';
  for (let at = 0; at < all.length; ) {
    heading = /^#+ (.*)$/.exec(all[at] ?? '')?.[1] ?? heading;
    const found = fencedAt(page, all, at) ?? indentedAt(all, at);
    if (found === null) at += 1;
    else {
      const { language, lines, next } = found;
      const mark = comment.exec(all[at - 1] ?? '')?.[1] ?? null;
      blocks.push({ page, line: at + 1, heading, language, lines, mark });
      at = next;
    }
  }
  return blocks;
}

function fencedAt(page: string, all: readonly string[], at: number): Found | null {
  const opening = /^( *)```(\w*)$/.exec(all[at] ?? '');
  if (opening === null) return null;
  const [, margin = '', language = ''] = opening;
  const end = all.indexOf(`${margin}\`\`\``, at + 1);
  if (end === -1) throw new Error(`${page}:${at + 1}: a fence is not closed`);
  return { language, lines: all.slice(at + 1, end).map((line) => line.slice(margin.length)), next: end + 1 };
}

/** One begins behind a blank line or its comment; what is indented below text goes on with the text. */
function indentedAt(all: readonly string[], at: number): Found | null {
  const margin = /^ {4,}(?=\S)/.exec(all[at] ?? '')?.[0];
  const above = all[at - 1] ?? '';
  if (margin === undefined || (above !== '' && !comment.test(above))) return null;
  const rest = all.slice(at);
  const length = rest.findIndex((line) => !line.startsWith(margin));
  const lines = length === -1 ? rest : rest.slice(0, length);
  return {
    language: 'indented',
    lines: lines.map((line) => line.slice(margin.length)),
    next: at + lines.length,
  };
}

/** Lines of a shell, continued lines joined; of a console what stands behind the prompt. */
export function shellLines({ language, lines }: Block): readonly string[] {
  const joined = lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n');
  if (language === 'console') return joined.flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
  return joined.map((line) => line.replace(/^\s*[$#] (?=causeway|sudo)/, ''));
}

/** The tests that run the shell lines of a page, by its comment `<!-- examples: TEST TEST -->`. */
export function runnersOf(page: string): readonly string[] {
  return /^<!-- examples: (.+) -->$/m.exec(readFileSync(page, 'utf8'))?.[1]?.split(' ') ?? [];
}
