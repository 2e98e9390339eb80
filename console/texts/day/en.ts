/** English texts of "My day". */

export const en = {
  nothing: 'Nothing is waiting for you.',
  decide: 'Decide',
  allTasks: 'All tasks',
  overdue: (count: string) => `${count} overdue`,
  today: (count: string) => `${count} today`,
  unread: 'Unread',
  recent: 'Recently opened',
  all: (count: string) => `All ${count}`,
  fewer: 'Show fewer',
  noPins: 'Pin the views that you use every day.',
  pin: (name: string) => `Pin the view ${name}`,
  since: (day: string) => `since ${day}`,
}
