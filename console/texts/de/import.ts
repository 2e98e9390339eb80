/** Texte für den Import von Dateien. */
import type { importing as english } from '../en/import.ts'
import { createPlural } from '../plural.ts'

const plural = createPlural('de')
const { format } = new Intl.NumberFormat('de')

export const importing: typeof english = {
  title: (entity: string) => `Import: ${entity}`,
  toList: (entity: string) => `Zur Liste: ${entity}`,
  file: {
    title: '1. Datei',
    drop: 'Legen Sie hier eine Datei ab: CSV, eine Excel-Arbeitsmappe (xlsx) oder JSON.',
    choose: 'Datei wählen',
    other: 'Andere Datei wählen',
    format: 'Format',
    formats: { csv: 'CSV', xlsx: 'Excel (xlsx)', ndjson: 'NDJSON', json: 'JSON' },
    encoding: 'Zeichensatz',
    separator: 'Zwischen den Zellen',
    separators: { comma: 'Komma', semicolon: 'Semikolon', tab: 'Tabulator', bar: 'Strich |' },
    sheet: 'Tabellenblatt',
    empty: 'Die Datei ist leer.',
    correct: 'Berichtigen Sie oben, wofür sie gehalten wurde, oder wählen Sie eine andere Datei.',
    notes: 'Was in der Datei gefunden wurde',
  },
  columns: {
    title: '2. Spalten',
    head: 'Spalte der Datei',
    samples: 'Beispiele',
    field: 'Wird zu',
    fieldOf: (head: string) => `${head} wird zu`,
    choose: 'Wählen …',
    leaveOut: 'Weglassen',
    leaveOutAll: (columns: number) =>
      plural(columns, {
        one: '# Spalte ohne Feld weglassen',
        other: 'Die # Spalten ohne Feld weglassen',
      }),
    unknown: 'Dazu ist kein Feld bekannt. Wählen Sie eines, oder lassen Sie die Spalte weg.',
    noRows: 'Die Datei hat keine Zeilen unter ihren Überschriften.',
    open: (columns: number) =>
      plural(columns, {
        one: '# Spalte ist markiert: Tun Sie, was dort steht, oder lassen Sie sie weg.',
        other: '# Spalten sind markiert: Tun Sie, was dort steht, oder lassen Sie sie weg.',
      }),
    decimal: (head: string) => `Zahlen von ${head}`,
    decimals: { point: '1,234.50', comma: '1.234,50' },
    dates: (head: string) => `Tage von ${head}`,
    dayOrders: { DMY: 'Tag, Monat, Jahr', MDY: 'Monat, Tag, Jahr', YMD: 'Jahr, Monat, Tag' },
    found: 'wie gefunden',
    missing: (labels: string) => `Keine Spalte wird zu einem Pflichtfeld: ${labels}.`,
  },
  mode: {
    title: 'Was die Zeilen tun',
    modes: {
      insert: 'Nur neue Datensätze anlegen',
      update: 'Nur vorhandene Datensätze ändern',
      insertOrUpdate: 'Vorhandene Datensätze ändern, die anderen anlegen',
    },
    match: 'Datensätze werden gefunden nach',
    emptyCells: 'Eine leere Zelle',
    emptyRules: {
      keep: 'lässt das Feld, wie es ist',
      clear: 'leert das Feld',
      default: 'gibt dem Feld seinen Standardwert',
    },
  },
  preview: { title: 'Die ersten Zeilen, wie sie sein werden', row: 'Zeile' },
  saved: {
    title: 'Gespeicherter Import',
    none: 'Keiner',
    save: 'Für die nächste Datei speichern',
    name: 'Name',
    remove: (name: string) => `„${name}“ entfernen`,
    done: 'Gespeichert. Er wird für Dateien mit diesen Überschriften angeboten.',
  },
  check: {
    sending: 'Die Datei wird gesendet …',
    start: 'Alle Zeilen prüfen',
    nothing: 'Noch wird nichts geschrieben.',
    title: '3. Prüfung',
    change: 'Datei oder Spalten ändern',
    reading: (rows: number) =>
      plural(rows, {
        one: 'Die Datei wird gelesen: # Zeile',
        other: 'Die Datei wird gelesen: # Zeilen',
      }),
    checking: (step: number, steps: number) =>
      `Die Zeilen werden geprüft: Schritt ${step} von ${steps}`,
    trying: (done: number, all: number) =>
      `Die Zeilen werden versuchsweise geschrieben: ${format(done)} von ${format(all)}`,
    counts: 'Was der Import tun wird',
    rows: 'Zeilen',
    created: 'neu',
    changed: 'geändert',
    unchanged: 'unverändert',
    faulty: 'mit Fehler',
    failed: 'Der Import ist fehlgeschlagen.',
    noFaults: 'Keine Zeile hat einen Fehler.',
  },
  faults: {
    title: (rows: number) =>
      plural(rows, { one: '# Zeile hat einen Fehler', other: '# Zeilen haben Fehler' }),
    help: 'Berichtigen Sie hier die markierten Zellen und prüfen Sie noch einmal, oder importieren Sie die anderen Zeilen ohne diese.',
    helpLeft:
      'Berichtigen Sie hier die markierten Zellen und lassen Sie sie prüfen; dann können auch diese Zeilen importiert werden.',
    table: 'Zeilen mit Fehlern',
    row: 'Zeile',
    whole: 'Ganze Zeile',
    cell: (column: string, row: number) => `${column}, Zeile ${row}`,
    alike: (rows: number) =>
      plural(rows, { one: 'in # solchen Zeile', other: 'in allen # solchen Zeilen' }),
    again: (cells: number) =>
      plural(cells, {
        one: 'Mit # Berichtigung noch einmal prüfen',
        other: 'Mit # Berichtigungen noch einmal prüfen',
      }),
    none: 'Noch einmal prüfen',
    shown: (shown: number, all: number) =>
      `Gezeigt werden die ersten ${format(shown)} von ${format(all)} Zeilen.`,
    more: 'Mehr zeigen',
    download: 'Zeilen mit Fehlern speichern (CSV)',
    noRecord: 'Es gibt keinen solchen Datensatz, oder er ist für Sie nicht sichtbar.',
    repeated: (row: number, heads: string) => `Zeile ${row} hat schon dasselbe: ${heads}.`,
    leadsToFault: (row: number) => `Das führt zu Zeile ${row}, die einen Fehler hat.`,
    leadsBack: 'Das führt zu Zeilen, die zu dieser zurückführen.',
    sameRecord: (row: number) =>
      `Sie gehört zum selben Datensatz wie Zeile ${row}, die einen Fehler hat.`,
    choices: (list: string) => `Geben Sie ${list} ein.`,
    decimals: (count: number) =>
      plural(count, {
        one: 'Geben Sie höchstens # Stelle nach dem Komma ein.',
        other: 'Geben Sie höchstens # Stellen nach dem Komma ein.',
      }),
  },
  run: {
    title: '4. Import',
    start: (rows: number) =>
      plural(rows, { one: '# Zeile importieren', other: '# Zeilen importieren' }),
    startOthers: (rows: number) =>
      plural(rows, {
        one: '# Zeile ohne Fehler importieren',
        other: '# Zeilen ohne Fehler importieren',
      }),
    writing: (done: number, all: number) =>
      `${format(done)} von ${format(all)} Zeilen sind importiert.`,
    stop: 'Anhalten',
    goOn: 'Fortsetzen',
    stopped: 'Der Import ist angehalten. Was importiert ist, bleibt; der Rest wartet.',
    done: 'Der Import ist fertig.',
    left: (rows: number) =>
      plural(rows, {
        one: '# Zeile mit Fehler wurde nicht importiert.',
        other: '# Zeilen mit Fehlern wurden nicht importiert.',
      }),
    records: 'Diese Datensätze zeigen',
    another: 'Weitere Datei importieren',
  },
  undo: {
    ask: 'Diesen Import rückgängig machen …',
    removes: (records: number) =>
      plural(records, {
        one: '# angelegter Datensatz wird entfernt.',
        other: '# angelegte Datensätze werden entfernt.',
      }),
    takesBack: (records: number) =>
      plural(records, {
        one: '# geänderter Datensatz bekommt zurück, was er hatte.',
        other: '# geänderte Datensätze bekommen zurück, was sie hatten.',
      }),
    keeps: (records: number) =>
      plural(records, {
        one: '# Datensatz bleibt, weil er seitdem geändert wurde:',
        other: '# Datensätze bleiben, weil sie seitdem geändert wurden:',
      }),
    start: (records: number) =>
      plural(records, {
        one: '# Datensatz rückgängig machen',
        other: '# Datensätze rückgängig machen',
      }),
    going: (records: number) =>
      plural(records, {
        one: 'Wird rückgängig gemacht: noch # Datensatz.',
        other: 'Wird rückgängig gemacht: noch # Datensätze.',
      }),
    done: 'Der Import ist rückgängig gemacht.',
  },
  list: {
    title: 'Ihre Importe',
    file: 'Datei',
    unnamed: 'Ohne Namen',
    state: 'Zustand',
    rows: 'Zeilen',
    at: 'Wann',
    open: (file: string) => `Den Import von ${file} öffnen`,
    states: {
      reading: 'wird gelesen',
      checking: 'wird geprüft',
      ready: 'geprüft, nicht importiert',
      writing: 'wird importiert',
      stopped: 'angehalten',
      done: 'importiert',
      failed: 'fehlgeschlagen',
      undoing: 'wird rückgängig gemacht',
      undone: 'rückgängig gemacht',
    },
  },
}
