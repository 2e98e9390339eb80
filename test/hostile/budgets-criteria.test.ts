/** Searches leave nothing behind in their connections, and long texts are found at once. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

const entities = {
  'entities/client.json': {
    key: 'client',
    ownership: true,
    fields: [
      { key: 'name', type: 'string' },
      { key: 'code', type: 'enum', values: ['alpha', 'beta', 'gamma'] },
      { key: 'notes', type: 'text' },
      { key: 'parent', type: 'manyToOne', entity: 'client' },
    ],
    workflow: {
      initialStep: 'new',
      steps: [
        { key: 'new', actions: [{ key: 'end', kind: 'proceedToStep', to: 'ended', form: 'end' }] },
        { key: 'ended', final: true },
      ],
      forms: [{ key: 'end', fields: ['notes'] }],
    },
  },
}

let service: TestService

before(async () => {
  service = await startTestService(await writeProject(entities))
  const body = { name: 'one', notes: 'a'.repeat(100_000) }
  assert.equal((await service.ask('POST', '/client', { body })).status, 201)
})
after(() => service.stop())

test('looking for the longest text in a long one takes no time to speak of', async () => {
  const look = { $contains: `b${'a'.repeat(999)}` }
  const begun = performance.now()
  const reply = await service.ask('POST', '/client/search', { body: { $where: { notes: look } } })
  assert.deepEqual(reply.json().data, [])
  assert.ok(performance.now() - begun < 10_000)
})

test('searches of many shapes leave no statement behind in the connections', async () => {
  const shapes = Array.from({ length: 30 }, (_, index) => ({
    $where: { $or: Array.from({ length: index + 1 }, () => ({ name: 'x' })) },
    $orderBy: [index % 2 ? 'name' : '-name'],
    $select: ['name'],
  }))
  const prepared = async () => {
    const { rows } = await service.database.pool.query<{ statement: string }>(
      `SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%"name" = $%'`,
    )
    return rows.map(({ statement }) => statement)
  }
  for (const body of shapes)
    assert.equal((await service.ask('POST', '/client/search', { body })).status, 200)
  assert.deepEqual(await prepared(), [])
})
