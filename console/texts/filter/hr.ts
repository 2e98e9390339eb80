/** Croatian texts of the form of a whole filter. */
import type { en } from './en.ts'

export const hr: typeof en = {
  title: 'Promjena filtra',
  group: (level) => `Skupina razine ${level}`,
  joinOf: (level) => `Kako su povezani uvjeti razine ${level}`,
  joins: {
    and: 'Svi od ovih',
    or: 'Bilo koji od ovih',
    'not-and': 'Ne svi od ovih',
    'not-or': 'Nijedan od ovih',
  },
  addCondition: 'Dodaj uvjet',
  addGroup: 'Dodaj skupinu',
  removeCondition: 'Ukloni uvjet',
  removeGroup: (level) => `Ukloni skupinu razine ${level}`,
}
