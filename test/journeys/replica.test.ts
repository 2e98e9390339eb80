/** DATABASE_REPLICA_URL: exports and searches read the replica. Two databases with different rows show which one was read. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadConfig } from '../../src/config/load-config.ts'
import { loadProject } from '../../src/definitions/load-project.ts'
import { exportFormatNames } from '../../src/export/export-formats.ts'
import { prepareDatabase } from '../../src/runtime/open-database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { exportOf } from '../support/export-request.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let replica: TestDatabase
let service: TestService
before(async () => {
  const directory = await writeProject({
    'entities/item.json': { key: 'item', fields: [{ key: 'name', type: 'string' }] },
  })
  replica = await createTestDatabase()
  await prepare(replica, directory)
  service = await startTestService(directory, { DATABASE_REPLICA_URL: replica.connectionString })
  await insert(service.database, 'of the primary')
  await insert(replica, 'of the replica')
  // As in a real replica, writes fail. This applies to new connections, and there are none yet.
  const [database] = await queryReplica('SELECT current_database() AS name')
  await replica.pool.query(`ALTER DATABASE ${database.name} SET default_transaction_read_only = on`)
})
after(async () => {
  await service.stop()
  await replica.drop()
})

const prepare = async ({ pool }: TestDatabase, directory: string) => {
  const { project } = await loadProject(directory)
  assert.ok(project)
  await prepareDatabase(pool, project, loadConfig({ PROJECT: directory }), () => undefined)
}

const insert = ({ pool }: TestDatabase, name: string) =>
  pool.query(
    'INSERT INTO records.item (name, _created_at, _updated_at) VALUES ($1, now(), now())',
    [name],
  )
const queryReplica = async (text: string) => (await replica.pool.query(text)).rows

for (const format of exportFormatNames)
  test(`an export as ${format} reads from the replica`, async () => {
    const rowsOf = async (name: string) => {
      const path = `/item/export?format=${format}&manifest=true`
      const body = { $where: { name } }
      const { status, trailers } = await exportOf(service, path, { body })
      assert.equal(status, 200)
      return trailers['x-row-count']
    }
    assert.equal(await rowsOf('of the replica'), '1')
    assert.equal(await rowsOf('of the primary'), '0')
  })

test('a search and its count read from the replica', async () => {
  const reply = await service.ask('POST', '/item/search', {
    body: { $select: ['name'], $count: true },
  })
  assert.deepEqual(reply.json(), { data: [{ name: 'of the replica' }], total: 1 })
})

test('a list and a record read from the primary, so that a caller finds what was just written', async () => {
  const list = await service.ask('GET', '/item')
  assert.deepEqual(
    list.json().data.map(({ name }: { name: string }) => name),
    ['of the primary'],
  )
  assert.equal((await service.ask('GET', '/item/1')).json().name, 'of the primary')
})

test('writes, history and callers use the primary', async () => {
  const created = await service.ask('POST', '/item', {
    body: { name: 'new' },
    headers: { 'Idempotency-Key': 'once' },
  })
  assert.equal(created.status, 201, created.text)
  const path = `/item/${created.json().id}`
  const changed = await service.ask('PATCH', path, { body: { name: 'changed' } })
  assert.equal(changed.status, 200, changed.text)
  const { data } = (await service.ask('GET', `${path}/history`)).json()
  assert.deepEqual(
    data.map(({ operation }: { operation: string }) => operation),
    ['change', 'create'],
  )
  assert.equal((await service.ask('DELETE', path)).status, 204)
  assert.deepEqual(await queryReplica('SELECT name FROM records.item'), [
    { name: 'of the replica' },
  ])
  assert.deepEqual(await queryReplica('SELECT id FROM docket.history'), [])
})
