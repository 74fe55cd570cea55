/** The page's words in each of its languages. */
import type { Language } from './language.ts';
import { english } from './words.en.ts';
import { chinese } from './words.zh.ts';

export type Words = typeof english;

const languages: Readonly<Record<Language, Words>> = { en: english, zh: chinese };

export function wordsOf(language: Language): Words {
  return languages[language];
}

/** A word of the contract in the reader's language; one that is newer than this page as it is. */
export function contractWord(words: Words, word: string): string {
  const known: Readonly<Partial<Record<string, string>>> = words.contract;
  return known[word] ?? word;
}
