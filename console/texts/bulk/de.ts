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
  checking: 'Es wird geprüft, für welche Datensätze das möglich ist. Noch wird nichts geändert.',
  ready: (count) =>
    plural(count, {
      one: 'Möglich für # Datensatz.',
      other: 'Möglich für # Datensätze.',
    }),
  noneReady: 'Für keinen der Datensätze möglich.',
  unchanged: (count) =>
    plural(count, {
      one: 'Keine Änderung nötig für # Datensatz.',
      other: 'Keine Änderung nötig für # Datensätze.',
    }),
  refused: (count) =>
    plural(count, {
      one: 'Nicht möglich für # Datensatz:',
      other: 'Nicht möglich für # Datensätze:',
    }),
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
  upTo: (count) => `bis zu ${plural(count, { one: '#', other: '#' })}`,
  outOf: (done, total) =>
    `${plural(done, { one: '#', other: '#' })} von ${plural(total, { one: '#', other: '#' })}`,
  stop: 'Anhalten',
  stopHint: 'Es wird nach dem Teil angehalten, der gerade gespeichert wird.',
  stopping: 'Wird angehalten …',
  done: (count) =>
    plural(count, {
      one: 'Erledigt: # Datensatz.',
      other: 'Erledigt: # Datensätze.',
    }),
  undone: (count) =>
    plural(count, {
      one: '# Datensatz ist wieder wie vorher.',
      other: '# Datensätze sind wieder wie vorher.',
    }),
  notDone: (count) =>
    plural(count, {
      one: 'Nicht erledigt und weiterhin ausgewählt: # Datensatz',
      other: 'Nicht erledigt und weiterhin ausgewählt: # Datensätze',
    }),
  left: (count) =>
    plural(count, {
      one: '# Datensatz kam nicht an die Reihe.',
      other: '# Datensätze kamen nicht an die Reihe.',
    }),
  unknown:
    'Der Dienst hat nicht geantwortet. Es ist nicht bekannt, ob die letzten Datensätze gespeichert wurden; sehen Sie nach, bevor Sie es erneut versuchen.',
  rows: 'Ergebnis je Datensatz',
  states: { done: 'erledigt', unchanged: 'keine Änderung nötig' },
  more: (count) => plural(count, { one: 'und # weiterer', other: 'und # weitere' }),
  reasons: {
    'record.unknown': 'existiert nicht mehr oder ist für Ihre Rolle nicht sichtbar',
    'caller.forbidden': 'für Ihre Rolle nicht erlaubt',
    'caller.condition-not-met': 'eine Regel Ihrer Rolle erlaubt es im jetzigen Zustand nicht',
    'record.stale': 'wurde inzwischen von jemand anderem geändert',
    'workflow.action-not-open': 'die Aktion ist im Schritt des Datensatzes nicht möglich',
    'workflow.condition-not-met':
      'eine Bedingung der Aktion ist für Sie nicht erfüllt, etwa ein Limit',
  },
}
