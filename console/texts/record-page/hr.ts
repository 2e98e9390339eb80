/** Croatian texts of the page of a record. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  parts: 'Dijelovi zapisa',
  fields: 'Polja',
  unsavedFields: 'Polja, nespremljeno',
  actions: 'Ostale radnje',
  owner: (name: string) => `Vlasnik: ${name}`,
  takeOver: 'Preuzmi',
  takeOverTitle: (name: string) => `Preuzeti ${name}?`,
  takeOverHint: 'Postajete vlasnik. Što uloga smije s vlastitim zapisima, smije tada i s ovim.',
  remove: 'Ukloni …',
  removeTitle: (name: string) => `Ukloniti ${name}?`,
  removeHint: 'Zapis nestaje iz svih popisa. Na ovoj stranici može se vratiti.',
  removeNow: 'Ukloni',
  removed: 'Ovaj je zapis uklonjen.',
  restore: 'Vrati',
  all: (count: number) =>
    plural(count, { one: 'Svi (#) u popisu', few: 'Sva # u popisu', other: 'Svih # u popisu' }),
  newRelated: (entity: string) => `Novo: ${entity}`,
  noRelated: 'Još ih nema.',
  createAnother: 'Izradi i dodaj još',
  created: (name: string) => `${name}: izrađeno.`,
  unreadable: 'Ovaj zapis ne smijete vidjeti.',
  moreFields: (count: number) =>
    plural(count, { one: 'Još # polje', few: 'Još # polja', other: 'Još # polja' }),
  next: 'Sljedeći zapis',
  previous: 'Prethodni zapis',
  neighbours: 'Popis iz kojeg je otvoren',
  tells: (names: string) => `Obavještava: ${names}`,
  tellsNobody: 'Ne obavještava nikoga.',
  andMore: (count: number) => plural(count, { one: 'i još #', few: 'i još #', other: 'i još #' }),
  emails: (count: number) =>
    plural(count, { one: '# e-poruka', few: '# e-poruke', other: '# e-poruka' }),
  open: (name: string) => `Otvori ${name}`,
  operations: {
    create: 'izrada zapisa',
    change: 'izmjena zapisa',
    remove: 'uklanjanje zapisa',
    restore: 'vraćanje zapisa',
    takeOwnership: 'preuzimanje zapisa',
    createTask: 'novi zadatak',
    changeTask: 'izmjena zadatka',
    assignTask: 'dodjela zadatka',
    completeTask: 'dovršen zadatak',
    reopenTask: 'ponovno otvoren zadatak',
    removeTask: 'uklonjen zadatak',
    restoreTask: 'vraćen zadatak',
  },
}
