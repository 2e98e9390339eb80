/** English texts of writing many records at once. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  operations: { change: 'Change a field', takeOwnership: 'Take over', remove: 'Remove' },
  actions: 'Actions',
  title: (name: string, count: number) =>
    plural(count, { one: `${name}: # record`, other: `${name}: # records` }),
  field: 'Field',
  clears: 'Without a value the field becomes empty.',
  check: 'Check',
  checking: 'Checking for which records this is possible. Nothing is changed yet.',
  ready: (count: number) =>
    plural(count, { one: 'Possible for # record.', other: 'Possible for # records.' }),
  noneReady: 'Not possible for any of the records.',
  unchanged: (count: number) =>
    plural(count, {
      one: 'No change needed for # record.',
      other: 'No change needed for # records.',
    }),
  refused: (count: number) =>
    plural(count, { one: 'Not possible for # record:', other: 'Not possible for # records:' }),
  confirm: {
    change: (count: number) => plural(count, { one: 'Change # record', other: 'Change # records' }),
    takeOwnership: (count: number) =>
      plural(count, { one: 'Take over # record', other: 'Take over # records' }),
    remove: (count: number) => plural(count, { one: 'Remove # record', other: 'Remove # records' }),
  },
  confirmAction: (name: string, count: number) =>
    plural(count, { one: `${name}: # record`, other: `${name}: # records` }),
  back: 'Back',
  progress: 'Progress',
  upTo: (count: number) => `up to ${plural(count, { one: '#', other: '#' })}`,
  outOf: (done: number, total: number) =>
    `${plural(done, { one: '#', other: '#' })} of ${plural(total, { one: '#', other: '#' })}`,
  stop: 'Stop',
  stopHint: 'It stops after the part that is being saved.',
  stopping: 'Stopping …',
  done: (count: number) => plural(count, { one: 'Done: # record.', other: 'Done: # records.' }),
  undone: (count: number) =>
    plural(count, {
      one: '# record is as it was before.',
      other: '# records are as they were before.',
    }),
  notDone: (count: number) =>
    plural(count, {
      one: 'Not done and still selected: # record',
      other: 'Not done and still selected: # records',
    }),
  left: (count: number) =>
    plural(count, { one: '# record was not reached.', other: '# records were not reached.' }),
  unknown:
    'The service did not answer. It is not known whether the last records were saved; look at them before you try again.',
  rows: 'Result by record',
  states: { done: 'done', unchanged: 'no change needed' },
  more: (count: number) => plural(count, { one: 'and # more', other: 'and # more' }),
  reasons: {
    'record.unknown': 'no longer exists, or your role may not see it',
    'caller.forbidden': 'not allowed for your role',
    'caller.condition-not-met': 'a rule of your role does not allow it in its present state',
    'record.stale': 'was changed by somebody else meanwhile',
    'workflow.action-not-open': 'the action is not possible in the step of the record',
    'workflow.condition-not-met': 'a condition of the action is not met for you, such as a limit',
  } as Readonly<Record<string, string>>,
}
