/** English texts of what became of a changed cell of a list. */
export const en = {
  saved: (cell: string) => `Saved: ${cell}`,
  undone: (cell: string) => `Undone: ${cell}`,
  mine: 'Your value',
  theirs: 'Saved value',
  keepMine: 'Save mine',
  takeTheirs: 'Keep theirs',
  edit: 'Edit again',
  giveUp: 'Discard',
}
