/** English texts of the keys of a list. */

export const en = {
  title: 'In the list',
  open: 'Open the record',
  menu: 'Menu of the cell or of the head of a column',
  select: 'Select the record, or not',
  selectToo: 'The same by a letter',
  extend: 'Select up to the next row',
  range: 'Select up to this row',
  all: 'Select all that match',
  none: 'Select none',
  heads: 'To the heads of the columns, from the first row',
  sort: 'Head of a column: sort',
  sortToo: 'Head of a column: sort after the others',
  wider: 'Head of a column: wider',
  narrower: 'Head of a column: narrower',
  forward: 'Head of a column: move towards the end',
  back: 'Head of a column: move towards the start',
}
