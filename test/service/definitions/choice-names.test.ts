/** Names of the values of an enum: what a definition may say, and what the service says of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder } from '../../support/definitions/a-project.ts'
import { startTestService, writeProject } from '../../support/service.ts'

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
]
for (const [fact, order, ...errors] of rows)
  test(fact, async () => {
    assert.deepEqual(await errorsOfOrder({ key: 'order', ...order }), errors)
  })

test('values stay strings in the API, and their names stand beside them', async () => {
  const values = ['low', { value: 'constructor', name: 'Builder' }, { value: 'high', was: 'top' }]
  const order = { key: 'order', ...level(...values) }
  const { ask } = await startTestService(await writeProject({ 'entities/order.json': order }))
  const { fields } = (await ask('GET', '/api/entities/order')).json()
  assert.deepEqual(
    fields.find(({ key }: { key: string }) => key === 'level'),
    {
      ...{ key: 'level', type: 'enum', column: 'level' },
      ...{ isSystem: false, isCalculated: false },
      values: ['low', 'constructor', 'high'],
      valueNames: { constructor: 'Builder' },
    },
  )
  const reply = await ask('POST', '/order', { body: { level: 'Builder' } })
  assert.equal(reply.status, 422)
  const created = await ask('POST', '/order', { body: { level: 'constructor' } })
  assert.equal(created.json().level, 'constructor')
})
