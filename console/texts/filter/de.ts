/** German texts of the form of a whole filter. */
import type { en } from './en.ts'

export const de: typeof en = {
  title: 'Filter ändern',
  group: (level) => `Gruppe der Ebene ${level}`,
  joinOf: (level) => `Verknüpfung der Bedingungen der Ebene ${level}`,
  joins: {
    and: 'Alle Bedingungen',
    or: 'Mindestens eine Bedingung',
    'not-and': 'Nicht alle Bedingungen',
    'not-or': 'Keine Bedingung',
  },
  addCondition: 'Bedingung hinzufügen',
  addGroup: 'Gruppe hinzufügen',
  removeCondition: 'Bedingung entfernen',
  removeGroup: (level) => `Gruppe der Ebene ${level} entfernen`,
}
