/** Croatian texts of what is wrong with a value of a field. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  noField: 'Nema polja s tim nazivom.',
  missing: 'Unesite vrijednost.',
  range: 'Broj je prevelik.',
  choice: 'Odaberite jednu od vrijednosti.',
  digits: (count) =>
    plural(count, {
      one: 'Unesite najviše # znamenku ispred decimalnog zareza.',
      few: 'Unesite najviše # znamenke ispred decimalnog zareza.',
      other: 'Unesite najviše # znamenki ispred decimalnog zareza.',
    }),
  length: (count) =>
    plural(count, {
      one: 'Unesite najviše # znak.',
      few: 'Unesite najviše # znaka.',
      other: 'Unesite najviše # znakova.',
    }),
  used: (count, most) =>
    plural(most, {
      one: `${count} od # znaka`,
      few: `${count} od # znaka`,
      other: `${count} od # znakova`,
    }),
  least: (value) => `Unesite ${value} ili više.`,
  most: (value) => `Unesite ${value} ili manje.`,
  earliest: (day) => `Unesite ${day} ili kasniji dan.`,
  latest: (day) => `Unesite ${day} ili raniji dan.`,
  email: 'Unesite adresu e-pošte, na primjer ana@example.com.',
  url: (example) => `Unesite potpunu adresu, na primjer ${example}.`,
  form: 'Ovo nema traženi oblik.',
  link: 'Odaberite drugi zapis: ovaj je uklonjen ili ga ne smijete vidjeti.',
  taken: 'Drugi zapis već ima tu vrijednost. Unesite drugu.',
  takenTogether: (list) =>
    `Drugi zapis već ima ovu kombinaciju: ${list}. Promijenite jednu od vrijednosti.`,
}
