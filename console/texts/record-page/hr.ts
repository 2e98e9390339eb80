/** Croatian texts of the page of a record. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  parts: 'Dijelovi zapisa',
  help: 'Čemu ovo služi?',
  helpOfField: 'Objasni polje',
  fields: 'Polja',
  unsavedFields: 'Polja, nespremljeno',
  actions: 'Ostale radnje',
  owner: (name: string) => `Vlasnik: ${name}`,
  takeOver: 'Preuzmi vlasništvo',
  takeOverTitle: (name: string) => `Preuzeti vlasništvo: ${name}?`,
  takeOverHint:
    'Postajete vlasnik zapisa. S njim tada smijete sve što vaša uloga smije s vlastitim zapisima.',
  remove: 'Ukloni …',
  removeTitle: (name: string) => `Ukloniti: ${name}?`,
  removeHint: 'Zapis nestaje sa svih popisa. Možete ga vratiti na ovoj stranici.',
  removeNow: 'Ukloni',
  somebody: 'Netko',
  changedBy: (name: string) => `${name}: zapis je upravo promijenjen.`,
  changesKept: 'Vaše promjene ostaju i spajaju se s ovima kad spremite.',
  recordGone: 'Ovaj je zapis upravo uklonjen ili ga više ne smijete vidjeti.',
  leaveTitle: 'Napustiti stranicu bez spremanja?',
  leaveHelp: 'Vaš se unos može odbaciti ili sačuvati u ovom pregledniku dok se ne vratite.',
  keepAndLeave: 'Sačuvaj i napusti',
  stay: 'Ostani na stranici',
  removed: 'Ovaj je zapis uklonjen.',
  restore: 'Vrati',
  all: (count: number) =>
    plural(count, {
      one: 'Prikaži na popisu (#)',
      few: 'Prikaži na popisu (#)',
      other: 'Prikaži na popisu (#)',
    }),
  noRelated: 'Još ih nema.',
  createAnother: 'Izradi i dodaj sljedeći',
  created: (name: string) => `${name}: izrađeno.`,
  unreadable: 'Ovaj zapis ne smijete vidjeti.',
  moreFields: (count: number) =>
    plural(count, { one: 'Još # polje', few: 'Još # polja', other: 'Još # polja' }),
  next: 'Sljedeći zapis',
  previous: 'Prethodni zapis',
  neighbours: 'Popis s kojeg je zapis otvoren',
  andMore: (count: number) => plural(count, { one: 'i još #', few: 'i još #', other: 'i još #' }),
  open: (name: string) => `Otvori: ${name}`,
  yours: (label: string) => `vaša vrijednost ${label}`,
  unmet: (action: string, list: string) =>
    list === ''
      ? `Radnja ${action} ovdje vam nije dostupna.`
      : `Radnja ${action} ovdje vam nije dostupna. Ovisi o: ${list}.`,
  saveFirst: 'Najprije spremite ili odbacite promjene: radnja ih ne bi obuhvatila.',
  unmetRights: {
    both: (list: string) =>
      list === ''
        ? 'Ovaj zapis sada ne smijete ni mijenjati ni ukloniti.'
        : `Ovaj zapis sada ne smijete ni mijenjati ni ukloniti. Ovisi o: ${list}.`,
    update: (list: string) =>
      list === ''
        ? 'Ovaj zapis sada ne smijete mijenjati.'
        : `Ovaj zapis sada ne smijete mijenjati. Ovisi o: ${list}.`,
    delete: (list: string) =>
      list === ''
        ? 'Ovaj zapis sada ne smijete ukloniti.'
        : `Ovaj zapis sada ne smijete ukloniti. Ovisi o: ${list}.`,
  },
  operations: {
    create: 'izrada zapisa',
    change: 'promjena zapisa',
    remove: 'uklanjanje zapisa',
    restore: 'vraćanje zapisa',
    takeOwnership: 'preuzimanje zapisa',
    createTask: 'izrada zadatka',
    changeTask: 'promjena zadatka',
    assignTask: 'dodjela zadatka',
    completeTask: 'dovršetak zadatka',
    reopenTask: 'ponovno otvaranje zadatka',
    removeTask: 'uklanjanje zadatka',
    restoreTask: 'vraćanje zadatka',
  },
  theirs: (value: string) => `Spremio netko drugi: ${value || '–'}`,
  merged:
    'Netko drugi u međuvremenu je spremio zapis; sada vidite i te promjene. Spremite ponovno da biste zadržali oboje.',
  keepMine: 'Zadrži moju vrijednost',
  takeTheirs: 'Uzmi spremljenu vrijednost',
  history: 'Povijest',
  noHistory: 'Još nema promjena.',
  calculatedChanges: (count: number) =>
    plural(count, {
      one: '# promjena izračunatih vrijednosti',
      few: '# promjene izračunatih vrijednosti',
      other: '# promjena izračunatih vrijednosti',
    }),
  service: 'Sustav',
  unsaved: (count: number) =>
    plural(count, {
      one: '# promjena nije spremljena',
      few: '# promjene nisu spremljene',
      other: '# promjena nije spremljeno',
    }),
  conflicts: (count: number) =>
    plural(count, {
      one: '# polje promijenio je i netko drugi: odaberite vrijednost.',
      few: '# polja promijenio je i netko drugi: odaberite vrijednosti.',
      other: '# polja promijenio je i netko drugi: odaberite vrijednosti.',
    }),
  refused: (count) =>
    plural(count, {
      one: '# polje treba provjeriti:',
      few: '# polja treba provjeriti:',
      other: '# polja treba provjeriti:',
    }),
  whoIsTold: 'Tko je dobio obavijest?',
}
