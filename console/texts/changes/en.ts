/** English texts of what others change while a page is open. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  newRecords: (count: number) => plural(count, { one: '# new record', other: '# new records' }),
  load: 'Show them',
}
