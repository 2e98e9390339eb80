/** English texts of the hint that cells of a list can be edited. */
export const en = {
  hint: 'A double click, or F2, edits a cell.',
  close: 'Do not show again that cells can be edited',
}
