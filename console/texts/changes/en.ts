/** English texts of what others change while a page is open. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  newRecords: (count: number) => plural(count, { one: '# new record', other: '# new records' }),
  load: 'Show them',
  somebody: 'Somebody',
  changedBy: (name: string) => `${name} has changed this record just now.`,
  kept: 'What you have changed is kept; saving brings both together.',
  gone: 'This record was removed just now, or you may not see it any more.',
}
