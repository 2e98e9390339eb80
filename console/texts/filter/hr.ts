/** Croatian texts of the form of a whole filter. */
import type { en } from './en.ts'

export const hr: typeof en = {
  title: 'Promjena filtra',
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
