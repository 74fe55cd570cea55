/** The page's languages, and the reader's choice of one, which this browser remembers. */
import { recall, remember } from './remembered.ts';
import { english } from './words.en.ts';
import { chinese } from './words.zh.ts';

export type Words = typeof english;
export type Language = 'en' | 'zh';

const languages: Readonly<Record<Language, Words>> = { en: english, zh: chinese };

export function wordsOf(language: Language): Words {
  return languages[language];
}

/** The remembered one, else the browser's. */
export function chosenLanguage(): Language {
  const kept = recall('language');
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.startsWith('zh') ? 'zh' : 'en';
}

export function chooseLanguage(language: Language): void {
  remember('language', language);
}

/** A word of the contract in the reader's language; one that is newer than this page as it is. */
export function contractWord(words: Words, word: string): string {
  const known: Readonly<Partial<Record<string, string>>> = words.contract;
  return known[word] ?? word;
}
