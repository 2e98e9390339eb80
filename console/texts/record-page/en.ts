/** English texts of the page of a record. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  parts: 'Parts of the record',
  help: 'What is this for?',
  helpOfField: 'Explain the field',
  fields: 'Fields',
  unsavedFields: 'Fields, not saved',
  actions: 'More actions',
  owner: (name: string) => `Owner: ${name}`,
  takeOver: 'Take over',
  takeOverTitle: (name: string) => `Take over ${name}?`,
  takeOverHint:
    'You become its owner and may do with it what your role may do with its own records.',
  remove: 'Remove …',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeHint: 'The record disappears from all lists. You can restore it on this page.',
  removeNow: 'Remove',
  somebody: 'Somebody',
  changedBy: (name: string) => `${name} has just changed this record.`,
  changesKept: 'Your changes are kept and will be merged with these when you save.',
  recordGone: 'This record was just removed, or you may no longer see it.',
  leaveTitle: 'Leave without saving?',
  leaveHelp: 'What you typed can be kept in this browser until you come back, or discarded.',
  keepAndLeave: 'Keep and leave',
  stay: 'Stay here',
  removed: 'This record was removed.',
  restore: 'Restore',
  all: (count: number) =>
    plural(count, { one: 'Show in the list', other: 'Show all # in the list' }),
  noRelated: 'There are none yet.',
  createAnother: 'Create and add another',
  created: (name: string) => `${name} was created.`,
  unreadable: 'You may not see this record.',
  moreFields: (count: number) => plural(count, { one: 'One more field', other: '# more fields' }),
  next: 'Next record',
  previous: 'Previous record',
  neighbours: 'The list that it was opened from',
  andMore: (count: number) => plural(count, { one: 'and one more', other: 'and # more' }),
  open: (name: string) => `Open ${name}`,
  yours: (label: string) => `your ${label}`,
  unmet: (action: string, list: string) =>
    list === ''
      ? `${action} is not open to you here.`
      : `${action} is not open to you here. It depends on ${list}.`,
  saveFirst: 'Save your changes first, or discard them: the action would be taken without them.',
  unmetRights: {
    both: (list: string) =>
      list === ''
        ? 'You may neither change nor remove this record now.'
        : `You may neither change nor remove this record now. It depends on ${list}.`,
    update: (list: string) =>
      list === ''
        ? 'You may not change this record now.'
        : `You may not change this record now. It depends on ${list}.`,
    delete: (list: string) =>
      list === ''
        ? 'You may not remove this record now.'
        : `You may not remove this record now. It depends on ${list}.`,
  },
  operations: {
    create: 'created the record',
    change: 'changed the record',
    remove: 'removed the record',
    restore: 'restored the record',
    takeOwnership: 'took the record over',
    createTask: 'created a task',
    changeTask: 'changed a task',
    assignTask: 'assigned a task',
    completeTask: 'completed a task',
    reopenTask: 'reopened a task',
    removeTask: 'removed a task',
    restoreTask: 'restored a task',
  } as Readonly<Record<string, string>>,
  theirs: (value: string) => `Saved by somebody else: ${value || '–'}`,
  merged:
    'Somebody else has saved meanwhile; their changes are on the screen. Save again to keep both.',
  keepMine: 'Keep mine',
  takeTheirs: 'Take theirs',
  history: 'History',
  noHistory: 'No changes yet.',
  calculatedChanges: (count: number) =>
    plural(count, {
      one: '# change of calculated values',
      other: '# changes of calculated values',
    }),
  service: 'The service',
  unsaved: (count: number) =>
    plural(count, { one: '# change is not saved', other: '# changes are not saved' }),
  conflicts: (count: number) =>
    plural(count, {
      one: '# field was also changed by somebody else: choose a value.',
      other: '# fields were also changed by somebody else: choose the values.',
    }),
  refused: (count: number) =>
    plural(count, {
      one: '# field needs your attention:',
      other: '# fields need your attention:',
    }),
  whoIsTold: 'Who was notified?',
}
