/** English texts of tasks. */

export const en = {
  title: 'My tasks',
  statuses: {
    open: (count: number) => `All open ${count}`,
    overdue: (count: number) => `Overdue ${count}`,
    today: (count: number) => `Today ${count}`,
    upcoming: (count: number) => `Upcoming ${count}`,
    completed: (count: number) => `Done ${count}`,
  },
  overdue: 'overdue',
  empty: {
    open: 'You have no open tasks.',
    overdue: 'Nothing is overdue.',
    today: 'Nothing is due today.',
    upcoming: 'Nothing is due on a later day.',
    completed: 'No task of yours is done yet.',
  },
  create: 'Create a task',
  description: 'What is to be done',
  record: 'Record',
  recordHelp: 'Type a part of its name or number.',
  assignee: 'Assigned to',
  due: 'Due',
  untitled: 'Task without a description',
  overdueSince: (moment: string) => `Overdue: ${moment}`,
  completed: (task: string) => `Done: ${task}`,
  reopened: (task: string) => `Open again: ${task}`,
  undo: 'Undo the last task',
  calendar: 'In your calendar',
}
