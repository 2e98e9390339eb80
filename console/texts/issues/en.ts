/** English texts of what is wrong with a value of a field. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  noField: 'There is no field of that name.',
  missing: 'Enter a value.',
  range: 'The number is too large.',
  choice: 'Choose one of the values.',
  digits: (count: number) =>
    plural(count, {
      one: 'Enter at most # digit before the decimal mark.',
      other: 'Enter at most # digits before the decimal mark.',
    }),
  length: (count: number) =>
    plural(count, { one: 'Enter at most # character.', other: 'Enter at most # characters.' }),
  used: (count: number, most: number) =>
    plural(most, { one: `${count} of # character`, other: `${count} of # characters` }),
  least: (value: string) => `Enter ${value} or more.`,
  most: (value: string) => `Enter ${value} or less.`,
  earliest: (day: string) => `Enter ${day} or a later day.`,
  latest: (day: string) => `Enter ${day} or an earlier day.`,
  email: 'Enter an e-mail address, such as anna@example.com.',
  url: (example: string) => `Enter a full address, such as ${example}.`,
  form: 'This does not have the required form.',
  link: 'Choose another record: this one was removed, or you may not see it.',
  taken: 'Another record has this value already. Enter another one.',
  takenTogether: (list: string) =>
    `Another record has this combination of ${list} already. Change one of them.`,
}
