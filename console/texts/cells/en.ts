/** English texts of editing in the cells of a list. */

export const en = {
  shortcut: 'Edit the cell of a list',
  goToRow: 'Go to a row',
  rowOf: (count: number) => `Row, 1 to ${count}`,
  go: 'Go',
  menu: (column: string) => `Menu of the cell, ${column}`,
  editCell: 'Edit',
  only: (filter: string) => `Filter: ${filter}`,
  copy: 'Copy the value',
  cell: (column: string, record: string) => `${column} of ${record}`,
  fixed: (column: string) => `${column} cannot be changed here.`,
  refused: 'Not saved.',
  conflict: 'Somebody else has saved another value.',
  marks: {
    left: 'no longer matches',
    gone: 'removed',
  },
}
