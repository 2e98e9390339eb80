/** The texts of values that cannot be read: few enough to be loaded with the inputs, in every language, so that none waits. */
import { languageOfPage } from '../lazy-texts.ts'
import { useTexts } from '../texts.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { hr } from './hr.ts'

const byLanguage = { en, de, hr }

export const useValueTexts = (): typeof en => {
  // Another language makes the part show its texts in it.
  useTexts()
  return byLanguage[languageOfPage()]
}
