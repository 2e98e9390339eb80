/** Croatian texts of "My day". */

export const hr = {
  title: 'Moj dan',
  nothing: 'Ništa vas ne čeka.',
  decide: 'Odluči',
  allTasks: 'Svi zadaci',
  overdue: (count: string) => `${count} kasni`,
  today: (count: string) => `${count} danas`,
  unread: 'Nepročitano',
  recent: 'Zadnje otvoreno',
  all: (count: string) => `Svi (${count})`,
  fewer: 'Manje',
  noPins: 'Prikvačite prikaze koje koristite svaki dan.',
  pin: (name: string) => `Prikvači prikaz ${name}`,
}
