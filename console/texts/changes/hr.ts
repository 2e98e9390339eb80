/** Croatian texts of what others change while a page is open. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  newRecords: (count: number) =>
    plural(count, { one: '# novi zapis', few: '# nova zapisa', other: '# novih zapisa' }),
  load: 'Prikaži',
}
