/** What several records of an entity are called: what a definition may say, and what the service says of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder } from '../../support/definitions/a-project.ts'
import { startTestService, writeProject } from '../../support/service.ts'

const fields = [{ key: 'number', type: 'string' }]

test('a plural name is one line', async () => {
  assert.deepEqual(await errorsOfOrder({ key: 'order', pluralName: 'All\norders', fields }), [
    'pluralName contains a tab or a line break at position 3; use a single line',
  ])
})

test('it is the name where the definition has no other, and goes with the name of a native entity', async () => {
  const added = { extends: 'native', fields: [] }
  const project = {
    'entities/order.json': { key: 'order', name: 'Order', pluralName: 'Orders', fields },
    'entities/staff.json': { key: 'staff', name: 'Staff', fields },
    'entities/user.json': { key: 'user', ...added },
    'entities/task.json': { key: 'task', name: 'To-do', ...added },
  }
  const { ask } = await startTestService(await writeProject(project))
  const { data } = (await ask('GET', '/api/entities')).json()
  const names = new Map(
    data.map(({ key, pluralName }: { key: string; pluralName: string }) => [key, pluralName]),
  )
  assert.deepEqual(
    ['order', 'staff', 'user', 'task'].map((key) => names.get(key)),
    ['Orders', 'Staff', 'Users', 'To-do'],
  )
})
