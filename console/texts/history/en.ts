/** English texts of the filter of a history. */

export const en = {
  field: 'Show changes of',
  person: 'Show changes by',
  allFields: 'All fields',
  everybody: 'Everybody',
  steps: 'Steps',
}
