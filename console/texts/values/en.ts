/** English texts of values that cannot be read. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  number: (example: string) => `Enter a number, such as ${example}.`,
  whole: (example: string) => `Enter a whole number, such as ${example}.`,
  day: (example: string) => `Enter a day, such as ${example}.`,
  moment: (example: string) => `Enter a day and a time, such as ${example}.`,
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  tooMany: (text: string, count: number, most: number, ways: readonly string[]) =>
    `${text} has ${plural(count, { one: '# decimal', other: '# decimals' })}; this field takes ${
      most === 0 ? 'whole numbers' : `at most ${most}`
    }. Enter ${ways.join(' or ')}.`,
  json: 'This is not valid JSON.',
  choose: 'Choose an entry from the list.',
  noPerson: (words: string) => `No person is called “${words}”. Choose one from the list.`,
  noRecord: (words: string) => `No record is called “${words}”. Choose one from the list.`,
  noChoice: 'Your role cannot choose one.',
  meant: (text: string, meaning: string) => `${text} for ${meaning}`,
  fewer: 'fewer decimals',
}
