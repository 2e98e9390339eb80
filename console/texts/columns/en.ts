/** English texts of the columns of a list. */

export const en = {
  find: 'Find a column',
  reset: 'Reset the columns',
  sortAscending: 'Sort ascending',
  sortDescending: 'Sort descending',
  noSort: 'Do not sort',
  filterBy: 'Filter by this column …',
  groupBy: 'Group by this column …',
  sort: 'Sort',
  group: 'Group',
  ascending: (column: string) => `${column}, ascending`,
  descending: (column: string) => `${column}, descending`,
  pin: 'Pin to the start',
  unpin: 'Do not pin',
  wider: 'Wider',
  narrower: 'Narrower',
  fit: 'Fit to the content',
  usualWidth: 'Usual width',
  moveLeft: 'Move towards the start',
  moveRight: 'Move towards the end',
  hide: 'Hide this column',
}
