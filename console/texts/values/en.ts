/** English texts of values that cannot be read. */

export const en = {
  missing: 'Enter a value.',
  number: (example: string) => `Enter a number, such as ${example}.`,
  whole: (example: string) => `Enter a whole number, such as ${example}.`,
  range: 'The number is too large.',
  day: 'Enter a date.',
  choice: 'Choose one of the values.',
}
