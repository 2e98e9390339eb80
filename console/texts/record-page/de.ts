/** German texts of the page of a record. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  parts: 'Teile des Datensatzes',
  help: 'Wozu dient das?',
  helpOfField: 'Feld erklären',
  fields: 'Felder',
  unsavedFields: 'Felder, nicht gespeichert',
  actions: 'Weitere Aktionen',
  owner: (name: string) => `Zuständig: ${name}`,
  takeOver: 'Übernehmen',
  takeOverTitle: (name: string) => `${name} übernehmen?`,
  takeOverHint:
    'Sie werden für den Datensatz zuständig und dürfen damit alles, was Ihre Rolle mit eigenen Datensätzen darf.',
  remove: 'Entfernen …',
  removeTitle: (name: string) => `${name} entfernen?`,
  removeHint:
    'Der Datensatz verschwindet aus allen Listen. Auf dieser Seite lässt er sich wiederherstellen.',
  removeNow: 'Entfernen',
  somebody: 'Jemand',
  changedBy: (name: string) => `${name} hat diesen Datensatz gerade geändert.`,
  changesKept:
    'Ihre Änderungen bleiben erhalten und werden beim Speichern mit diesen zusammengeführt.',
  recordGone: 'Dieser Datensatz wurde gerade entfernt oder ist für Sie nicht mehr sichtbar.',
  leaveTitle: 'Seite ohne Speichern verlassen?',
  leaveHelp:
    'Ihre Eingaben können in diesem Browser aufbewahrt werden, bis Sie zurückkommen, oder verworfen werden.',
  keepAndLeave: 'Aufbewahren und verlassen',
  stay: 'Auf der Seite bleiben',
  removed: 'Dieser Datensatz wurde entfernt.',
  restore: 'Wiederherstellen',
  all: (count: number) =>
    plural(count, { one: 'In der Liste anzeigen', other: 'Alle # in der Liste anzeigen' }),
  noRelated: 'Es gibt noch keine.',
  createAnother: 'Anlegen und nächsten hinzufügen',
  created: (name: string) => `${name} wurde angelegt.`,
  unreadable: 'Diesen Datensatz dürfen Sie nicht sehen.',
  moreFields: (count: number) =>
    plural(count, { one: 'Ein weiteres Feld', other: '# weitere Felder' }),
  next: 'Nächster Datensatz',
  previous: 'Voriger Datensatz',
  neighbours: 'Liste, aus der der Datensatz geöffnet wurde',
  andMore: (count: number) => plural(count, { one: 'und noch #', other: 'und noch #' }),
  open: (name: string) => `${name} öffnen`,
  yours: (label: string) => `Ihr Wert ${label}`,
  unmet: (action: string, list: string) =>
    list === ''
      ? `${action} steht Ihnen hier nicht offen.`
      : `${action} steht Ihnen hier nicht offen. Das hängt ab von: ${list}.`,
  saveFirst:
    'Speichern oder verwerfen Sie zuerst Ihre Änderungen: Die Aktion würde sie nicht enthalten.',
  unmetRights: {
    both: (list: string) =>
      list === ''
        ? 'Sie dürfen diesen Datensatz jetzt weder ändern noch entfernen.'
        : `Sie dürfen diesen Datensatz jetzt weder ändern noch entfernen. Das hängt ab von: ${list}.`,
    update: (list: string) =>
      list === ''
        ? 'Sie dürfen diesen Datensatz jetzt nicht ändern.'
        : `Sie dürfen diesen Datensatz jetzt nicht ändern. Das hängt ab von: ${list}.`,
    delete: (list: string) =>
      list === ''
        ? 'Sie dürfen diesen Datensatz jetzt nicht entfernen.'
        : `Sie dürfen diesen Datensatz jetzt nicht entfernen. Das hängt ab von: ${list}.`,
  },
  operations: {
    create: 'Datensatz angelegt',
    change: 'Datensatz geändert',
    remove: 'Datensatz entfernt',
    restore: 'Datensatz wiederhergestellt',
    takeOwnership: 'Datensatz übernommen',
    createTask: 'Aufgabe angelegt',
    changeTask: 'Aufgabe geändert',
    assignTask: 'Aufgabe zugewiesen',
    completeTask: 'Aufgabe erledigt',
    reopenTask: 'Aufgabe wieder geöffnet',
    removeTask: 'Aufgabe entfernt',
    restoreTask: 'Aufgabe wiederhergestellt',
  },
  theirs: (value: string) => `Von jemand anderem gespeichert: ${value || '–'}`,
  merged:
    'Inzwischen hat jemand anderes gespeichert; Sie sehen jetzt auch diese Änderungen. Speichern Sie erneut, um beide zu behalten.',
  keepMine: 'Meinen Wert behalten',
  takeTheirs: 'Gespeicherten Wert verwenden',
  history: 'Verlauf',
  noHistory: 'Noch keine Änderungen.',
  calculatedChanges: (count: number) =>
    plural(count, { one: '# Änderung berechneter Werte', other: '# Änderungen berechneter Werte' }),
  service: 'Der Dienst',
  unsaved: (count: number) =>
    plural(count, {
      one: '# Änderung ist nicht gespeichert',
      other: '# Änderungen sind nicht gespeichert',
    }),
  conflicts: (count: number) =>
    plural(count, {
      one: '# Feld wurde auch von jemand anderem geändert: Wählen Sie einen Wert.',
      other: '# Felder wurden auch von jemand anderem geändert: Wählen Sie die Werte.',
    }),
  refused: (count) =>
    plural(count, { one: '# Feld ist zu prüfen:', other: '# Felder sind zu prüfen:' }),
  whoIsTold: 'Wer wurde benachrichtigt?',
}
