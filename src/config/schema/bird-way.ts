/** `bird.command` and `bird.adopt`: a BIRD behind a command, and sessions that have other names. */
import { z } from 'zod';
import { bad, leaf, ok, type Parsed } from '../leaf.ts';

/** Where BIRD's socket is unless the config says otherwise. */
export const defaultBirdSocket = '/run/bird/bird.ctl';

/** What hands its words to a shell, which takes the quotes of a reason away and reads the rest as commands. */
const shells = ['ssh', 'sh', 'bash', 'dash', 'su'];

const commandEditor = { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 };

/** Words of a program that ends in birdc; each is passed on as it is. */
export const commandSchema = leaf(
  'What runs birdc where the socket is out of reach, such as [docker, exec, bird, birdc]; in place of socket.',
  commandEditor,
  (value): Parsed<readonly [string, ...string[]]> => {
    const allowed = 'a list of words that ends with what birdc needs, such as [docker, exec, bird, birdc]';
    if (!Array.isArray(value)) return bad(allowed);
    const words: readonly unknown[] = value;
    const texts = words.filter((word): word is string => typeof word === 'string' && isWord(word));
    const [program, ...rest] = texts;
    if (program === undefined || texts.length < words.length)
      return bad('words without control characters, at least one');
    const name = program.slice(program.lastIndexOf('/') + 1);
    if (shells.includes(name))
      return bad(`a program that passes its words on as they are: ${name} gives them to a shell`);
    if (!texts.some((word) => /(^|\/)birdcl?$/.test(word))) return bad(allowed);
    return ok([program, ...rest]);
  },
).optional();

// eslint-disable-next-line no-control-regex -- control characters are what it refuses
const isWord = (word: string): boolean => /^[^\u0000-\u001f\u007f]{1,4000}$/.test(word);

const nameAllowed = "the name of the operator's BGP protocol: up to 64 letters, digits, _ . : or -";

const protocolName = leaf(
  "Name of the operator's BGP protocol in BIRD.",
  { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,64}$' },
  (value) =>
    typeof value === 'string' && /^[A-Za-z0-9_.:-]{1,64}$/.test(value) ? ok(value) : bad<string>(nameAllowed),
);

/** By uplink and family (`cmi4`); whether there is such an uplink is a rule of its own. */
export const adoptSchema = z
  .record(z.string(), protocolName, {
    error: 'a mapping from uplink and family to a protocol of BIRD, such as { cmi4: my_cmi_v4 }',
  })
  .meta({
    description: 'For observe mode: sessions that still have other names, by uplink and family (cmi4).',
  })
  .prefault({});
