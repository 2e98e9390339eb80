/** German texts of the page of own changes. */
import type { en } from './en.ts'

export const de: typeof en = {
  help: 'Was Sie geändert haben, das Neueste zuerst. Rückgängig machen ist eine weitere Änderung mit allen Prüfungen und geht auch Tage später.',
  empty: 'Sie haben noch nichts geändert.',
  more: 'Ältere Änderungen anzeigen',
  undo: (what: string, name: string) => `Rückgängig: ${what}, ${name}`,
  backBy: (action: string) => `${action} …`,
  undone: (name: string) => `Rückgängig gemacht: ${name}`,
  lastOne: 'Letzte Änderung rückgängig machen',
  unsaved: 'Nicht gespeichert',
  unsavedHelp: 'Was Sie in diesem Browser eingegeben und nicht gespeichert oder gesendet haben.',
  newRecord: 'Neuer Datensatz',
  form: 'In einem Formular',
  cells: 'In der Liste',
  tasks: 'Neue Aufgabe',
  discard: (name: string) => `Eingaben verwerfen: ${name}`,
  reasons: {
    gone: 'Seitdem entfernt oder für Sie nicht mehr sichtbar.',
    notAllowed: 'Sie dürfen das nicht zurückändern.',
    changedSince: 'Seitdem wieder geändert.',
    restored: 'Bereits wiederhergestellt.',
    owner: 'Wer zuvor zuständig war, kann wieder übernehmen.',
    moved: 'Der Datensatz ist inzwischen in einem anderen Schritt.',
    told: 'Andere wurden benachrichtigt, und keine Aktion führt zurück.',
    task: 'Kann nicht rückgängig gemacht werden.',
    onPage: 'Kann auf der Seite des Datensatzes entfernt werden.',
  },
}
