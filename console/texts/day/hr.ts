/** Croatian texts of "My day". */

export const hr = {
  nothing: 'Ništa vas ne čeka.',
  decide: 'Odluči',
  allTasks: 'Svi zadaci',
  overdue: (count: string) => `${count} u kašnjenju`,
  today: (count: string) => `${count} danas`,
  unread: 'Nepročitano',
  recent: 'Nedavno otvoreno',
  all: (count: string) => `Prikaži sve (${count})`,
  fewer: 'Prikaži manje',
  noPins: 'Prikvačite prikaze koje koristite svaki dan.',
  pin: (name: string) => `Prikvači prikaz ${name}`,
  since: (day: string) => `od ${day}`,
}
