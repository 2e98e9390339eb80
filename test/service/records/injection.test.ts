/** SQL in every place that takes text: it is treated as data or rejected, and the tables do not change. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createOrder, nextNumber, startProject } from '../../support/a-project.ts'
import type { AskOptions, TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await startProject()
  ask = service.ask
  await createOrder(service, { notes: 'first' })
})
after(() => service.stop())

const payloads = [
  `'; DROP TABLE records."order"; --`,
  `" ; DROP TABLE records."order"; --`,
  `1; DELETE FROM docket.history`,
  `') OR 1=1 --`,
  `id" DESC; UPDATE records."user" SET is_blocked = true; --`,
  `$1`,
  `$$;DROP SCHEMA records CASCADE;$$`,
  `\\'; SELECT pg_sleep(5); --`,
  `/**/UNION/**/SELECT/**/1`,
  `%' OR '1'='1`,
  `E'\\047'`,
  `\u02bc OR 1=1`,
]

/** Every table with its number of rows and a digest of their values. */
const tableDigests = async (): Promise<Record<string, string>> => {
  const { pool } = service.database
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables WHERE table_schema IN ('records', 'docket') ORDER BY 1`,
  )
  const digests: Record<string, string> = {}
  for (const { name } of rows) {
    const query = `SELECT count(*) || ' ' || md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS digest FROM ${name} t`
    digests[name] = (await pool.query<{ digest: string }>(query)).rows[0]?.digest ?? ''
  }
  return digests
}

type InjectionCase = [string, (payload: string) => [string, string, AskOptions?], readonly number[]]

// Requests that only read: SQL as a value to compare with is valid, SQL as a name is an error.
const reads: readonly InjectionCase[] = [
  ['entity key', (a) => ['GET', `/${encodeURIComponent(a)}`], [404]],
  ['entity key of a search', (a) => ['POST', `/${encodeURIComponent(a)}/search`], [404]],
  ['id', (a) => ['GET', `/order/${encodeURIComponent(a)}`], [400]],
  ['id of a history', (a) => ['GET', `/order/${encodeURIComponent(a)}/history`], [400]],
  ['sort', (a) => ['GET', `/order?sort=${encodeURIComponent(a)}`], [400]],
  ['include', (a) => ['GET', `/order?include=${encodeURIComponent(a)}`], [400]],
  ['limit', (a) => ['GET', `/order?limit=${encodeURIComponent(a)}`], [400]],
  ['page', (a) => ['GET', `/order?page=${encodeURIComponent(a)}`], [400]],
  ['parameter name', (a) => ['GET', `/order?${encodeURIComponent(a)}=1`], [400]],
  [
    'If-None-Match',
    (a) => ['GET', '/order/1', { headers: { 'If-None-Match': headerSafe(a) } }],
    [200],
  ],
  [
    'X-Request-Id',
    (a) => ['GET', '/order/1', { headers: { 'X-Request-Id': headerSafe(a) } }],
    [200],
  ],
  [
    'token',
    (a) => ['GET', '/order', { as: null, headers: { Authorization: `Bearer ${headerSafe(a)}` } }],
    [401],
  ],
  ['value', (a) => search({ $where: { notes: a } }), [200]],
  ['value of a list', (a) => search({ $where: { notes: [a, a] } }), [200]],
  ['pattern', (a) => search({ $where: { notes: { $ilike: a } } }), [200]],
  ['prefix', (a) => search({ $where: { notes: { $startsWith: a } } }), [200]],
  ['substring', (a) => search({ $where: { urgency: { $contains: a } } }), [200]],
  ['value of a linked field', (a) => search({ $where: { 'supplier.name': a } }), [200]],
  ['number', (a) => search({ $where: { quantity: a } }), [400]],
  ['decimal', (a) => search({ $where: { total: { $gt: a } } }), [400]],
  ['bigint', (a) => search({ $where: { serial: a } }), [400]],
  ['timestamp', (a) => search({ $where: { placed_at: a } }), [400]],
  ['date', (a) => search({ $where: { needed_by: a } }), [400]],
  ['enum value', (a) => search({ $where: { urgency: a } }), [400]],
  ['field', (a) => search({ $where: { [a]: 1 } }), [400]],
  ['path', (a) => search({ $where: { [`supplier.${a}`]: 1 } }), [400]],
  ['operator', (a) => search({ $where: { notes: { [a]: 1 } } }), [400]],
  ['$orderBy', (a) => search({ $orderBy: [`-${a}`] }), [400]],
  ['$select', (a) => search({ $select: [a] }), [400]],
  ['criteria key', (a) => search({ [a]: 1 }), [400]],
]

const search = (body: object): [string, string, AskOptions] => ['POST', '/order/search', { body }]

/** Replaces what fetch cannot send in a header. */
const headerSafe = (payload: string) => payload.replaceAll(/[^\x20-\x7e]/g, '?')

describe('Values: "Identifiers come only from the definitions, never from a request"', () => {
  for (const [place, request, expected] of reads)
    test(`SQL as ${place} returns no other record and changes nothing`, async () => {
      const before = await tableDigests()
      for (const payload of payloads) {
        const [method, path, options] = request(payload)
        const reply = await ask(method, path, options)
        assert.ok(expected.includes(reply.status), `${payload}: ${reply.status} ${reply.text}`)
        if (reply.status !== 200) continue
        const { data } = reply.json()
        if (path === '/order/search') assert.deepEqual(data, [], payload)
      }
      assert.deepEqual(await tableDigests(), before)
    })
})

describe('Values: "Every value travels as a bound parameter"', () => {
  let id = 0
  beforeEach(async () => {
    id = (await createOrder(service)).id
  })

  test('SQL as a text is stored and found unchanged', async () => {
    for (const payload of payloads) {
      const body = { number: nextNumber(), notes: payload, extra: { [payload]: [payload] } }
      const created = await ask('POST', '/order', { body })
      assert.equal(created.status, 201, created.text)
      const { id: createdId } = created.json()
      const found = await ask('POST', '/order/search', { body: { $where: { notes: payload } } })
      assert.deepEqual(
        found.json().data.map((record: { id: number }) => record.id),
        [createdId],
      )
      assert.deepEqual(found.json().data[0].extra, body.extra)
      const { data } = (await ask('GET', `/order/${createdId}/history`)).json()
      assert.equal(data[0].changes.notes.after, payload)
      await ask('DELETE', `/order/${createdId}`)
    }
  })

  const writes: readonly InjectionCase[] = [
    ['field', (a) => ['PATCH', `/order/${id}`, { body: { [a]: 1 } }], [400]],
    ['number', (a) => ['PATCH', `/order/${id}`, { body: { quantity: a } }], [400]],
    ['decimal', (a) => ['PATCH', `/order/${id}`, { body: { rate: a } }], [400]],
    ['link', (a) => ['PATCH', `/order/${id}`, { body: { supplier_id: a } }], [400]],
    ['enum value', (a) => ['PATCH', `/order/${id}`, { body: { urgency: a } }], [422]],
    ['If-Match', (a) => tagged(id, headerSafe(a)), [400]],
    ['If-Match in quotes', (a) => tagged(id, `"${headerSafe(a).replaceAll('"', '')}"`), [412]],
    ['id', (a) => ['DELETE', `/order/${encodeURIComponent(a)}`], [400]],
  ]
  for (const [place, request, expected] of writes)
    test(`SQL as ${place} of a write is rejected and changes nothing`, async () => {
      const before = await tableDigests()
      for (const payload of payloads) {
        const [method, path, options] = request(payload)
        const reply = await ask(method, path, options)
        assert.ok(expected.includes(reply.status), `${payload}: ${reply.status} ${reply.text}`)
      }
      assert.deepEqual(await tableDigests(), before)
    })
})

const tagged = (id: number, tag: string): [string, string, AskOptions] => [
  'PATCH',
  `/order/${id}`,
  { body: { notes: 'x' }, headers: { 'If-Match': tag } },
]
