/** Records with texts of megabytes, stored before there were limits, do not block other requests. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { entityFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'

const manyTexts = Array.from({ length: 60 }, (_, index) => ({ key: `t${index}`, type: 'text' }))

const noteCount = 5

const service = await startTestService({
  ...entityFile('note', [
    { key: 'title', type: 'string' },
    { key: 'body', type: 'text' },
    { key: 'parent', type: 'manyToOne', entity: 'note' },
    { key: 'data', type: 'json' },
  ]),
  ...entityFile('sheet', [...manyTexts, { key: 'next', type: 'manyToOne', entity: 'sheet' }]),
})
const { pool } = service.database
await pool.query(
  `INSERT INTO records.note (title, body, _created_by, _updated_by)
     SELECT 'a', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 125000) i), 1, 1 FROM generate_series(1, $1::integer)`,
  [noteCount],
)
// Every note links to itself.
await pool.query('UPDATE records.note SET parent_id = id')
after(() => service.stop())

const assertTooLarge = async (method: string, path: string, body?: unknown) => {
  const reply = await service.ask(method, path, { body })
  assert.equal(reply.status, 422, reply.text.slice(0, 200))
  assert.equal(reply.json().code, 'answer.too-large')
  assert.equal(reply.json().detail, 'The answer would exceed 16 MiB.')
}

test('a list above the size limit is rejected and can be read in pages', async () => {
  await assertTooLarge('GET', '/note?limit=1000')
  await assertTooLarge('POST', '/note/search?limit=1000', {})
  await assertTooLarge('POST', '/note/search', { $orderBy: ['parent.title'] })
  await assertTooLarge('GET', '/note?include=parent&limit=3')
  const page = await service.ask('GET', '/note?limit=2&page=2&sort=-parent.title,id')
  assert.deepEqual(
    page.json().data.map(({ id, body }: { id: number; body: string }) => [id, body.length]),
    [
      [3, 4_000_000],
      [4, 4_000_000],
    ],
  )
  const body = { $where: { id: { $lte: 3 } } }
  const within = await service.ask('POST', '/note/search?limit=1000', { body })
  assert.equal(within.json().data.length, 3)
  const titles = await service.ask('POST', '/note/search?limit=1000', {
    body: { $select: ['title', 'parent.title'], $orderBy: ['-parent.id'], $count: true },
  })
  assert.equal(titles.json().total, noteCount)
  assert.equal(titles.json().data.length, noteCount)
})

test('every read that may be too large says so in the OpenAPI document, and every operation that its host may be another', async () => {
  const { paths, components } = (await service.ask('GET', '/api/openapi.json')).json()
  const reads = [
    ...['/note GET', '/note/search POST', '/note/{entityId} GET', '/note/{entityId}/history GET'],
    ...['/api/tasks GET', '/api/notifications GET'],
  ]
  for (const one of reads) {
    const [path = '', method = ''] = one.split(' ')
    const { responses } = paths[path][method.toLowerCase()]
    assert.match(JSON.stringify(responses[422]), /answer\.too-large/, one)
    assert.match(JSON.stringify(responses[421]), /request\.misdirected/, one)
  }
  const { title, body, data } = components.schemas.note_create.properties
  assert.deepEqual([title.maxLength, body.maxLength], [255, 100_000])
  assert.match(data.description, /At most 100000 bytes/)
})

test('an include that repeats a record above the size limit is rejected', async () => {
  await assertTooLarge('GET', `/note/1?include=${'parent.'.repeat(9)}parent`)
})

test('a record with an oversized text can be read and changed in its other fields', async () => {
  assert.equal((await service.ask('GET', '/note/1')).json().body.length, 4_000_000)
  const change = await service.ask('PATCH', '/note/1', { body: { title: 'b' } })
  assert.equal(change.status, 200)
  assert.deepEqual(
    (await service.ask('PATCH', '/note/1', { body: { body: 'x'.repeat(100_001) } })).json(422)
      .errors,
    [{ path: 'body', message: 'has 100001 characters, at most 100000 are allowed' }],
  )
})

test('a history above the size limit is rejected and can be read in pages', async () => {
  const created = await service.ask('POST', '/note', { body: { title: 'h' } })
  const { id } = created.json()
  await service.database.pool.query(
    `INSERT INTO docket.history (entity_key, entity_id, operation, changes, user_id) SELECT 'note', $1, 'change', json_build_object('body', json_build_object('before', repeat('a', 3000000), 'after', repeat('b', 3000000))), 1 FROM generate_series(1, 4)`,
    [id],
  )
  await assertTooLarge('GET', `/note/${id}/history`)
  assert.equal((await service.ask('GET', `/note/${id}/history?limit=2`)).json().data.length, 2)
})

test('a list of tasks above the size limit is whole, and that of a user is rejected', async () => {
  const payload = 'x'.repeat(100_000)
  const body = { payload, assigne_id: 1 }
  assert.equal((await service.ask('POST', '/note/2/task', { body })).status, 201)
  assert.equal((await service.ask('GET', '/note/2/task')).json()[0].payload, payload)
  await service.database.pool.query(`UPDATE records.task SET payload = repeat('a', 17000000)`)
  assert.equal((await service.ask('GET', '/note/2/task')).json()[0].payload.length, 17_000_000)
  await assertTooLarge('GET', '/api/tasks')
  assert.deepEqual((await service.ask('GET', '/note/3/task')).json(), [])
})

test('an export limits the possible bytes of linked fields in a row', async () => {
  const paths = ['next.', 'next.next.'].flatMap((path) => manyTexts.map(({ key }) => path + key))
  assert.deepEqual(
    (await service.ask('POST', '/sheet/export', { body: { $select: paths } })).json(400).errors,
    [
      {
        path: '$select[83]',
        message:
          'exceeds the limit: up to here the fields of linked records may hold 33600000 bytes; at most 33554432 are allowed',
      },
    ],
  )
  const withinLimit = await service.ask('POST', '/sheet/export', {
    body: { $select: paths.slice(0, 83) },
  })
  assert.equal(withinLimit.status, 200)
})
