/** English texts of JSON values, and of what is wrong with the text of one. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  fault: (line: number, text: string, what: string) =>
    text === '' ? `Line ${line}: ${what}` : `Line ${line}, at “${text}”: ${what}`,
  faults: {
    value: 'A value is missing.',
    name: 'A name in double quotation marks is missing.',
    colon: 'A colon is missing between a name and its value.',
    comma: 'A comma or a closing bracket is missing.',
    spare: 'A comma has nothing after it.',
    text: 'A closing quotation mark is missing.',
    character: 'A text has a backslash or a control character that JSON does not allow.',
    number: 'This is no number; decimals have a point.',
    word: 'Texts stand in double quotation marks. Without them there are only numbers, true, false and null.',
    end: 'Nothing may follow the value.',
  },
  unreadable: 'This is not valid JSON.',
  entries: (count: number) => plural(count, { one: '# entry', other: '# entries' }),
}
