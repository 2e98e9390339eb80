/** Croatian texts of whom something would notify. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')
const people = { one: '# osoba', few: '# osobe', other: '# osoba' }

export const hr: typeof en = {
  notifies: (who) => `Primatelji obavijesti: ${who}`,
  nobody: 'Obavijest ne dobiva nitko.',
  people: (count) => plural(count, people),
  moreThan: (count) =>
    `više od ${plural(count, { one: '# osobe', few: '# osobe', other: '# osoba' })}`,
  others: (names, count) => `${names} ${plural(count, { one: 'i još #', other: 'i još #' })}`,
  about: (count) => plural(count, { one: 'o # zapisu', other: 'o # zapisa' }),
  emails: (count) => plural(count, { one: '# e-poruka', few: '# e-poruke', other: '# e-poruka' }),
  ofFirst: (count) => `za prvih ${count} zapisa`,
  partial: 'Možda će je dobiti i drugi: to ovisi o poljima koja ne smijete vidjeti.',
  wereNotified: 'Primatelji obavijesti',
  nobodyYet: 'O ovom zapisu još nitko nije dobio obavijest.',
  channels: { inbox: 'Konzola', email: 'E-pošta', webhook: 'Webhook' },
  notYet: (channel) => `${channel}: još nije poslano`,
  further: (count) => plural(count, { one: 'i još #', other: 'i još #' }),
  wasHidden: 'Tko je dobio obavijest, ovisi o poljima koja ne smijete vidjeti.',
  hidden: 'Tko dobiva obavijest, ovisi o poljima koja ne smijete vidjeti.',
}
