/** English texts of what others change while a page is open. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  newRecords: (count: number) => plural(count, { one: '# new record', other: '# new records' }),
  load: 'Show them',
  somebody: 'Somebody',
  changedBy: (name: string) => `${name} has just changed this record.`,
  kept: 'Your changes are kept and will be merged with these when you save.',
  gone: 'This record was just removed, or you may no longer see it.',
}
