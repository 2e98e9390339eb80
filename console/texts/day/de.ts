/** German texts of "My day". */

export const de = {
  title: 'Mein Tag',
  nothing: 'Nichts wartet auf Sie.',
  decide: 'Entscheiden',
  allTasks: 'Alle Aufgaben',
  overdue: (count: string) => `${count} überfällig`,
  today: (count: string) => `${count} heute`,
  unread: 'Ungelesen',
  recent: 'Zuletzt geöffnet',
  all: (count: string) => `Alle ${count}`,
  fewer: 'Weniger',
  noPins: 'Heften Sie die Ansichten an, die Sie jeden Tag benutzen.',
  pin: (name: string) => `Ansicht ${name} anheften`,
}
