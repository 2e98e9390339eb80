/** The field type phone: what is kept of a number, what is refused, and how a part of one is found. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldTypeOf } from '../../../src/definitions/field-types.ts'
import { printedPhone } from '../../../src/definitions/values/rules/phone-numbers.ts'

const field = (region?: string) =>
  fieldTypeOf({ key: 'phone', type: 'phone', ...(region !== undefined && { region }) })
const german = field('DE')

test('a number is kept in E.164, however it is typed', () => {
  for (const [typed, region, kept] of [
    ['030 901-820', 'DE', '+4930901820'],
    [' (030) 90 18.20 ', 'DE', '+4930901820'],
    ['0049 30/901820', 'DE', '+4930901820'],
    ['+49 (0)30 901820', undefined, '+4930901820'],
    ['+385 1 2345 678', 'DE', '+38512345678'],
    ['06 1234 5678', 'IT', '+390612345678'],
    ['(202) 555-0100', 'US', '+12025550100'],
    ['8 495 123 45 67', 'RU', '+74951234567'],
  ] as const)
    assert.deepEqual(field(region).check(typed, 'UTC'), { value: kept }, typed)
})

test('what is no possible number is refused, and the message says what to type', () => {
  for (const typed of ['112', 'see notes', '030 901820 ext. 5', '1-800-FLOWERS', '+999 123456', ''])
    assert.deepEqual(german.check(typed, 'UTC'), {
      rule: 'refused',
      message:
        'must be a telephone number as it is dialled in DE, or with its country and without an extension, such as +385 1 2345 678',
    })
  const result = field().check('030 901820', 'UTC')
  assert.match('rule' in result ? result.message : '', /number with its country/)
})

test('a value that is compared is the whole number in E.164; a text that is none stays', () => {
  assert.deepEqual(german.checkSearched('030 / 901820', 'UTC'), { value: '+4930901820' })
  assert.deepEqual(german.checkSearched('030', 'UTC'), { value: '030' })
})

test('a part is looked for by its digits, and a beginning with its country', () => {
  for (const [part, found] of [
    ['01/8 20', '1820'],
    ['0049 30', '+4930'],
    ['%030 90%', '%3090%'],
    ['8-2_', '82_'],
    ['name', 'name'],
    ['-', '-'],
  ] as const)
    assert.equal(german.searchedPart(part, false), found, part)
  for (const [part, region, found] of [
    ['030 90%', 'DE', '+493090%'],
    ['0049 (30', 'DE', '+4930'],
    ['+49 30', undefined, '+4930'],
    ['06 12', 'IT', '+390612'],
    ['202', 'US', '+1202'],
  ] as const)
    assert.equal(field(region).searchedPart(part, true), found, part)
})

test('people read a number of the region as it is dialled there, and others with their country', () => {
  assert.equal(printedPhone('+4930901820', 'DE'), '030 901820')
  assert.equal(printedPhone('+4930901820', 'AT'), '+49 30 901820')
  assert.equal(printedPhone('+4930901820', undefined), '+49 30 901820')
  assert.equal(printedPhone('call me', 'DE'), 'call me')
})
