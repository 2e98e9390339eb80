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
  checking: 'It is checked which records can be written. Nothing is changed yet.',
  ready: (count: number) =>
    plural(count, { one: '# record can be written.', other: '# records can be written.' }),
  noneReady: 'None of the records can be written.',
  unchanged: (count: number) =>
    plural(count, { one: '# is so already.', other: '# are so already.' }),
  refused: (count: number) => plural(count, { one: '# cannot:', other: '# cannot:' }),
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
  reached: (done: number, total: number) =>
    `${plural(done, { one: '#', other: '#' })} of ${plural(total, { one: '#', other: '#' })}`,
  stop: 'Stop',
  stopHint: 'It stops after the part that is being written.',
  stopping: 'Stopping …',
  done: (count: number) =>
    plural(count, { one: '# record was written.', other: '# records were written.' }),
  undone: (count: number) =>
    plural(count, {
      one: '# record is as it was before.',
      other: '# records are as they were before.',
    }),
  notDone: (count: number) =>
    plural(count, {
      one: '# was not written and stays selected:',
      other: '# were not written and stay selected:',
    }),
  left: (count: number) =>
    plural(count, { one: '# record was not reached.', other: '# records were not reached.' }),
  unknown:
    'The service did not answer. Whether the records that were sent last are written is not known; look at them before you try again.',
  rows: 'Result by record',
  states: { done: 'written', unchanged: 'was so already' },
  more: (count: number) => plural(count, { one: 'and # more', other: 'and # more' }),
  reasons: {
    'record.unknown': 'does not exist any more, or your role may not see it',
    'caller.forbidden': 'your role may not do this with it',
    'record.stale': 'was changed by somebody else meanwhile',
    'workflow.action-not-open': 'the action is not open in the step of the record',
  } as Readonly<Record<string, string>>,
}
