/** German texts of "My day". */

export const de = {
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
}
