/** SQL in every place that takes text: it is data or an error, and the tables stay as they were. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createOrder, nextNumber, startProject } from '../support/a-project.ts'
import type { AskOptions, TestService } from '../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await startProject()
  ask = service.ask
  await createOrder(service, { notes: 'first' })
})
after(() => service.stop())

const attacks = [
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

/** Every table with its rows and a digest of what they hold. */
const state = async (): Promise<Record<string, string>> => {
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

type Place = [string, (attack: string) => [string, string, AskOptions?], readonly number[]]

// Places that only read; a value that is compared is a fair question, a name is not.
const reads: readonly Place[] = [
  ['entity key', (a) => ['GET', `/${encodeURIComponent(a)}`], [404]],
  ['entity key of a search', (a) => ['POST', `/${encodeURIComponent(a)}/search`], [404]],
  ['id', (a) => ['GET', `/order/${encodeURIComponent(a)}`], [400]],
  ['id of a history', (a) => ['GET', `/order/${encodeURIComponent(a)}/history`], [400]],
  ['sort', (a) => ['GET', `/order?sort=${encodeURIComponent(a)}`], [400]],
  ['include', (a) => ['GET', `/order?include=${encodeURIComponent(a)}`], [400]],
  ['limit', (a) => ['GET', `/order?limit=${encodeURIComponent(a)}`], [400]],
  ['page', (a) => ['GET', `/order?page=${encodeURIComponent(a)}`], [400]],
  ['parameter name', (a) => ['GET', `/order?${encodeURIComponent(a)}=1`], [400]],
  ['If-None-Match', (a) => ['GET', '/order/1', { headers: { 'If-None-Match': safe(a) } }], [200]],
  ['X-Request-Id', (a) => ['GET', '/order/1', { headers: { 'X-Request-Id': safe(a) } }], [200]],
  [
    'token',
    (a) => ['GET', '/order', { as: null, headers: { Authorization: `Bearer ${safe(a)}` } }],
    [401],
  ],
  ['value', (a) => search({ $where: { notes: a } }), [200]],
  ['value of a list', (a) => search({ $where: { notes: [a, a] } }), [200]],
  ['pattern', (a) => search({ $where: { notes: { $ilike: a } } }), [200]],
  ['beginning', (a) => search({ $where: { notes: { $startsWith: a } } }), [200]],
  ['part', (a) => search({ $where: { urgency: { $contains: a } } }), [200]],
  ['value of a linked field', (a) => search({ $where: { 'supplier.name': a } }), [200]],
  ['number', (a) => search({ $where: { quantity: a } }), [400]],
  ['decimal', (a) => search({ $where: { total: { $gt: a } } }), [400]],
  ['bigint', (a) => search({ $where: { serial: a } }), [400]],
  ['time', (a) => search({ $where: { placed_at: a } }), [400]],
  ['day', (a) => search({ $where: { needed_by: a } }), [400]],
  ['word', (a) => search({ $where: { urgency: a } }), [400]],
  ['field', (a) => search({ $where: { [a]: 1 } }), [400]],
  ['path', (a) => search({ $where: { [`supplier.${a}`]: 1 } }), [400]],
  ['operator', (a) => search({ $where: { notes: { [a]: 1 } } }), [400]],
  ['$orderBy', (a) => search({ $orderBy: [`-${a}`] }), [400]],
  ['$select', (a) => search({ $select: [a] }), [400]],
  ['criteria key', (a) => search({ [a]: 1 }), [400]],
]

const search = (body: object): [string, string, AskOptions] => ['POST', '/order/search', { body }]

/** What fetch can send in a header. */
const safe = (attack: string) => attack.replaceAll(/[^\x20-\x7e]/g, '?')

describe('Values: "Identifiers come only from the definitions, never from a request"', () => {
  for (const [place, request, fair] of reads)
    test(`SQL as ${place} reads nothing else and changes nothing`, async () => {
      const before = await state()
      for (const attack of attacks) {
        const [method, path, options] = request(attack)
        const reply = await ask(method, path, options)
        assert.ok(fair.includes(reply.status), `${attack}: ${reply.status} ${reply.text}`)
        if (reply.status !== 200) continue
        const { data } = reply.json()
        if (path === '/order/search') assert.deepEqual(data, [], attack)
      }
      assert.deepEqual(await state(), before)
    })
})

describe('Values: "Every value travels as a bound parameter"', () => {
  let id = 0
  beforeEach(async () => {
    id = (await createOrder(service)).id
  })

  test('SQL as a text is kept and found as it was sent', async () => {
    for (const attack of attacks) {
      const body = { number: nextNumber(), notes: attack, extra: { [attack]: [attack] } }
      const created = await ask('POST', '/order', { body })
      assert.equal(created.status, 201, created.text)
      const { id: made } = created.json()
      const found = await ask('POST', '/order/search', { body: { $where: { notes: attack } } })
      assert.deepEqual(
        found.json().data.map((record: { id: number }) => record.id),
        [made],
      )
      assert.deepEqual(found.json().data[0].extra, body.extra)
      const { data } = (await ask('GET', `/order/${made}/history`)).json()
      assert.equal(data[0].changes.notes.after, attack)
      await ask('DELETE', `/order/${made}`)
    }
  })

  const writes: readonly Place[] = [
    ['field', (a) => ['PATCH', `/order/${id}`, { body: { [a]: 1 } }], [400]],
    ['number', (a) => ['PATCH', `/order/${id}`, { body: { quantity: a } }], [400]],
    ['decimal', (a) => ['PATCH', `/order/${id}`, { body: { rate: a } }], [400]],
    ['link', (a) => ['PATCH', `/order/${id}`, { body: { supplier_id: a } }], [400]],
    ['word', (a) => ['PATCH', `/order/${id}`, { body: { urgency: a } }], [422]],
    ['If-Match', (a) => tagged(id, safe(a)), [400]],
    ['If-Match in quotes', (a) => tagged(id, `"${safe(a).replaceAll('"', '')}"`), [412]],
    ['id', (a) => ['DELETE', `/order/${encodeURIComponent(a)}`], [400]],
  ]
  for (const [place, request, fair] of writes)
    test(`SQL as ${place} of a write is refused and changes nothing`, async () => {
      const before = await state()
      for (const attack of attacks) {
        const [method, path, options] = request(attack)
        const reply = await ask(method, path, options)
        assert.ok(fair.includes(reply.status), `${attack}: ${reply.status} ${reply.text}`)
      }
      assert.deepEqual(await state(), before)
    })
})

const tagged = (id: number, tag: string): [string, string, AskOptions] => [
  'PATCH',
  `/order/${id}`,
  { body: { notes: 'x' }, headers: { 'If-Match': tag } },
]
