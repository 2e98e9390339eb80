/** German texts of writing many records at once. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  operations: { change: 'Feld ändern', takeOwnership: 'Übernehmen', remove: 'Entfernen' },
  actions: 'Aktionen',
  title: (name, count) =>
    plural(count, { one: `${name}: # Datensatz`, other: `${name}: # Datensätze` }),
  field: 'Feld',
  clears: 'Ohne Wert wird das Feld leer.',
  check: 'Prüfen',
  checking:
    'Es wird geprüft, welche Datensätze geschrieben werden können. Noch ändert sich nichts.',
  ready: (count) =>
    plural(count, {
      one: '# Datensatz kann geschrieben werden.',
      other: '# Datensätze können geschrieben werden.',
    }),
  noneReady: 'Keiner der Datensätze kann geschrieben werden.',
  unchanged: (count) => plural(count, { one: '# ist schon so.', other: '# sind schon so.' }),
  refused: (count) => plural(count, { one: '# geht nicht:', other: '# gehen nicht:' }),
  confirm: {
    change: (count) => plural(count, { one: '# Datensatz ändern', other: '# Datensätze ändern' }),
    takeOwnership: (count) =>
      plural(count, { one: '# Datensatz übernehmen', other: '# Datensätze übernehmen' }),
    remove: (count) =>
      plural(count, { one: '# Datensatz entfernen', other: '# Datensätze entfernen' }),
  },
  confirmAction: (name, count) =>
    plural(count, { one: `${name}: # Datensatz`, other: `${name}: # Datensätze` }),
  back: 'Zurück',
  progress: 'Fortschritt',
  reached: (done, total) =>
    `${plural(done, { one: '#', other: '#' })} von ${plural(total, { one: '#', other: '#' })}`,
  stop: 'Anhalten',
  stopHint: 'Es hält nach dem Teil an, der gerade geschrieben wird.',
  stopping: 'Hält an …',
  done: (count) =>
    plural(count, {
      one: '# Datensatz wurde geschrieben.',
      other: '# Datensätze wurden geschrieben.',
    }),
  undone: (count) =>
    plural(count, {
      one: '# Datensatz ist wieder wie vorher.',
      other: '# Datensätze sind wieder wie vorher.',
    }),
  notDone: (count) =>
    plural(count, {
      one: '# wurde nicht geschrieben und bleibt ausgewählt:',
      other: '# wurden nicht geschrieben und bleiben ausgewählt:',
    }),
  left: (count) =>
    plural(count, {
      one: '# Datensatz kam nicht an die Reihe.',
      other: '# Datensätze kamen nicht an die Reihe.',
    }),
  unknown:
    'Der Dienst hat nicht geantwortet. Ob die zuletzt gesendeten Datensätze geschrieben sind, ist nicht bekannt; sehen Sie nach, bevor Sie es erneut versuchen.',
  rows: 'Ergebnis je Datensatz',
  states: { done: 'geschrieben', unchanged: 'war schon so' },
  more: (count) => plural(count, { one: 'und # weiterer', other: 'und # weitere' }),
  reasons: {
    'record.unknown': 'gibt es nicht mehr, oder Ihre Rolle darf ihn nicht sehen',
    'caller.forbidden': 'Ihre Rolle darf das mit ihm nicht tun',
    'record.stale': 'wurde inzwischen von jemand anderem geändert',
    'workflow.action-not-open': 'die Aktion ist im Schritt des Datensatzes nicht offen',
  },
}
