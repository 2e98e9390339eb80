/** English texts of approvals. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  title: 'Approvals',
  empty: 'Nothing waits for your decision.',
  record: 'Record to decide on',
  since: (day: string) => `since ${day}`,
  next: 'Next record',
  previous: 'Previous record',
  openRecord: 'Open the record',
  select: (name: string) => `Select ${name}`,
  selectKey: 'Select the record',
  selected: (count: number) => plural(count, { one: '# selected', other: '# selected' }),
  clear: 'Select none',
  several: 'Select records of one entity to decide on all of them.',
  decideOn: (action: string, count: number) =>
    plural(count, { one: `${action}: # record`, other: `${action}: # records` }),
  decided: (count: number) => plural(count, { one: '# was decided.', other: '# were decided.' }),
  refused: 'These stay as they were:',
  queue: 'Waiting for a decision',
}
