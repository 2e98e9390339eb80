/** German texts. */

import { de as cellTexts } from './cells/de.ts'
import { de as changes } from './changes/de.ts'
import { de as drafts } from './drafts/de.ts'
import type { en } from './en.ts'
import { de as keys } from './keys/de.ts'
import { createPlural } from './plural.ts'
import { de as selection } from './selection/de.ts'

const plural = createPlural('de')

export const de: typeof en = {
  common: {
    calendar: 'Kalender',
    cancel: 'Abbrechen',
    close: 'Schließen',
    save: 'Speichern',
    retry: 'Erneut versuchen',
    loading: 'Wird geladen …',
    yes: 'Ja',
    no: 'Nein',
    none: 'Nicht angegeben',
    more: 'Mehr',
    signOut: 'Abmelden',
    undo: 'Rückgängig',
    skipToContent: 'Zum Inhalt springen',
  },
  problem: {
    unreachable: 'Der Dienst antwortet nicht.',
    unreachableHint:
      'Was Sie sehen, bleibt stehen. Die Verbindung wird automatisch erneut versucht.',
    notFound: 'Diese Seite gibt es nicht.',
    notFoundHint: 'Sie existiert nicht, wurde entfernt oder ist für Ihre Rolle nicht sichtbar.',
    unexpected: 'Auf dieser Seite ist ein Fehler aufgetreten.',
    stale: 'Was Sie sehen, kann veraltet sein.',
  },
  become: { title: 'Als andere Person handeln' },
  navigation: {
    short: 'Schnellnavigation',
    search: 'Suche',
    label: 'Hauptnavigation',
    open: 'Navigation öffnen',
  },
  administration: {
    title: 'Administration',
    others: 'Weitere',
    deliveries: 'Zustellungen',
    jobs: 'Jobs',
    explain: 'Wer benachrichtigt wird',
    definitions: 'Definitionen',
    roles: 'Rechte der Rollen',
    mail: 'Abgefangene E-Mails',
  },
  inbox: { title: 'Eingang' },
  approvals: { title: 'Genehmigungen' },
  palette: {
    title: 'Alles durchsuchen',
    none: 'Nichts gefunden.',
  },
  views: {
    title: 'Ansichten',
    changed: 'geändert',
    save: 'Änderungen speichern',
    reset: 'Zurück zur gespeicherten Ansicht',
    saveAs: 'Als neue Ansicht speichern …',
    saveAsShort: 'Speichern als …',
    resetShort: 'Zurücksetzen',
    resetAll: 'Liste zurücksetzen',
    remove: (name: string) => `Ansicht ${name} entfernen`,
    rename: (name: string) => `Ansicht ${name} umbenennen …`,
    allOf: (plural: string) => `Alle: ${plural}`,
    saved: 'gespeichert',
    sharing: { me: 'mich', role: 'meine Rolle', all: 'alle' },
  },
  list: {
    export: 'Exportieren',
    find: 'In dieser Liste suchen',
    rows: (count: number) => plural(count, { one: '# Datensatz', other: '# Datensätze' }),
    empty: 'Es gibt noch keine Datensätze.',
    emptyFiltered: 'Kein Datensatz passt zum Filter.',
    clearFilter: 'Filter aufheben',
    columns: 'Spalten',
    columnsOf: (entity: string) => `Spalten: ${entity}`,
    columnMenu: (column: string) => `Menü der Spalte ${column}`,
    label: (entity: string) => `${entity}, Liste`,
  },
  filter: {
    add: 'Filter',
    title: 'Filter hinzufügen',
  },
  cells: cellTexts,
  changes,
  keys,
  documents: { title: 'Dokumente' },
  selection,
  settings: { title: 'Einstellungen' },
  tasks: { title: 'Meine Aufgaben', overdue: 'überfällig', ofRecord: 'Aufgaben' },
  drafts,
  day: { title: 'Mein Tag' },
  record: {
    create: 'Anlegen',
    newOf: (entity: string) => `${entity} anlegen`,
    ownChanges: 'Meine Änderungen',
    comment: 'Kommentar',
    discard: 'Verwerfen',
    you: (name: string) => `${name} (Sie)`,
    acting: (name: string, acting: string) => `${name} (handelnd: ${acting})`,
  },
}
