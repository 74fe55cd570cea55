/** The page's words in each of its languages. */
import type { Language } from '../../../src/http/page/browser/language.ts';
import { english } from './words.en.ts';
import { chinese } from './words.zh.ts';

export type Words = typeof english;

const languages: Readonly<Record<Language, Words>> = { en: english, zh: chinese };

export function wordsOf(language: Language): Words {
  return languages[language];
}
