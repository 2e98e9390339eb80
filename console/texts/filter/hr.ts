/** Croatian texts of the form of a whole filter. */
import type { en } from './en.ts'

export const hr: typeof en = {
  title: 'Napredni filtar',
  chosenColumns: 'U ovom popisu',
  field: 'Polje',
  condition: 'Uvjet',
  value: 'Vrijednost',
  values: 'Vrijednosti, svaka u svom retku',
  choices: 'Vrijednosti',
  apply: 'Primijeni',
  advanced: 'Napredni filtar …',
  removeValue: (value) => `Ukloni vrijednost: ${value}`,
  patternHelp: '% zamjenjuje bilo koje znakove, _ jedan.',
  problem: {
    title: 'Filtar se ne može primijeniti',
    unknown: (path) => `Polje „${path}” ne postoji ili ga ne smijete vidjeti.`,
    unread: (condition) =>
      `${condition}: ova se vrijednost ne može pročitati. Promijenite uvjet iznad popisa ili ga uklonite.`,
    unreadable: 'Adresa sadrži filtar koji se ne može pročitati.',
    remove: 'Ukloni ovaj uvjet',
    removeAll: 'Ukloni filtar',
  },
  group: (level) => `Grupa razine ${level}`,
  joinOf: (level) => `Kako su povezani uvjeti razine ${level}`,
  joins: {
    and: 'Svi ovi uvjeti',
    or: 'Bilo koji od ovih uvjeta',
    'not-and': 'Ne svi ovi uvjeti',
    'not-or': 'Nijedan od ovih uvjeta',
  },
  addCondition: 'Dodaj uvjet',
  addGroup: 'Dodaj grupu',
  removeCondition: 'Ukloni uvjet',
  removeGroup: (level) => `Ukloni grupu razine ${level}`,
}
