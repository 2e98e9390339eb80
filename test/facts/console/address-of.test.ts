/** Which values of the console are links, and where they lead. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field } from '../../../console/api/types.ts'
import { addressOf } from '../../../console/features/values/address-of.ts'

const field = (type: Field['type'], key = 'a', name = '') =>
  ({ key, name, column: key, type }) as unknown as Field
const [url, email, text, phone] = [
  field('url'),
  field('email'),
  field('string'),
  field('string', 'phone_office'),
]

test('addresses of pages, e-mails and telephones are links, and nothing that runs is', () => {
  const others = 'javascript:alert(1)| java\tscript:alert(1)|data:text/html,x|vbscript:x|/x|x'
  for (const [value, of, address] of [
    ['https://example.com/a?b=c#d', url, 'https://example.com/a?b=c#d'],
    ['HTTP://example.com', url, 'HTTP://example.com'],
    ...others.split('|').map((value) => [value, url, undefined] as const),
    ['anna@example.com', email, 'mailto:anna@example.com'],
    ['a?cc=eve@example.com', email, 'mailto:a%3Fcc%3Deve@example.com'],
    ['+49 (30) 1234-5', text, 'tel:+493012345'],
    ['030 1234', text, undefined],
    ['030 1234', phone, 'tel:0301234'],
    ['030 1234', field('string', 'a', 'Telefon'), 'tel:0301234'],
    ['no number', phone, undefined],
    ['+4930901820', field('phone'), 'tel:+4930901820'],
    ['javascript:alert(1)', field('phone'), undefined],
    ['https://example.com', text, undefined],
    ['https://example.com', field('text'), undefined],
    [null, url, undefined],
    ['', email, undefined],
  ] as const)
    assert.equal(addressOf(value, of), address, `${value} in a field of the type ${of.type}`)
})
