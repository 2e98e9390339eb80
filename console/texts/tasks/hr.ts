/** Croatian texts of tasks. */

export const hr = {
  title: 'Moji zadaci',
  statuses: {
    open: (count: number) => `Svi otvoreni ${count}`,
    overdue: (count: number) => `Kasni ${count}`,
    today: (count: number) => `Danas ${count}`,
    upcoming: (count: number) => `Kasnije ${count}`,
    completed: (count: number) => `Gotovo ${count}`,
  },
  overdue: 'kasni',
  empty: {
    open: 'Nemate otvorenih zadataka.',
    overdue: 'Ništa ne kasni.',
    today: 'Danas ništa ne dospijeva.',
    upcoming: 'Kasnijih dana ništa ne dospijeva.',
    completed: 'Još nijedan vaš zadatak nije gotov.',
  },
  create: 'Novi zadatak',
  description: 'Što treba napraviti',
  record: 'Zapis',
  recordHelp: 'Upišite dio njegova naziva ili broja.',
  assignee: 'Dodijeljeno',
  due: 'Rok',
  untitled: 'Zadatak bez opisa',
  overdueSince: (moment: string) => `Kasni: ${moment}`,
  completed: (task: string) => `Gotovo: ${task}`,
  reopened: (task: string) => `Ponovno otvoreno: ${task}`,
  undo: 'Poništi zadnji zadatak',
  calendar: 'U vašem kalendaru',
}
