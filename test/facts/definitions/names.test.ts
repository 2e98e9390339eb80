/** Names that a definition may give to choices and to several records. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder } from '../../support/definitions/a-project.ts'

const level = (...values: unknown[]) => ({ fields: [{ key: 'level', type: 'enum', values }] })

const rows: readonly [fact: string, order: object, ...errors: string[]][] = [
  ['some values may have names', level('low', { value: 'high', name: 'High' })],
  [
    'an empty name is an error',
    level({ value: 'low', name: '' }),
    'fields[0].values[0].name must not be empty',
  ],
  [
    'a name of more than 100 characters is an error',
    level({ value: 'low', name: 'x'.repeat(101) }),
    'fields[0].values[0].name must not have more than 100 characters',
  ],
  [
    'a name of several lines is an error',
    level({ value: 'low', name: 'Low\nest' }),
    'fields[0].values[0].name contains a tab or a line break at position 3; use a single line',
  ],
  [
    'two values with one name are an error, also if it is the value of the other',
    level('High', { value: 'high', name: 'High' }, { value: 'most', name: 'High' }),
    'fields[0].values[1].name "High" already stands for another value',
    'fields[0].values[2].name "High" already stands for another value',
  ],
  [
    'an export column of another field has no names',
    {
      fields: [{ key: 'number', type: 'string' }],
      exportSettings: { columnDefs: [{ field: 'number', format: 'name' }] },
    },
    'exportSettings.columnDefs[0].format is for enums and "_step"; "number" has no named values',
  ],
  [
    'a plural name of several lines is an error',
    { pluralName: 'All\norders', fields: [{ key: 'number', type: 'string' }] },
    'pluralName contains a tab or a line break at position 3; use a single line',
  ],
]
for (const [fact, order, ...errors] of rows)
  test(fact, async () => {
    assert.deepEqual(await errorsOfOrder({ key: 'order', ...order }), errors)
  })
