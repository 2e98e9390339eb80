/** Croatian texts of values that cannot be read. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  number: (example) => `Unesite broj, na primjer ${example}.`,
  whole: (example) => `Unesite cijeli broj, na primjer ${example}.`,
  day: (example) => `Unesite dan, na primjer ${example}.`,
  moment: (example) => `Unesite dan i vrijeme, na primjer ${example}.`,
  previousMonth: 'Prethodni mjesec',
  nextMonth: 'Sljedeći mjesec',
  tooMany: (text, count, most, ways) =>
    `${text} ima ${plural(count, { one: '# decimalu', few: '# decimale', other: '# decimala' })}; ovo polje prima ${
      most === 0 ? 'cijele brojeve' : `najviše ${most}`
    }. Unesite ${ways.join(' ili ')}.`,
  json: 'To nije valjan JSON.',
  choose: 'Odaberite stavku s popisa.',
  noPerson: (words: string) => `Nema osobe s imenom „${words}”. Odaberite s popisa.`,
  noRecord: (words: string) => `Nema zapisa s nazivom „${words}”. Odaberite s popisa.`,
  noChoice: 'Vaša uloga ovdje ne može odabrati zapis.',
  meant: (text, meaning) => `${text} za ${meaning}`,
  fewer: 'manje decimala',
}
