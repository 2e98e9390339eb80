/** The texts of JSON values: few enough to be loaded in every language, with the part that is loaded when one is there. */
import { languageOfPage } from '../lazy-texts.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { hr } from './hr.ts'

const byLanguage = { en, de, hr }

export const jsonTexts = (): typeof en => byLanguage[languageOfPage()]
