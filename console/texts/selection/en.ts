/** English texts of the selection of records in a list. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  totals: 'Totals',
  export: 'Export the selected records',
  label: 'Selection',
  hint: 'Select records to change or export them together: with x, with Shift and a click, or all at once.',
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select all that match',
  everything: 'All',
  clear: 'Clear the selection',
  selected: (count: number) => plural(count, { one: '# selected', other: '# selected' }),
  allSelected: (count: number) => plural(count, { one: 'All # selected', other: 'All # selected' }),
  all: (count: number) => plural(count, { one: 'Select all #', other: 'Select all #' }),
  allShort: (count: number) => plural(count, { one: 'All #', other: 'All #' }),
  tooMany: (limit: number) =>
    plural(limit, {
      one: 'Only # record can be selected one by one. Select all that match instead.',
      other: 'Only # records can be selected one by one. Select all that match instead.',
    }),
}
