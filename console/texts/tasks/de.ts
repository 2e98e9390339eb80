/** German texts of tasks. */

export const de = {
  title: 'Meine Aufgaben',
  statuses: {
    open: (count: number) => `Alle offenen ${count}`,
    overdue: (count: number) => `Überfällig ${count}`,
    today: (count: number) => `Heute ${count}`,
    upcoming: (count: number) => `Später ${count}`,
    completed: (count: number) => `Erledigt ${count}`,
  },
  overdue: 'überfällig',
  empty: {
    open: 'Sie haben keine offenen Aufgaben.',
    overdue: 'Nichts ist überfällig.',
    today: 'Heute ist nichts fällig.',
    upcoming: 'An späteren Tagen ist nichts fällig.',
    completed: 'Noch ist keine Ihrer Aufgaben erledigt.',
  },
  create: 'Aufgabe anlegen',
  description: 'Was zu tun ist',
  record: 'Datensatz',
  recordHelp: 'Schreiben Sie einen Teil seines Namens oder seiner Nummer.',
  assignee: 'Zugewiesen an',
  due: 'Fällig',
  untitled: 'Aufgabe ohne Beschreibung',
  overdueSince: (moment: string) => `Überfällig: ${moment}`,
  completed: (task: string) => `Erledigt: ${task}`,
  reopened: (task: string) => `Wieder offen: ${task}`,
  undo: 'Letzte Aufgabe zurücknehmen',
  calendar: 'In Ihrem Kalender',
}
