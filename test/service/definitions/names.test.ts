/** What the service says of the names of choices and of several records. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const values = ['low', { value: 'constructor', name: 'Builder' }, { value: 'high', was: 'top' }]
const fields = [{ key: 'level', type: 'enum', values }]
const added = { extends: 'native', fields: [] }

let ask: TestService['ask']
before(async () => {
  const project = {
    'entities/order.json': { key: 'order', name: 'Order', pluralName: 'Orders', fields },
    'entities/staff.json': { key: 'staff', name: 'Staff', fields },
    'entities/user.json': { key: 'user', ...added },
    'entities/task.json': { key: 'task', name: 'To-do', ...added },
  }
  ;({ ask } = await startTestService(await writeProject(project)))
})

test('values stay strings in the API, and their names stand beside them', async () => {
  const { fields: described } = (await ask('GET', '/api/entities/order')).json()
  assert.deepEqual(
    described.find(({ key }: { key: string }) => key === 'level'),
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

test('a plural name is the name where the definition has no other, and goes with the name of a native entity', async () => {
  const { data } = (await ask('GET', '/api/entities')).json()
  const names = new Map(
    data.map(({ key, pluralName }: { key: string; pluralName: string }) => [key, pluralName]),
  )
  assert.deepEqual(
    ['order', 'staff', 'user', 'task'].map((key) => names.get(key)),
    ['Orders', 'Staff', 'Users', 'To-do'],
  )
})
