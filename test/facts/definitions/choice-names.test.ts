/** What values of a choice are called: the console, files, documents and e-mails ask the same function. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choiceNames } from '../../../src/definitions/values/rules/key-names.ts'

const namesOf = (values: readonly string[], valueNames?: Readonly<Record<string, string>>) =>
  Object.fromEntries(choiceNames({ values, ...(valueNames && { valueNames }) }))

test('a value has the name of its definition, else its words; codes and units have none', () => {
  assert.deepEqual(
    namesOf(['minor_damage', 'asap', 'low', 'EUR', 'kg', 'm2', '=sum', 'b c', 'constructor'], {
      asap: 'As soon as possible',
      low: 'LOW',
    }),
    {
      minor_damage: 'Minor damage',
      asap: 'As soon as possible',
      low: 'LOW',
      constructor: 'Constructor',
    },
  )
})

test('words that another value or its name has, whatever their case, stand for that one alone', () => {
  assert.deepEqual(namesOf(['low', 'Low', 'north_america', 'us'], { us: 'north America' }), {
    us: 'north America',
  })
})
