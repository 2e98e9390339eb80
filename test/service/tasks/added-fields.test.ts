/** Fields that a project adds to tasks are checked like fields of records: unique values and links. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import { startTestService, writeProject } from '../../support/service.ts'

const service = await startTestService(
  await writeProject({
    'entities/matter.json': { key: 'matter', fields: [{ key: 'title', type: 'string' }] },
    'entities/secret.json': { key: 'secret', fields: [{ key: 'name', type: 'string' }] },
    'entities/task.json': {
      key: 'task',
      extends: 'native',
      fields: [
        { key: 'ticket', type: 'string', unique: true },
        { key: 'matter', type: 'manyToOne', entity: 'matter' },
        { key: 'secret', type: 'manyToOne', entity: 'secret' },
      ],
    },
    'roles/worker.json': {
      key: 'worker',
      permissions: { matter: { read: true, tasks: true } },
    },
  }),
)
after(() => service.stop())
await insertUser(service.database.pool, {
  ...{ identity_provider_user_id: 'w@example.com', email: 'w@example.com' },
  ...{ first_name: 'W', last_name: 'W', full_name: 'W', role_key: 'worker' },
})
const as = 'w@example.com'
assert.equal((await service.ask('POST', '/matter', { body: { title: 'M' } })).status, 201)
const secret = (await service.ask('POST', '/secret', { body: { name: 'S' } })).json().id

const create = (body: object, headers = {}) =>
  service.ask('POST', '/matter/1/task', {
    ...{ as, headers },
    body: { description: 'Call', ...body },
  })
const added = async (body: object): Promise<number> => (await create(body)).json().id
const change = (id: number, body: object) => service.ask('PUT', `/matter/1/${id}`, { as, body })

const taken = [{ path: 'ticket', message: 'is already used by another task; it must be unique' }]
const noMatter = [{ path: 'matter_id', message: 'there is no matter 99 that you may read' }]
const noSecret = [{ path: 'secret_id', message: `there is no record ${secret} that you may read` }]

test('a unique value of another task is a conflict, also when the create is retried', async () => {
  assert.equal((await create({ ticket: 'T-1' })).status, 201)
  for (const headers of [{}, { 'idempotency-key': 'again' }]) {
    const reply = await create({ ticket: 'T-1' }, headers)
    assert.deepEqual([reply.status, reply.json().errors], [409, taken])
  }
  const reply = await change(await added({ ticket: 'T-2' }), { ticket: 'T-1' })
  assert.deepEqual([reply.status, reply.json().errors], [409, taken])
})

test('a link to a record that does not exist, or that the caller may not read, is rejected', async () => {
  const id = await added({})
  for (const [body, errors] of [
    [{ matter_id: 99 }, noMatter],
    [{ secret_id: secret }, noSecret],
  ] as const) {
    for (const reply of [await create(body), await change(id, body)])
      assert.deepEqual([reply.status, reply.json().errors], [422, errors])
  }
  assert.equal((await change(id, { matter_id: 1 })).status, 204)
})

test('an unchanged link to an unreadable record may be sent again', async () => {
  const id = await added({ matter_id: 1 })
  await service.database.pool.query('UPDATE records.task SET secret_id = $1 WHERE id = $2', [
    ...[secret, id],
  ])
  assert.equal((await change(id, { secret_id: secret, description: 'Write' })).status, 204)
})

test('a record is not restored while another task has a unique value of its tasks', async () => {
  const ask = (method: string, path: string, body?: object) =>
    service.ask(method, path, body ? { body } : {})
  for (const title of ['A', 'B']) await ask('POST', '/matter', { title })
  const createTaskOf = (id: number) =>
    ask('POST', `/matter/${id}/task`, { description: 'Call', ticket: 'T-9' })
  assert.equal((await createTaskOf(2)).status, 201)
  assert.equal((await ask('DELETE', '/matter/2')).status, 204)
  assert.equal((await createTaskOf(3)).status, 201)
  const reply = await ask('POST', '/matter/2/restore')
  const message = 'a task of the record has a unique value that another task has now'
  assert.deepEqual([reply.status, reply.json().errors], [409, [{ path: '', message }]])
  assert.equal((await ask('GET', '/matter/2')).status, 404)
})
