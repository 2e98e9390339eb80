/** English texts of the page of own changes. */

export const en = {
  help: 'What you have changed, the newest first. Undo is a second change with all checks; it works days later, too.',
  empty: 'You have not changed anything yet.',
  more: 'Show older changes',
  undo: (what: string, name: string) => `Undo: ${name} ${what}`,
  backBy: (action: string) => `${action} …`,
  undone: (name: string) => `Taken back: ${name}`,
  lastOne: 'Undo the last change',
  unsaved: 'Not saved',
  unsavedHelp: 'What you typed in this browser and did not save or send.',
  newRecord: 'New record',
  form: 'In a form',
  cells: 'In the list',
  tasks: 'New task',
  discard: (name: string) => `Discard what was typed: ${name}`,
  reasons: {
    gone: 'Removed since, or you may no longer see it.',
    notAllowed: 'You may not change it back.',
    changedSince: 'Changed again since.',
    restored: 'Already restored.',
    owner: 'The owner from before can take it over again.',
    moved: 'The record has moved on since.',
    told: 'Others were notified, and no action leads back.',
    task: 'Cannot be taken back.',
    onPage: 'Can be removed on the page of the record.',
  },
}
