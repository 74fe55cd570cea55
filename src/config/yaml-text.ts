/** YAML text to its tree: one document of YAML 1.2, or one clear reason why it is none. */
import { isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import { isTooDeep } from './yaml-depth.ts';
import { treeOfDocument, type Place, type TreeFlaw, type TreeRead } from './yaml-tree.ts';

/** Reads a text. Never throws; a text that is no YAML has one flaw at its place. */
export function readTree(text: string): TreeRead {
  const lines = new LineCounter();
  const place = (at: number): Place => {
    const { line, col } = lines.linePos(at);
    // The counter knows no line of an empty text.
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  if (isTooDeep(text))
    return {
      tree: null,
      flaws: [{ at: 0, said: 'lists and mappings are nested more than 50 deep: no config is' }],
      place,
    };
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    schema: 'core',
  });
  const broken = syntaxFlaws(document);
  if (broken.length > 0) return { tree: null, flaws: broken, place };
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    return {
      tree: null,
      flaws: [{ at: 0, said: 'the file is empty: write a config, such as docs/causeway.example.yaml' }],
      place,
    };
  return { ...treeOfDocument(document.contents, place), place };
}

function syntaxFlaws(document: Document.Parsed): readonly TreeFlaw[] {
  const version = document.directives.yaml.version;
  if (version !== '1.2')
    return [{ at: 0, said: `the file asks for YAML ${version}: leave the %YAML line out, YAML 1.2 is read` }];
  const several = document.errors.find((error) => error.code === 'MULTIPLE_DOCS');
  if (several !== undefined)
    return [{ at: several.pos[0], said: 'a second YAML document begins here: keep the config in one' }];
  // Those after the first mostly follow from it.
  const [first] = document.errors;
  return first === undefined ? [] : [{ at: first.pos[0], said: `this is not YAML: ${first.message}` }];
}
