/** The reader's choice of a language, which this browser remembers. */
import { recall, remember } from './remembered.ts';

export type Language = 'en' | 'zh';

/** The remembered one, else the browser's. */
export function chosenLanguage(): Language {
  const kept = recall('language');
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.startsWith('zh') ? 'zh' : 'en';
}

export function chooseLanguage(language: Language): void {
  remember('language', language);
}
