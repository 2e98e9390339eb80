/** German texts of the form of a whole filter. */
import type { en } from './en.ts'

export const de: typeof en = {
  title: 'Erweiterter Filter',
  chosenColumns: 'In dieser Liste',
  field: 'Feld',
  condition: 'Bedingung',
  value: 'Wert',
  values: 'Werte, einer je Zeile',
  choices: 'Werte',
  apply: 'Anwenden',
  advanced: 'Erweiterter Filter …',
  removeValue: (value) => `Wert entfernen: ${value}`,
  patternHelp: '% steht für beliebige Zeichen, _ für eines.',
  problem: {
    title: 'Der Filter kann nicht angewendet werden',
    unknown: (path) => `Es gibt kein Feld „${path}“, oder Sie dürfen es nicht sehen.`,
    unread: (condition) =>
      `${condition}: Dieser Wert ist nicht lesbar. Ändern Sie die Bedingung über der Liste, oder entfernen Sie sie.`,
    unreadable: 'Die Adresse enthält einen Filter, der nicht lesbar ist.',
    remove: 'Diese Bedingung entfernen',
    removeAll: 'Filter aufheben',
  },
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
