/** English texts of sums and groups of a list. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  title: 'Totals',
  column: 'Column',
  of: 'Of',
  names: { sum: 'Sum', avg: 'Average', min: 'Smallest', max: 'Largest' },
  count: 'Records',
  all: 'All that match',
  selected: 'Selected',
  groupTitle: (column: string) => `Grouped by ${column}`,
  group: 'Value',
  sumOf: (column: string) => `Sum of ${column}`,
  countOnly: 'Number of records only',
  exportGroup: (value: string) => `Export: ${value}`,
  filterBy: (value: string) => `Show only: ${value}`,
  empty: 'empty',
  incomplete: (count: number) =>
    plural(count, {
      one: 'Only the first # group is shown. Filter the list to see the others.',
      other: 'Only the first # groups are shown. Filter the list to see the others.',
    }),
  unitsIncomplete: (count: number) =>
    plural(count, {
      one: 'Only the first # unit is shown. Filter the list to see the others.',
      other: 'Only the first # units are shown. Filter the list to see the others.',
    }),
  sumsIncomplete:
    'Not all sums are shown: there are too many units. Filter the list to see the others.',
  moreUnits: (count: number) =>
    plural(count, { one: 'and # more unit', other: 'and # more units' }),
  mixedOrder: (column: string, units: string) =>
    `${column} is in the order of its numbers alone, whatever their unit: ${units}.`,
  orderFirst: (unit: string) => `Order by ${unit} first`,
  none: 'No records match.',
}
