/** English texts of values that cannot be read. */

export const en = {
  number: (example: string) => `Enter a number, such as ${example}.`,
  whole: (example: string) => `Enter a whole number, such as ${example}.`,
}
