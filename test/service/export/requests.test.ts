/** Export requests: pages, parameters, formats, encodings, permissions and removed records. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { exportRows, readerEmail as reader, startExports } from '../../support/a-column-project.ts'
import { createAs } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await startExports()
})
after(() => service.stop())

const exported = (path: string, body?: unknown, as?: string) => exportRows(service, path, body, as)

test('pages never overlap and contain all records under an order with ties; without limit all are exported', async () => {
  for (let index = 0; index < 7; index++)
    await createAs(service, 'continent', { name: index % 2 ? 'x' : 'y' })
  const ids = async (query: string) =>
    (await exported(`/continent/export${query}`, { $orderBy: ['name'], $select: ['id'] })).rows
      .slice(1)
      .map(([id]) => id)
  const pages = [
    ...(await ids('?limit=3&page=1')),
    ...(await ids('?limit=3&page=2')),
    ...(await ids('?limit=3&page=3')),
  ]
  assert.deepEqual(pages, await ids(''))
  assert.deepEqual(await ids('?limit=3&page=4'), [])
})

for (const query of [
  'page=2',
  'limit=0',
  'limit=-1',
  'limit=abc',
  'limit=1.5',
  'limit=1&page=0',
  'format=pdf',
  'bom=1',
  'colour=red',
])
  test(`an export with ?${query} is a 400`, async () => {
    assert.equal((await service.ask('POST', `/plain/export?${query}`)).status, 400)
  })

test('the byte order mark is written once, at the beginning, and only on request', async () => {
  const response = await fetch(`${service.url}/plain/export?bom=true`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await service.tokenOf()}`, 'Accept-Encoding': 'identity' },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.deepEqual([bytes.indexOf('\uFEFF'), bytes.lastIndexOf('\uFEFF')], [0, 0])
})

test('Accept selects the format; an unsupported one is a 406', async () => {
  const type = async (Accept: string) => {
    const reply = await service.ask('POST', '/customer/export', { headers: { Accept } })
    return [reply.status, reply.headers.get('content-type')?.split(';')[0]]
  }
  assert.deepEqual(await type('*/*'), [200, 'text/csv'])
  assert.deepEqual(await type('application/x-ndjson'), [200, 'application/x-ndjson'])
  assert.deepEqual(await type('text/html;q=0.9, application/json;q=0.8'), [200, 'application/json'])
  assert.deepEqual(await type('image/png'), [406, 'application/problem+json'])
})

test('gzip and zstd contain the same bytes as an uncompressed export', async () => {
  const bytes = async (encoding: string) => {
    const response = await rawPost('/customer/export', { 'Accept-Encoding': encoding })
    assert.equal(
      response.headers['content-encoding'],
      encoding === 'identity' ? undefined : encoding,
    )
    return response.body
  }
  const plain = await bytes('identity')
  assert.deepEqual(gunzipSync(await bytes('gzip')), plain)
  assert.deepEqual(zstdDecompressSync(await bytes('zstd')), plain)
})

test('columns that the role may not read are omitted and counted; its scope limits the records', async () => {
  const { rows, reply } = await exported('/labelled/export', {}, reader)
  assert.equal(reply.headers.get('x-omitted-columns'), '3')
  assert.deepEqual(rows[0], ['Link', '_updated_at', 'ID'])
  const mine = await createAs(service, 'customer', { name: 'Mine' }, reader)
  assert.deepEqual((await exported('/customer/export', { $select: ['id'] }, reader)).rows, [
    ['id'],
    [String(mine.id)],
  ])
  assert.equal((await service.ask('POST', '/plain/export', { as: reader })).status, 403)
})

test('removed records are exported only on request', async () => {
  const { id } = await createAs(service, 'continent', { name: 'Gone' })
  await service.ask('DELETE', `/continent/${id}`)
  const count = async (where: object) =>
    (await exported('/continent/export', { $where: where })).rows.length - 1
  assert.deepEqual([await count({ id }), await count({ id, _is_deleted: true })], [0, 1])
})

const rawPost = async (path: string, headers: Record<string, string>) => {
  const { request } = await import('node:http')
  const { buffer } = await import('node:stream/consumers')
  const token = await service.tokenOf()
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      request(
        `${service.url}${path}`,
        { method: 'POST', headers: { Authorization: `Bearer ${token}`, ...headers } },
        (response) => {
          buffer(response).then((body) => resolve({ headers: response.headers, body }), reject)
        },
      ).end()
    },
  )
}
