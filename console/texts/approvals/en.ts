/** English texts of approvals. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  empty: 'Nothing is waiting for your decision.',
  emptyFiltered: 'Nothing that fits waits for your decision.',
  entity: 'Kind of record',
  anyEntity: 'All kinds of records',
  action: 'What can be done',
  anyAction: 'All that can be done',
  kinds: { approveWorkflow: 'Can be approved', rejectWorkflow: 'Can be rejected' },
  record: 'Record to decide on',
  next: 'Next record',
  previous: 'Previous record',
  openRecord: 'Open the record',
  select: (name: string) => `Select ${name}`,
  selectKey: 'Select the record',
  selected: (count: number) => plural(count, { one: '# selected', other: '# selected' }),
  clear: 'Clear the selection',
  fitting: (count: number, total: number) =>
    count === total ? `${count}` : `(${count} of ${total})`,
  several: 'Select records of one kind to decide on all of them at once.',
  decideOn: (action: string, count: number) =>
    plural(count, { one: `${action}: # record`, other: `${action}: # records` }),
  queue: 'Waiting for a decision',
  hideQueue: 'Hide the list',
  showQueue: 'Show the list',
}
