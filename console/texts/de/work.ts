/** German texts of what is opened from the first list: records, dialogs, and the pages of the work of a user. */
import type { work as english } from '../en/work.ts'
import { createPlural } from '../plural.ts'

const plural = createPlural('de')
const format = new Intl.NumberFormat('de')

export const work: typeof english = {
  approvals: {
    empty: 'Nichts wartet auf Ihre Entscheidung.',
    emptyFiltered: 'Nichts Passendes wartet auf Ihre Entscheidung.',
    entity: 'Art des Datensatzes',
    anyEntity: 'Alle Arten von Datensätzen',
    action: 'Was möglich ist',
    anyAction: 'Alles, was möglich ist',
    kinds: { approveWorkflow: 'Kann genehmigt werden', rejectWorkflow: 'Kann abgelehnt werden' },
    record: 'Datensatz zur Entscheidung',
    next: 'Nächster Datensatz',
    previous: 'Voriger Datensatz',
    openRecord: 'Datensatz öffnen',
    select: (name: string) => `${name} auswählen`,
    selectKey: 'Datensatz auswählen',
    selected: (count: number) => plural(count, { one: '# ausgewählt', other: '# ausgewählt' }),
    clear: 'Auswahl aufheben',
    fitting: (count, total) => (count === total ? `${count}` : `(${count} von ${total})`),
    several: 'Wählen Sie Datensätze einer Art aus, um über alle zusammen zu entscheiden.',
    decideOn: (action: string, count: number) =>
      plural(count, { one: `${action}: # Datensatz`, other: `${action}: # Datensätze` }),
    queue: 'Wartet auf eine Entscheidung',
    hideQueue: 'Liste ausblenden',
    showQueue: 'Liste einblenden',
  },
  bulk: {
    operations: { change: 'Feld ändern', takeOwnership: 'Übernehmen', remove: 'Entfernen' },
    actions: 'Aktionen',
    title: (name, count) =>
      plural(count, { one: `${name}: # Datensatz`, other: `${name}: # Datensätze` }),
    field: 'Feld',
    clears: 'Ohne Wert wird das Feld leer.',
    lockedField: (label) => `${label} (gesperrt)`,
    lockedForSome: (part) => `Im jetzigen Schritt von ${part} Datensätzen gesperrt.`,
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
      'record.locked':
        'ist durch seinen Schritt gesperrt oder durch den eines Datensatzes, zu dem er gehört',
      'workflow.action-not-open': 'die Aktion ist im Schritt des Datensatzes nicht möglich',
      'workflow.condition-not-met':
        'eine Bedingung der Aktion ist für Sie nicht erfüllt, etwa ein Limit',
    },
  },
  // The menu of a cell of a list, and what became of a changed one.
  changedCell: {
    menu: (column: string) => `Menü der Zelle, ${column}`,
    editCell: 'Bearbeiten',
    rowOf: (count: number) => `Zeile, 1 bis ${count}`,
    go: 'Springen',
    only: (filter: string) => `Filtern: ${filter}`,
    copy: 'Wert kopieren',
    saved: (cell) => `Gespeichert: ${cell}`,
    undone: (cell) => `Rückgängig gemacht: ${cell}`,
    mine: 'Ihr Wert',
    theirs: 'Gespeicherter Wert',
    keepMine: 'Meinen speichern',
    takeTheirs: 'Gespeicherten behalten',
    edit: 'Erneut bearbeiten',
    giveUp: 'Verwerfen',
  },
  columns: {
    find: 'Spalte suchen',
    reset: 'Spalten zurücksetzen',
    sortAscending: 'Aufsteigend sortieren',
    sortDescending: 'Absteigend sortieren',
    noSort: 'Nicht sortieren',
    filterBy: 'Nach dieser Spalte filtern …',
    groupBy: 'Nach dieser Spalte gruppieren …',
    sort: 'Sortieren',
    group: 'Gruppieren',
    ascending: (column) => `${column}, aufsteigend`,
    descending: (column) => `${column}, absteigend`,
    pin: 'Am Anfang fixieren',
    unpin: 'Nicht mehr fixieren',
    wider: 'Breiter',
    narrower: 'Schmaler',
    fit: 'An den Inhalt anpassen',
    usualWidth: 'Übliche Breite',
    moveLeft: 'Richtung Anfang verschieben',
    moveRight: 'Richtung Ende verschieben',
    hide: 'Diese Spalte ausblenden',
  },
  day: {
    nothing: 'Nichts wartet auf Sie.',
    decide: 'Entscheiden',
    allTasks: 'Alle Aufgaben',
    overdue: (count: string) => `${count} überfällig`,
    today: (count: string) => `${count} heute`,
    unread: 'Ungelesen',
    recent: 'Zuletzt geöffnet',
    all: (count: string) => `Alle ${count}`,
    fewer: 'Weniger anzeigen',
    noPins: 'Heften Sie die Ansichten an, die Sie jeden Tag brauchen.',
    pin: (name: string) => `Ansicht ${name} anheften`,
    since: (day: string) => `seit ${day}`,
  },
  documents: {
    open: 'In neuem Tab öffnen',
    download: 'Herunterladen',
    noViewer: 'Dieser Browser zeigt keine PDFs auf der Seite an, deshalb sehen Sie ein Bild davon.',
    failed: 'Das Dokument konnte nicht erzeugt werden.',
    boxes: (scripts: string) =>
      `Dieses Dokument druckt anstelle mancher Zeichen Kästchen (${scripts}), weil keine Schrift sie enthält. Ein Administrator kann eine Schrift hinzufügen.`,
  },
  editingHint: {
    hint: 'Mit Doppelklick oder F2 bearbeiten Sie eine Zelle.',
    close: 'Nicht mehr zeigen, wie Zellen bearbeitet werden',
  },
  // What is typed and not saved.
  drafts: {
    restored: 'Wiederhergestellt: Ihre letzten Eingaben waren nicht gespeichert.',
    gone: 'Dieser Datensatz wurde gerade entfernt oder ist für Sie nicht mehr sichtbar. Ihre Eingaben bleiben hier, bis Sie das Formular schließen.',
    copyTyped: 'Eingaben kopieren',
    copied: 'Kopiert',
  },
  export: {
    title: (entity: string) => `Export: ${entity}`,
    search: (words: string) => `Suche: ${words}`,
    filter: (words: string) => `Filter: ${words}`,
    noFilter: 'Ohne Filter: alle Datensätze.',
    ownOnly: 'Ihre Rolle exportiert nur Ihre eigenen Datensätze.',
    rows: 'Datensätze',
    rowsSelected: (count: number) =>
      plural(count, { one: 'Ausgewählte (#)', other: 'Ausgewählte (#)' }),
    rowsAll: (count: number) =>
      plural(count, { one: 'Alle passenden (#)', other: 'Alle passenden (#)' }),
    format: 'Format',
    formats: {
      csv: 'CSV',
      xlsx: 'Excel (xlsx)',
      ndjson: 'NDJSON',
      json: 'JSON',
      parquet: 'Parquet',
    },
    dialect: 'Form der CSV-Datei',
    dialectOfProject: 'Standard',
    names: 'Namen statt Schlüsseln: Auswahlwerte, Schritte, Spaltenköpfe',
    columnsChosen: (count: number) => `Spalten (${count})`,
    columnsOfList: (count: number) => `Wie in der Liste (${count})`,
    columnsOfDefinition: (count: number) => `Wie für Exporte festgelegt (${count})`,
    order: 'Spalten in ihrer Reihenfolge',
    orderHint: 'Ziehen oder Alt mit einer Pfeiltaste verschiebt eine Spalte, Entf entfernt sie.',
    up: 'Nach oben',
    down: 'Nach unten',
    remove: 'Entfernen',
    addColumn: 'Spalte hinzufügen',
    moved: (column: string, place: number, count: number) =>
      `${column} ist Spalte ${place} von ${count}.`,
    removed: (column: string) => `Spalte ${column} wurde entfernt.`,
    omitted: (count: number) =>
      plural(count, {
        one: '# Spalte fehlt, weil Ihre Rolle sie nicht lesen darf.',
        other: '# Spalten fehlen, weil Ihre Rolle sie nicht lesen darf.',
      }),
    preview: 'Die ersten Zeilen, wie in der Datei',
    tooLong: 'Die Zeilen sind zu lang, um hier angezeigt zu werden.',
    parquet: 'Parquet hat typisierte Spalten mit diesen Werten, die hier als JSON stehen.',
    commands: 'Auf der Kommandozeile',
    token: 'Beide Befehle brauchen einen API-Schlüssel oder ein Token in der Variable TOKEN.',
    copy: (name: string) => `Befehl für ${name} kopieren`,
    copyShort: 'Kopieren',
    copied: 'Kopiert',
    start: 'Export starten',
    stop: 'Export abbrechen',
    progress: 'Fortschritt des Exports',
    rowsPerSecond: (rows: number) => plural(rows, { one: '# Zeile/s', other: '# Zeilen/s' }),
    tooLarge: (limit: string) =>
      `Die Datei ist größer als ${limit}; so viel kann dieser Browser nicht speichern. Verwenden Sie einen der Befehle unten.`,
    whole: (records: string, size: string) => `Vollständig und geprüft: ${records}, ${size}.`,
    stored: 'Die Datei ist gespeichert.',
    save: (name: string) => `${name} noch einmal speichern`,
    failures: {
      refused: 'Der Export hat nicht begonnen.',
      cut: 'Der Export ist vorzeitig abgebrochen und wurde verworfen. Es gibt keine Datei.',
      unchecked:
        'Es lässt sich nicht prüfen, ob die Datei vollständig ist; deshalb wurde sie verworfen.',
      unwritable: 'Die Datei lässt sich nicht schreiben.',
      cancelled: 'Der Export wurde abgebrochen. Es gibt keine Datei.',
    },
  },
  filter: {
    title: 'Erweiterter Filter',
    partial: 'nur die für Sie lesbaren',
    partialWhere: (condition: string) => `nur wenn ${condition}`,
    none: 'Es gibt noch keine Datensätze.',
    noneOfOwn:
      'Was Sie hier sehen, hängt von eigenen Werten ab. Fehlt einer, wenden Sie sich an die Administration.',
    noneMatches: 'Kein Datensatz passt zum Filter.',
    clear: 'Filter aufheben',
    ofUser: {
      field: (field: string) => `Ihr Wert von ${field}`,
      id: 'Sie selbst',
      readable: 'für Sie lesbar',
    },
    edit: (text: string) => `Filter ändern: ${text}`,
    removeOne: (text: string) => `Filter entfernen: ${text}`,
    all: 'alle von',
    any: 'eines von',
    not: 'nicht',
    comparisons: {
      has: 'enthält',
      begins: 'beginnt mit',
      ends: 'endet mit',
      $eq: 'ist',
      $ne: 'ist nicht',
      $gt: 'ist größer als',
      $gte: 'ist mindestens',
      $lt: 'ist kleiner als',
      $lte: 'ist höchstens',
      $in: 'ist eines von',
      $nin: 'ist keines von',
      empty: 'ist leer',
      filled: 'ist nicht leer',
      $contains: 'enthält genau',
      $startsWith: 'beginnt genau mit',
      $like: 'passt genau zum Muster',
      $ilike: 'passt zum Muster',
    },
    times: {
      $eq: 'ist am',
      $ne: 'ist nicht am',
      $gt: 'ist nach dem',
      $gte: 'ist ab dem',
      $lt: 'ist vor dem',
      $lte: 'ist bis zum',
    },
    moments: {
      $eq: 'ist um',
      $ne: 'ist nicht um',
      $gte: 'ist ab',
      $lte: 'ist bis',
    },
    many: {
      $some: (list: string) => `${list}: mindestens ein Datensatz`,
      $none: (list: string) => `${list}: kein Datensatz`,
    },
    periods: {
      today: 'ist heute',
      beforeToday: 'ist vor heute',
      yesterday: 'ist gestern',
      tomorrow: 'ist morgen',
      thisWeek: 'ist in dieser Woche',
      lastWeek: 'ist in der letzten Woche',
      nextWeek: 'ist in der nächsten Woche',
      thisMonth: 'ist in diesem Monat',
      lastMonth: 'ist im letzten Monat',
      nextMonth: 'ist im nächsten Monat',
      thisQuarter: 'ist in diesem Quartal',
      thisYear: 'ist in diesem Jahr',
      lastYear: 'ist im letzten Jahr',
      last7Days: 'ist in den letzten 7 Tagen',
      last30Days: 'ist in den letzten 30 Tagen',
      next7Days: 'ist in den nächsten 7 Tagen',
      next30Days: 'ist in den nächsten 30 Tagen',
    },
    clock: {
      comparisons: {
        $eq: 'ist',
        $ne: 'ist nicht',
        $gt: 'ist nach',
        $gte: 'ist ab',
        $lt: 'ist vor',
        $lte: 'ist bis',
      },
      title: 'Nach dem Kalender',
      base: 'Gezählt ab',
      amount: 'Wie viele',
      help: 'Mit Minus: davor.',
      today: 'heute',
      now: 'jetzt',
      week: 'Wochenbeginn',
      month: 'Monatsbeginn',
      quarter: 'Quartalsbeginn',
      year: 'Jahresbeginn',
      quarters: 'Quartale',
    },
    noText: 'nichts',
    chosenColumns: 'In dieser Liste',
    field: 'Feld',
    condition: 'Bedingung',
    value: 'Wert',
    comparedWith: 'Verglichen mit',
    withValue: 'mit einem Wert vergleichen',
    withField: 'mit anderem Feld vergleichen',
    withClock: 'mit der Uhr vergleichen',
    otherField: 'Anderes Feld',
    negatedFields:
      'Innerhalb von „nicht“ lassen sich keine zwei Felder vergleichen: Es träfe auch auf Datensätze zu, in denen eines davon leer ist. Wählen Sie die umgekehrte Bedingung.',
    values: 'Werte, einer je Zeile',
    choices: 'Werte',
    apply: 'Anwenden',
    addNext: 'Weitere Bedingung hinzufügen',
    soFar: 'Filter bisher',
    advanced: 'Erweiterter Filter …',
    removeValue: (value) => `Wert entfernen: ${value}`,
    patternHelp: '% steht für beliebige Zeichen, _ für eines.',
    onlyUnit: (unit) => `Nur mit: ${unit}`,
    mixedUnits:
      'Zahlen werden ohne ihre Einheit verglichen: 1.000 der einen Währung gelten so viel wie 1.000 einer anderen. Lassen Sie das Feld leer, um alle zu vergleichen.',
    slow: {
      title: 'Alle Datensätze zu durchsuchen, dauert zu lange.',
      hint: 'Grenzen Sie die Liste durch einen Filter ein, oder durchsuchen Sie nur die neuesten Datensätze.',
      newest: (count: number) => `Neueste ${format.format(count)} durchsuchen`,
    },
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
  },
  history: {
    field: 'Änderungen anzeigen an',
    person: 'Änderungen anzeigen von',
    allFields: 'Alle Felder',
    everybody: 'Alle Personen',
    steps: 'Schritte',
  },
  inbox: {
    unread: (count: number) => `Ungelesen ${count}`,
    all: 'Alle',
    readAll: 'Alle als gelesen markieren',
    empty: 'Nichts Neues. Was Sie betrifft, erscheint hier automatisch.',
    choose: 'Wählen Sie eine Benachrichtigung, um sie hier zu lesen.',
    notification: 'Benachrichtigung',
    openRecord: 'Datensatz öffnen',
    markUnread: 'Als ungelesen markieren',
    unreadMark: 'Ungelesen:',
    due: (text: string) => `Fällig: ${text}`,
    whyMe: 'Warum habe ich das bekommen?',
  },
  // What is wrong with a value of a field.
  issues: {
    noField: 'Es gibt kein Feld dieses Namens.',
    missing: 'Geben Sie einen Wert ein.',
    range: 'Die Zahl ist zu groß.',
    choice: 'Wählen Sie einen der Werte.',
    digits: (count) =>
      plural(count, {
        one: 'Geben Sie höchstens # Stelle vor dem Komma ein.',
        other: 'Geben Sie höchstens # Stellen vor dem Komma ein.',
      }),
    length: (count) =>
      plural(count, {
        one: 'Geben Sie höchstens # Zeichen ein.',
        other: 'Geben Sie höchstens # Zeichen ein.',
      }),
    used: (count, most) =>
      plural(most, { one: `${count} von # Zeichen`, other: `${count} von # Zeichen` }),
    least: (value) => `Geben Sie mindestens ${value} ein.`,
    most: (value) => `Geben Sie höchstens ${value} ein.`,
    earliest: (day) => `Geben Sie den ${day} oder einen späteren Tag ein.`,
    latest: (day) => `Geben Sie den ${day} oder einen früheren Tag ein.`,
    email: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel anna@example.com.',
    url: (example) => `Geben Sie eine vollständige Adresse ein, zum Beispiel ${example}.`,
    phone:
      'Geben Sie eine Telefonnummer mit Landesvorwahl und ohne Nebenstelle ein, zum Beispiel +385 1 2345 678.',
    form: 'Das hat nicht die verlangte Form.',
    link: 'Wählen Sie einen anderen Datensatz: Dieser wurde entfernt oder ist für Sie nicht sichtbar.',
    taken: 'Ein anderer Datensatz hat diesen Wert schon. Geben Sie einen anderen ein.',
    takenTogether: (list) =>
      `Ein anderer Datensatz hat diese Kombination schon: ${list}. Ändern Sie einen der Werte.`,
  },
  // JSON values, and of what is wrong with the text of one.
  json: {
    fault: (line, text, what) =>
      text === '' ? `Zeile ${line}: ${what}` : `Zeile ${line}, bei „${text}“: ${what}`,
    faults: {
      value: 'Ein Wert fehlt.',
      name: 'Ein Name in doppelten Anführungszeichen fehlt.',
      colon: 'Zwischen einem Namen und seinem Wert fehlt ein Doppelpunkt.',
      comma: 'Ein Komma oder eine schließende Klammer fehlt.',
      spare: 'Nach einem Komma folgt nichts.',
      text: 'Ein schließendes Anführungszeichen fehlt.',
      character:
        'Ein Text enthält einen umgekehrten Schrägstrich oder ein Steuerzeichen, das JSON nicht erlaubt.',
      number: 'Das ist keine Zahl; Dezimalstellen stehen nach einem Punkt.',
      word: 'Texte stehen in doppelten Anführungszeichen. Ohne sie gibt es nur Zahlen, true, false und null.',
      end: 'Nach dem Wert darf nichts folgen.',
    },
    unreadable: 'Das ist kein gültiges JSON.',
    entries: (count) => plural(count, { one: '# Eintrag', other: '# Einträge' }),
  },
  // The lines of a record, which are typed in a table and saved with it.
  lines: {
    add: 'Zeile hinzufügen',
    remove: (number: number) => `Zeile ${number} entfernen`,
    moveUp: (number: number) => `Zeile ${number} nach oben verschieben`,
    moveDown: (number: number) => `Zeile ${number} nach unten verschieben`,
    showAll: (count: number) =>
      plural(count, { one: '# Zeile anzeigen', other: 'Alle # Zeilen anzeigen' }),
    faults: (count: number) =>
      plural(count, { one: '# Wert ist zu berichtigen', other: '# Werte sind zu berichtigen' }),
    pasted: (rows: number, all: number) => `${rows} von ${all} Zeilen eingefügt.`,
    pasteTitle: 'In die Liste einfügen',
    pasteChanges: (count: number) =>
      plural(count, { one: '# Datensatz wird geändert.', other: '# Datensätze werden geändert.' }),
    pasteCreates: (count: number) =>
      plural(count, { one: '# Datensatz ist neu.', other: '# Datensätze sind neu.' }),
    keys: {
      remove: 'Zeile entfernen oder doch behalten',
      move: 'Zeile verschieben (Alt+↓: nach unten)',
      paste: 'Kopierte Zellen einfügen',
    },
  },
  // The keys of a list.
  listKeys: {
    places: { page: 'Auf dieser Seite', everywhere: 'Überall' },
    nextKey: 'dann',
    singleKeysOff: 'Tastenkürzel ohne Strg sind in Ihren Einstellungen ausgeschaltet.',
    title: 'In der Liste',
    open: 'Datensatz öffnen',
    menu: 'Menü der Zelle oder des Spaltenkopfs',
    select: 'Datensatz auswählen oder abwählen',
    selectToo: 'Dasselbe mit einem Buchstaben',
    extend: 'Bis zur nächsten Zeile auswählen',
    range: 'Bis zu dieser Zeile auswählen',
    all: 'Alle passenden auswählen',
    none: 'Nichts auswählen',
    heads: 'Zu den Spaltenköpfen, aus der ersten Zeile',
    sort: 'Spaltenkopf: sortieren',
    sortToo: 'Spaltenkopf: zusätzlich sortieren',
    wider: 'Spaltenkopf: breiter',
    narrower: 'Spaltenkopf: schmaler',
    forward: 'Spaltenkopf: Richtung Ende verschieben',
    back: 'Spaltenkopf: Richtung Anfang verschieben',
  },
  // The page of the records that were removed.
  removed: {
    help: 'Was entfernt wurde, das Neueste zuerst. Die Aufgaben eines Datensatzes werden mit ihm wiederhergestellt.',
    entity: 'Datensätze von',
    allEntities: 'Alle',
    find: 'In entfernten Datensätzen suchen',
    list: 'Entfernte Datensätze',
    by: (name: string) => `entfernt von ${name}`,
    removedAt: 'entfernt',
    selectAll: 'Alle angezeigten auswählen',
    restore: (count: number) =>
      plural(count, {
        one: '# Datensatz wiederherstellen',
        other: '# Datensätze wiederherstellen',
      }),
    restoreSelected: 'Ausgewählte wiederherstellen',
    restoreOne: (name: string) => `${name} wiederherstellen`,
    restoring: (done: number, total: number) => `${done} von ${total} wiederhergestellt …`,
    restored: (count: number) =>
      plural(count, {
        one: '# Datensatz ist wiederhergestellt.',
        other: '# Datensätze sind wiederhergestellt.',
      }),
    refused: (count: number) =>
      plural(count, {
        one: '# Datensatz wurde nicht wiederhergestellt; der Grund steht daneben.',
        other: '# Datensätze wurden nicht wiederhergestellt; die Gründe stehen daneben.',
      }),
    empty: 'Es wurde nichts entfernt.',
    emptyFiltered: 'Kein entfernter Datensatz wurde gefunden.',
    clear: 'Alle entfernten Datensätze anzeigen',
    incomplete: (names: string) =>
      `Konnte nicht gelesen werden: ${names}. Wählen Sie davon etwas aus, um es erneut zu versuchen.`,
  },
  ownChanges: {
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
      locked: 'Gesperrt durch den Schritt des Datensatzes oder eines anderen, zu dem er gehört.',
      restored: 'Bereits wiederhergestellt.',
      owner: 'Wer zuvor zuständig war, kann wieder übernehmen.',
      moved: 'Der Datensatz ist inzwischen in einem anderen Schritt.',
      told: 'Andere wurden benachrichtigt, und keine Aktion führt zurück.',
      task: 'Kann nicht rückgängig gemacht werden.',
      onPage: 'Kann auf der Seite des Datensatzes entfernt werden.',
    },
  },
  person: {
    anonymise: 'Anonymisieren …',
    anonymiseTitle: (name) => `${name} anonymisieren?`,
    anonymiseHint:
      'Die personenbezogenen Werte werden ersetzt, auch im Verlauf, und Nachrichten über den Datensatz werden entfernt. Das lässt sich nicht rückgängig machen.',
    fields: (names) => `Personenbezogene Felder: ${names}.`,
    rows: (own, elsewhere) =>
      `Einträge über den Datensatz: ${own}. Andere, die die Person nennen: ${elsewhere}.`,
    staysElsewhere:
      'In Feldern anderer Datensätze, etwa in Bemerkungen, bleibt der Name stehen: Suchen Sie zuerst danach.',
    typeName: (name) => `Zur Bestätigung „${name}“ eingeben`,
    anonymiseNow: 'Anonymisieren',
    showData: 'Was gespeichert ist …',
    data: (links, kept) => `Verknüpfungen: ${links}. Andere Einträge: ${kept}.`,
    dataNoted: 'Das Protokoll hält fest, dass Sie dies geöffnet haben.',
    download: 'Herunterladen',
  },
  // Whom something would notify.
  recipients: {
    notifies: (who) => `Benachrichtigt ${who}`,
    nobody: 'Benachrichtigt niemanden.',
    people: (count) => plural(count, { one: '# Person', other: '# Personen' }),
    moreThan: (count) => plural(count, { one: 'mehr als # Person', other: 'mehr als # Personen' }),
    others: (names, count) =>
      `${names} ${plural(count, { one: 'und eine weitere Person', other: 'und # weitere' })}`,
    about: (count) => plural(count, { one: 'zu # Datensatz', other: 'zu # Datensätzen' }),
    emails: (count) => plural(count, { one: '# E-Mail', other: '# E-Mails' }),
    ofFirst: (count) => `von den ersten ${count} Datensätzen`,
    partial:
      'Vielleicht werden noch andere benachrichtigt: Das hängt von Feldern ab, die Sie nicht sehen dürfen.',
    wereNotified: 'Darüber benachrichtigt',
    nobodyYet: 'Zu diesem Datensatz wurde noch niemand benachrichtigt.',
    channels: {
      inbox: 'Konsole',
      email: 'E-Mail',
      webhook: 'Webhook',
      slack: 'Slack',
      teams: 'Teams',
    },
    notYet: (channel) => `${channel}: noch nicht versendet`,
    further: (count) => plural(count, { one: 'und eine weitere Person', other: 'und # weitere' }),
    wasHidden: 'Wer benachrichtigt wurde, hängt von Feldern ab, die Sie nicht sehen dürfen.',
    hidden: 'Wer benachrichtigt wird, hängt von Feldern ab, die Sie nicht sehen dürfen.',
  },
  record: {
    parts: 'Teile des Datensatzes',
    help: 'Wozu dient das?',
    helpOfField: 'Feld erklären',
    fields: 'Felder',
    unsavedPart: (label: string) => `${label}, nicht gespeichert`,
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
    givenWhenSaved: 'Wird beim Speichern vergeben',
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
    leftOut: {
      others: (reasons: string) => `Das ist anderen vorbehalten: ${reasons}.`,
      link: (label: string) => `Sie stehen unter ${label}`,
      action: (name: string) => `Sie haben ${name} ausgeführt`,
    },
    saveFirst:
      'Speichern oder verwerfen Sie zuerst Ihre Änderungen: Die Aktion würde sie nicht enthalten.',
    lockedFields: (list: string, step: string) =>
      step === '' ? `Zurzeit gesperrt: ${list}.` : `Im Schritt „${step}“ gesperrt: ${list}.`,
    lockedRecord: (step: string) =>
      step === ''
        ? 'Dieser Datensatz ist zurzeit gesperrt.'
        : `Dieser Datensatz ist im Schritt „${step}“ gesperrt.`,
    lockedThrough: (link: string, step: string) =>
      step === ''
        ? `Dieser Datensatz ist zurzeit durch ${link} gesperrt.`
        : `Dieser Datensatz ist durch ${link} gesperrt, im Schritt „${step}“.`,
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
      anonymise: 'Datensatz anonymisiert',
      createTask: 'Aufgabe angelegt',
      changeTask: 'Aufgabe geändert',
      assignTask: 'Aufgabe zugewiesen',
      completeTask: 'Aufgabe erledigt',
      reopenTask: 'Aufgabe wieder geöffnet',
      removeTask: 'Aufgabe entfernt',
      restoreTask: 'Aufgabe wiederhergestellt',
      createComment: 'Kommentar geschrieben',
      changeComment: 'Kommentar geändert',
      resolveComment: 'Diskussion erledigt',
      reopenComment: 'Diskussion wieder geöffnet',
      removeComment: 'Kommentar entfernt',
      restoreComment: 'Kommentar wiederhergestellt',
    },
    theirs: (value: string) => `Von jemand anderem gespeichert: ${value || '–'}`,
    merged:
      'Inzwischen hat jemand anderes gespeichert; Sie sehen jetzt auch diese Änderungen. Speichern Sie erneut, um beide zu behalten.',
    keepMine: 'Meinen Wert behalten',
    takeTheirs: 'Gespeicherten Wert verwenden',
    history: 'Verlauf',
    noHistory: 'Noch keine Änderungen.',
    calculatedChanges: (count: number) =>
      plural(count, {
        one: '# Änderung berechneter Werte',
        other: '# Änderungen berechneter Werte',
      }),
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
    whoMay: 'Wer darf was?',
  },
  search: {
    title: 'Suche',
    results: 'Seiten und Datensätze',
    all: 'Alle Ergebnisse',
    help: 'Findet Datensätze nach Name, Titel, ID und anderen eindeutigen Werten.',
    none: (words: string) => `Kein Name, kein Titel und keine ID enthält „${words}“.`,
    noneHelp: 'Versuchen Sie weniger Buchstaben, oder suchen Sie in allen Feldern:',
    lists: 'Auch in anderen Feldern',
    more: 'Mehr anzeigen',
    moreOf: (plural: string) => `Mehr anzeigen: ${plural}`,
    incomplete: 'Nicht bis zum Ende durchsucht, weil es zu lange dauert:',
  },
  // A console that is seen as another user.
  seenAs: {
    title: 'Im Namen einer anderen Person',
    as: 'Sie handeln als',
    backTo: 'Zurück zu',
    allWindows:
      'Als andere Person zu handeln gilt für alle Fenster dieses Browsers. Für zwei Personen zugleich öffnen Sie ein privates Fenster mit einem Link, den dieser Befehl ausgibt:',
    actsNow: (name: string) =>
      `Sie handeln jetzt als ${name}: in einem anderen Fenster gewechselt.`,
    signedInNow: (name: string) =>
      `Sie sind jetzt als ${name} angemeldet: in einem anderen Fenster gewechselt.`,
  },
  settings: {
    notSaved: 'Die Änderung wurde nicht gespeichert.',
    look: 'Darstellung',
    theme: 'Farbschema',
    themes: { system: 'Wie im System', light: 'Hell', dark: 'Dunkel' },
    density: 'Zeilenhöhe',
    densities: { normal: 'Normal', compact: 'Kompakt' },
    language: 'Sprache',
    languageOfBrowser: 'Wie im Browser',
    zone: 'Zeitzone',
    zoneOfProject: (zone: string) => `Wie im Projekt (${zone})`,
    zoneHelp: 'Wenn Sie eine andere Zone wählen, steht ihr Name bei den Zeiten.',
    keys: 'Tastatur',
    singleKeys: 'Tastenkürzel ohne Strg',
    singleKeysHelp:
      'Schalten Sie sie aus, wenn Sie diktieren oder Tasten aus Versehen drücken. Tastenkürzel mit Strg bleiben.',
    allKeys: 'Alle Tastenkürzel anzeigen',
    mails: 'Benachrichtigungen außerhalb des Eingangs',
    mailsHelp:
      'Der Eingang zeigt immer alle sofort, unabhängig von dieser Auswahl. Was später kommt, kommt in einer E-Mail.',
    paces: {
      immediately: 'Sofort',
      hourly: 'Stündlich',
      daily: 'Einmal am Tag',
      never: 'Nie',
    },
    dailyAt: 'Tägliche E-Mails kommen um',
    quiet: 'Ruhezeit: keine E-Mails, außer dringenden',
    quietFrom: 'Von',
    quietTo: 'Bis',
    timesHelp: 'Diese Zeiten gelten in Ihrer Zeitzone.',
    entity: 'Datensätze',
    operation: 'Ereignis',
    operations: {
      create: 'Anlegen',
      change: 'Änderung',
      remove: 'Entfernen',
      restore: 'Wiederherstellung',
      takeOwnership: 'Übernahme',
      proceedToStep: 'Schrittwechsel',
      date: 'Erreichtes Datum',
      comment: 'Kommentar',
      mention: 'Erwähnung in einem Kommentar',
    } as Readonly<Record<string, string>>,
    choice: (channel: string, entity: string, operation: string) =>
      `${channel}: ${entity}, ${operation}`,
    calendar: 'Kalender',
    calendarHelp:
      'Ein Kalenderprogramm, das diese Adresse abonniert, zeigt Ihre offenen Aufgaben mit Fälligkeit. Alle, die die Adresse haben, können sie sehen.',
    calendarSince: (moment: string) =>
      `Die Adresse wurde am ${moment} erstellt und nur einmal angezeigt.`,
    calendarUrl: 'Adresse Ihres Kalenders',
    openCalendar: 'Adresse erstellen',
    renewCalendar: 'Neue Adresse erstellen',
    renewWarning: 'Die Adresse, die Ihr Kalender jetzt verwendet, gilt dann nicht mehr.',
    closeCalendar: 'Nicht mehr teilen',
    copy: 'Kopieren',
    copied: 'Kopiert',
    sessions: 'Wo Sie angemeldet sind',
    thisBrowser: 'dieser Browser',
    unknownBrowser: 'Unbekanntes Programm',
    browserOn: (browser: string, system: string) => `${browser} auf ${system}`,
    lastUsed: (moment: string) => `zuletzt verwendet am ${moment}`,
    signedIn: (moment: string) => `angemeldet am ${moment}`,
    endSession: 'Dort abmelden',
    endSessionOf: (browser: string) => `Dort abmelden: ${browser}`,
  },
  signIn: {
    title: (name: string) => `Bei ${name} anmelden`,
    withProvider: 'Anmelden',
    apiKey: 'API-Schlüssel',
    withKey: 'Mit dem Schlüssel anmelden',
    useLink:
      'Öffnen Sie den Link, den der Dienst beim Start ausgegeben hat. Er gilt zehn Minuten lang und nur einmal.',
    forAdministrators: 'Für die Administration',
    newLink: 'Neuer Link',
    newKey: 'Neuer API-Schlüssel',
    ended:
      'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an; Ihre Eingaben bleiben erhalten.',
    errors: {
      expired:
        'Die Anmeldung hat zu lange gedauert oder wurde schon verwendet. Beginnen Sie von vorn.',
      refused: 'Der Identitätsanbieter hat Sie nicht angemeldet.',
      unknown: 'Sie haben hier kein aktives Benutzerkonto. Wenden Sie sich an die Administration.',
      unavailable: 'Der Identitätsanbieter antwortet nicht. Versuchen Sie es später erneut.',
      failed: 'Die Anmeldung ist fehlgeschlagen.',
      invitation:
        'Die Einladung wurde schon verwendet oder widerrufen, oder sie ist zu alt. Bitten Sie die Administration um einen neuen Link.',
      taken:
        'Dieses Konto des Unternehmens gehört hier zu einem anderen Benutzerkonto. Wenden Sie sich an die Administration.',
    },
  },
  codes: {
    orCode: 'Oder mit einem Code per E-Mail anmelden',
    withCode: 'Mit einem Code per E-Mail anmelden',
    withPassword: 'Mit einem Passwort anmelden',
    send: 'Code senden',
    sent: (name: string) =>
      `Wenn ${name} hier ein Konto hat, ist ein Code per E-Mail unterwegs. Er gilt zehn Minuten, in diesem Browser.`,
    code: 'Code',
    wrong:
      'Der Code ist falsch, wurde schon verwendet oder ist zu alt. Versuchen Sie es erneut, oder fordern Sie einen neuen an.',
    again: 'Neuen Code anfordern',
    tooMany: (time: string) =>
      `Ein Code wurde vor Kurzem gesendet. Der nächste ist in ${time} möglich.`,
    intro: 'Sie sind eingeladen. Von jetzt an melden Sie sich hier an.',
    signedInAs: (name: string) =>
      `Sie sind angemeldet als ${name}. Wenn Sie fortfahren, sind Sie als die eingeladene Person angemeldet.`,
  },
  passwords: {
    name: 'E-Mail oder Benutzername',
    password: 'Passwort',
    show: 'Anzeigen',
    hide: 'Verbergen',
    showOf: (label: string) => `Anzeigen: ${label}`,
    hideOf: (label: string) => `Verbergen: ${label}`,
    withCompany: 'Mit dem Konto des Unternehmens anmelden',
    forgotten: 'Passwort vergessen? Die Administration sendet Ihnen einen neuen Link.',
    wrong: 'Der Name oder das Passwort ist falsch.',
    wrongKey: 'Der API-Schlüssel ist falsch, widerrufen oder abgelaufen.',
    tooMany: (time: string) =>
      `Es gab zu viele Versuche. Der nächste Versuch ist in ${time} möglich.`,
    busy: 'Das kann der Dienst im Moment nicht tun. Versuchen Sie es erneut.',
    greeting: (name: string) => `Willkommen, ${name}`,
    intro: 'Legen Sie das Passwort fest, mit dem Sie sich von jetzt an anmelden.',
    signedInAs: (name: string) =>
      `Sie sind angemeldet als ${name}. Wenn Sie das Passwort festlegen, sind Sie als die eingeladene Person angemeldet.`,
    email: 'E-Mail',
    newPassword: 'Neues Passwort',
    length: (least: number) => `Mindestens ${least} Zeichen`,
    weak: 'Dieses Passwort ist zu leicht zu erraten. Es braucht mindestens 12 Zeichen, davon 5 verschiedene, und mehr als Ihren Namen, Ihre E-Mail oder den Namen des Dienstes.',
    set: 'Passwort festlegen',
    unusable: 'Dieser Link kann nicht verwendet werden.',
    unusableHint:
      'Er ist unvollständig, wurde schon verwendet oder widerrufen, oder er ist älter als 72 Stunden. Wenn Sie sich schon einmal angemeldet haben, melden Sie sich wieder so an. Sonst bitten Sie die Administration um einen neuen Link.',
    open: 'Konsole öffnen',
    current: 'Bisheriges Passwort',
    notCurrent: 'Das ist nicht Ihr Passwort.',
    change: 'Passwort ändern',
    changed: 'Das Passwort ist geändert. Alle Ihre anderen Sitzungen sind beendet.',
    none: 'Sie haben kein Passwort. Die Administration kann Ihnen einen Link senden, mit dem Sie eines festlegen.',
  },
  apiKeys: {
    title: 'API-Schlüssel',
    help: 'Mit einem Schlüssel handelt ein Programm in Ihrem Namen, soweit der Schlüssel reicht. Erstellen Sie für jedes Programm einen eigenen, damit Sie ihn einzeln widerrufen können.',
    create: 'Neuer Schlüssel …',
    titleOfNew: 'Neuer API-Schlüssel',
    name: 'Wofür er ist',
    lastDay: 'Letzter Tag (leer: Er gilt, bis Sie ihn widerrufen)',
    scope: 'Was er darf',
    reach: {
      everything: 'Alles, was ich darf',
      reading: 'Nur lesen und exportieren',
      part: 'Nur, was ich auswähle',
    },
    make: 'Schlüssel erstellen',
    once: 'Der Schlüssel wird nur hier angezeigt. Bewahren Sie ihn sicher auf.',
    everything: 'Alles, was der Benutzer darf',
    unknown: (keys: string) => `Nicht mehr vorhanden: ${keys}`,
    until: (moment: string) => `gültig bis ${moment}`,
    endless: 'gültig bis zum Widerruf',
    revokeTitle: (name: string) => `Den Schlüssel „${name}“ widerrufen?`,
    revokeHelp:
      'Programme, die ihn verwenden, werden sofort abgewiesen. Das lässt sich nicht rückgängig machen.',
  },
  credentials: {
    withPasskey: 'Mit einem Passkey anmelden',
    create: 'Passkey erstellen',
    passkeyHelp:
      'Einen Passkey bewahrt Ihr Gerät auf. Es fragt nach Ihrem Finger, Ihrem Gesicht oder Ihrer PIN. Sie müssen sich nichts merken, und niemand kann etwas erraten.',
    orPassword: 'Oder legen Sie ein Passwort fest, mit dem Sie sich künftig anmelden:',
    refusals: {
      cancelled:
        'Der Vorgang wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es noch einmal.',
      known: 'Auf diesem Gerät gibt es bereits einen Passkey von Ihnen.',
      failed:
        'Dieser Browser konnte keinen Passkey verwenden. Versuchen Sie es mit einem anderen Browser oder Gerät.',
    },
    noPasskeyHere:
      'Ohne Passkey auf diesem Gerät melden Sie sich anders an, oder bitten Sie die Administration um eine Einladung.',
    otherHost: (host: string) => `Passkeys funktionieren nur unter der Adresse ${host}.`,
    wrongPasskey:
      'Der Passkey ist hier nicht bekannt, oder es hat zu lange gedauert. Versuchen Sie es noch einmal, melden Sie sich anders an, oder bitten Sie eine Administratorin oder einen Administrator um einen neuen Link.',
    stepTitle: 'Zweiter Schritt',
    stepIntro:
      'Geben Sie den Code ein, den Ihre Authenticator-App jetzt zeigt, oder einen Wiederherstellungscode.',
    code: 'Code',
    confirm: 'Bestätigen',
    stepLost:
      'Ohne die App und die Wiederherstellungscodes bitten Sie die Administration um eine Einladung.',
    wrongCode: 'Der Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten.',
    tooManyCodes: (time: string) =>
      `Es gab zu viele falsche Codes. Der nächste Versuch ist in ${time} möglich.`,
    expired: 'Es hat zu lange gedauert. Beginnen Sie von vorn.',
    again: 'Von vorn beginnen',
    setUpTitle: 'Zweiten Faktor einrichten',
    setUpIntro:
      'Ihre Rolle braucht einen zweiten Faktor. Erstellen Sie einen Passkey, oder verwenden Sie eine Authenticator-App auf Ihrem Telefon.',
    useApp: 'Authenticator-App verwenden',
    appIntro:
      'Scannen Sie diesen Code mit einer Authenticator-App, oder tippen Sie den Schlüssel in die App ein. Geben Sie dann den Code ein, den die App zeigt.',
    qr: 'QR-Code des Schlüssels',
    key: 'Schlüssel',
    copyKey: 'Schlüssel kopieren',
    openApp: 'In der App öffnen',
    appCode: 'Code der App',
    wrongAppCode: 'Das ist nicht der Code, den die App jetzt zeigt.',
    setApp: 'Diese App verwenden',
    codesTitle: 'Wiederherstellungscodes',
    codesIntro:
      'Die App ist eingerichtet. Jeder dieser Codes ersetzt sie einmal. Bewahren Sie die Codes dort auf, wo Sie sie ohne Ihr Telefon finden: Sie werden nur jetzt gezeigt.',
    codesStored: 'Ich habe sie aufbewahrt',
    passkeys: 'Passkeys',
    made: (moment: string) => `erstellt ${moment}`,
    neverUsed: 'noch nicht verwendet',
    rename: 'Umbenennen',
    renameOf: (name: string) => `Umbenennen: ${name}`,
    name: 'Name',
    remove: 'Entfernen',
    removeOf: (name: string) => `Entfernen: ${name}`,
    removeTitle: (name: string) => `Den Passkey „${name}“ entfernen?`,
    removeHelp: 'Er meldet Sie nicht mehr an, und alle Ihre anderen Sitzungen enden.',
    secondFactor: 'Zweiter Faktor',
    noApp:
      'Ihr Passwort allein meldet Sie an. Mit einer Authenticator-App reicht ein gestohlenes Passwort nicht aus.',
    noAppByCode:
      'Ein Code per E-Mail allein meldet Sie an. Mit einer Authenticator-App reicht der Zugriff auf Ihr Postfach nicht aus.',
    appSince: (moment: string) =>
      `Nach Ihrem Passwort wird der Code einer Authenticator-App verlangt, seit ${moment}.`,
    codesLeft: (count: number) => `Übrige Wiederherstellungscodes: ${count}.`,
    setUpApp: 'App einrichten',
    replaceApp: 'Andere App einrichten',
    newCodes: 'Neue Wiederherstellungscodes',
    removeApp: 'App entfernen',
    removeAppTitle: 'Die Authenticator-App entfernen?',
    removeAppHelp:
      'Die App und Ihre Wiederherstellungscodes gelten nicht mehr, und alle Ihre anderen Sitzungen enden. Wenn Ihre Rolle einen zweiten Faktor braucht, richten Sie bei der nächsten Anmeldung einen anderen ein.',
    proofTitle: 'Bestätigen Sie, dass Sie es sind',
    proofIntro: 'Bevor Sie das tun, bestätigen Sie, dass Sie es sind.',
    proofByPasskey: 'Mit einem Passkey bestätigen',
    proofNothing:
      'Melden Sie sich dafür noch einmal an. Was Sie eingegeben haben, bleibt erhalten.',
    proofAgain: 'Noch einmal anmelden',
  },
  tasks: {
    statuses: {
      open: (count: number) => `Alle offenen ${count}`,
      overdue: (count: number) => `Überfällig ${count}`,
      today: (count: number) => `Heute ${count}`,
      upcoming: (count: number) => `Später ${count}`,
      completed: (count: number) => `Erledigt ${count}`,
    },
    empty: {
      open: 'Sie haben keine offenen Aufgaben.',
      overdue: 'Nichts ist überfällig.',
      today: 'Heute ist nichts fällig.',
      upcoming: 'Später ist nichts fällig.',
      completed: 'Sie haben noch keine Aufgabe erledigt.',
    },
    create: 'Aufgabe anlegen',
    description: 'Was zu tun ist',
    record: 'Datensatz',
    recordHelp: 'Geben Sie einen Teil des Namens oder der Nummer ein.',
    assignee: 'Zugewiesen an',
    due: 'Fällig',
    untitled: 'Aufgabe ohne Beschreibung',
    overdueSince: (moment: string) => `Überfällig: ${moment}`,
    completed: (task: string) => `Erledigt: ${task}`,
    reopened: (task: string) => `Wieder offen: ${task}`,
    undo: 'Letzte Änderung einer Aufgabe rückgängig machen',
    calendar: 'Im Kalender anzeigen',
    noneOfRecord: 'Noch keine Aufgaben.',
    change: 'Aufgabe ändern',
    remove: 'Aufgabe entfernen',
    removeTitle: 'Diese Aufgabe entfernen?',
    menuOf: (task: string) => `Menü der Aufgabe ${task}`,
  },
  totals: {
    title: 'Summen',
    column: 'Spalte',
    of: 'Umfang',
    names: { sum: 'Summe', avg: 'Durchschnitt', min: 'Kleinster Wert', max: 'Größter Wert' },
    count: 'Datensätze',
    all: 'Alle passenden',
    selected: 'Ausgewählte',
    groupTitle: (column) => `Gruppiert nach ${column}`,
    group: 'Wert',
    sumOf: (column) => `Summe: ${column}`,
    countOnly: 'Nur die Anzahl der Datensätze',
    exportGroup: (value: string) => `Exportieren: ${value}`,
    filterBy: (value) => `Nur anzeigen: ${value}`,
    empty: 'leer',
    incomplete: (count) =>
      plural(count, {
        one: 'Nur die erste Gruppe wird angezeigt. Filtern Sie die Liste, um die anderen zu sehen.',
        other:
          'Nur die ersten # Gruppen werden angezeigt. Filtern Sie die Liste, um die anderen zu sehen.',
      }),
    unitsIncomplete: (count) =>
      plural(count, {
        one: 'Nur die erste Einheit wird angezeigt. Filtern Sie die Liste, um die anderen zu sehen.',
        other:
          'Nur die ersten # Einheiten werden angezeigt. Filtern Sie die Liste, um die anderen zu sehen.',
      }),
    sumsIncomplete:
      'Nicht alle Summen werden angezeigt: Es sind zu viele Einheiten. Filtern Sie die Liste, um die anderen zu sehen.',
    moreUnits: (count) =>
      plural(count, { one: 'und # weitere Einheit', other: 'und # weitere Einheiten' }),
    mixedOrder: (column, units) =>
      `Die Spalte ${column} ist nur nach der Zahl sortiert, gleich in welcher Einheit: ${units}.`,
    orderFirst: (unit) => `Zuerst nach ${unit} sortieren`,
    none: 'Kein Datensatz passt.',
  },
  // Values that cannot be read.
  values: {
    number: (example) => `Geben Sie eine Zahl ein, zum Beispiel ${example}.`,
    whole: (example) => `Geben Sie eine ganze Zahl ein, zum Beispiel ${example}.`,
    day: (example) => `Geben Sie einen Tag ein, zum Beispiel ${example}.`,
    moment: (example) => `Geben Sie Tag und Uhrzeit ein, zum Beispiel ${example}.`,
    previousMonth: 'Voriger Monat',
    nextMonth: 'Nächster Monat',
    tooMany: (text, count, most, ways) =>
      `${text} hat ${plural(count, { one: '# Stelle', other: '# Stellen' })} nach dem Komma; erlaubt sind ${
        most === 0 ? 'ganze Zahlen' : `höchstens ${most}`
      }. Geben Sie ${ways.join(' oder ')} ein.`,
    json: 'Das ist kein gültiges JSON.',
    choose: 'Wählen Sie einen Eintrag aus der Liste.',
    noPerson: (words: string) => `Niemand heißt „${words}“. Wählen Sie aus der Liste.`,
    noRecord: (words: string) => `Kein Datensatz heißt „${words}“. Wählen Sie aus der Liste.`,
    noChoice: 'Ihre Rolle kann hier nichts auswählen.',
    meant: (text, meaning) => `${text} für ${meaning}`,
    fewer: 'weniger Stellen',
    whenSaved: 'Wird beim Speichern berechnet',
  },
  views: {
    removeTitle: (name: string) => `Ansicht ${name} entfernen?`,
    removeHelp: 'Alle, die sie verwenden, verlieren sie. Die Datensätze bleiben.',
    removeIt: 'Ansicht entfernen',
    renameTitle: (name: string) => `Ansicht ${name} umbenennen`,
    renameHelp: 'Alle, die sie verwenden, sehen den neuen Namen.',
    renameIt: 'Umbenennen',
    wasCalled: (name: string) => `Die Ansicht hieß vorher ${name}.`,
    saveTitle: 'Diese Liste als Ansicht speichern',
    name: 'Name',
    sharedWith: 'Für',
  },
}
