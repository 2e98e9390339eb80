/** German texts that the first list needs. */
import type { first as english } from '../en/first.ts'
import { createPlural } from '../plural.ts'

const plural = createPlural('de')

export const first: typeof english = {
  common: {
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
    users: 'Benutzer',
    queue: 'Zustellungen und Jobs',
    audit: 'Protokoll',
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
    import: 'Importieren',
    find: 'In dieser Liste suchen',
    rows: (count: number) => plural(count, { one: '# Datensatz', other: '# Datensätze' }),
    columns: 'Spalten',
    columnsOf: (entity: string) => `Spalten: ${entity}`,
    columnMenu: (column: string) => `Menü der Spalte ${column}`,
    label: (entity: string) => `${entity}, Liste`,
  },
  filter: {
    add: 'Filter',
    title: 'Filter hinzufügen',
  },
  cells: {
    shortcut: 'Zelle einer Liste bearbeiten',
    cell: (column: string, record: string) => `${column} von ${record}`,
    fixed: (column: string) => `Die Spalte ${column} kann hier nicht geändert werden.`,
    refused: 'Nicht gespeichert.',
    conflict: 'Jemand anderes hat einen anderen Wert gespeichert.',
    marks: {
      left: 'passt nicht mehr',
      gone: 'entfernt',
      unread: 'nicht mehr lesbar',
    },
  },
  // What others change while a page is open.
  changes: {
    newRecords: (count: number) =>
      plural(count, { one: '# neuer Datensatz', other: '# neue Datensätze' }),
    load: 'Anzeigen',
  },
  keys: {
    title: 'Tastenkürzel',
    names: {
      Ctrl: 'Strg',
      Shift: 'Umschalt',
      Enter: 'Eingabe',
      Space: 'Leertaste',
      Escape: 'Esc',
    } as Readonly<Record<string, string>>,
    create: 'Datensatz anlegen',
  },
  documents: { title: 'Dokumente' },
  selection: {
    totals: 'Summen',
    export: 'Exportieren: ausgewählte Datensätze',
    label: 'Auswahl',
    hint: 'Wählen Sie Datensätze aus, um sie zusammen zu ändern oder zu exportieren: mit x, mit Umschalt und Klick oder alle auf einmal.',
    select: (name) => `${name} auswählen`,
    selectAll: 'Alle passenden auswählen',
    everything: 'Alle',
    clear: 'Auswahl aufheben',
    selected: (count) => plural(count, { one: '# ausgewählt', other: '# ausgewählt' }),
    allSelected: (count) => plural(count, { one: 'Alle # ausgewählt', other: 'Alle # ausgewählt' }),
    all: (count) => plural(count, { one: 'Alle # auswählen', other: 'Alle # auswählen' }),
    allShort: (count) => plural(count, { one: 'Alle #', other: 'Alle #' }),
    tooMany: (limit) =>
      plural(limit, {
        one: 'Einzeln lässt sich höchstens # Datensatz auswählen. Wählen Sie stattdessen alle passenden aus.',
        other:
          'Einzeln lassen sich höchstens # Datensätze auswählen. Wählen Sie stattdessen alle passenden aus.',
      }),
  },
  settings: { title: 'Einstellungen' },
  tasks: { title: 'Meine Aufgaben', overdue: 'überfällig' },
  day: { title: 'Mein Tag' },
  removed: { title: 'Entfernt' },
  record: {
    create: 'Anlegen',
    ownChanges: 'Meine Änderungen',
    you: (name: string) => `${name} (Sie)`,
    acting: (name: string, acting: string) => `${name} (handelnd: ${acting})`,
  },
}
