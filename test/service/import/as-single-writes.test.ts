/** Rows of a file, records of a bulk write and single writes of the same values: the same records, faults and history. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startImporting } from './an-import-project.ts'

const { imported, made, rowsOf, ask } = await startImporting()

type Fault = { readonly path: string; readonly message: string }

test('random rows of a role are written and refused exactly as its single writes of the same values are, in an import and in a bulk write', async () => {
  await made('customer', { code: 'Q1', name: 'For random rows' })
  const [[customer] = []] = await rowsOf(`SELECT id FROM records.customer WHERE code = 'Q1'`)
  const pick = <T>(n: number, from: readonly T[]) => from[n % from.length] as T
  const rows = Array.from({ length: 80 }, (_, n) => ({
    number: n % 9 === 4 ? '' : String(n),
    total: pick(n * 3, ['1', '100.00', '7', '100.01', '-1', '', '5.5', '2000000', 'x', '0', '42']),
    urgency: pick(n * 7 + 1, ['low', 'high', '', 'low', 'urgent']),
    customer_id: pick(n * 5 + 2, [String(customer), '', String(customer), '999999']),
  }))
  const heads = ['number', 'total', 'urgency', 'customer_id'] as const
  const line = (row: (typeof rows)[number], prefix: string) =>
    heads.map((name) => (name === 'number' && row.number ? prefix : '') + row[name]).join(',')
  const file = [heads.join(), ...rows.map((row) => line(row, 'QI-'))]
  const run = await imported('order', file, { allOrNothing: 'false' }, 'clerk')
  const bodyOf = (row: (typeof rows)[number], prefix: string) => {
    const given = Object.entries(row).filter(([, value]) => value !== '')
    return Object.fromEntries(
      given.map(([name, value]) => [
        name,
        name === 'number' ? prefix + value : name === 'customer_id' ? Number(value) : value,
      ]),
    )
  }
  const as = 'clerk@example.com'
  const singly: boolean[] = []
  const faultsAlone: string[] = []
  for (const [at, row] of rows.entries()) {
    const answer = await ask('POST', '/order', { body: bodyOf(row, 'QS-'), as })
    singly.push(answer.status === 201)
    if (answer.status === 201) continue
    const { errors = [], detail } = answer.json()
    const found = errors.length > 0 ? errors : [{ path: '', message: detail }]
    for (const { path, message } of found)
      faultsAlone.push(`create[${at}]${path && `.${path}`}: ${message}`)
  }
  const bulk = (which: typeof rows, dryRun = false) =>
    ask('POST', '/order/bulk', {
      body: { create: which.map((row) => bodyOf(row, 'QB-')), dryRun },
      as,
    })
  const refused = await bulk(rows)
  assert.deepEqual(
    refused.json().errors.map((one: Fault) => `${one.path}: ${one.message}`),
    faultsAlone,
  )
  const right = rows.filter((_, at) => singly[at])
  const tried = (await bulk(right, true)).json(200)
  assert.deepEqual(tried.counts, { done: right.length, unchanged: 0, refused: 0 })
  const ofBulk = `SELECT FROM records."order" WHERE number LIKE 'QB-%'`
  assert.deepEqual(await rowsOf(ofBulk), [])
  await bulk(right)
  const faulty = new Set(run.faults.map(({ row }) => row))
  assert.deepEqual(
    rows.map((_, at) => !faulty.has(at + 2)),
    singly,
  )
  assert.ok(run.created > 5 && run.faulty > 5)
  assert.equal(run.created, singly.filter(Boolean).length)
  const values = (prefix: string) =>
    rowsOf(
      `SELECT substr(number, 4), total, urgency, customer_id, doubled, _step, _owned_by, _version
       FROM records."order" WHERE number LIKE $1 ORDER BY id`,
      [`${prefix}%`],
    )
  assert.deepEqual(await values('QI-'), await values('QS-'))
  assert.deepEqual(await values('QB-'), await values('QS-'))
  const historyOf = async (prefix: string) =>
    (
      await rowsOf(
        `SELECT h.operation, h.user_id, h.changes::jsonb - 'number'
         FROM docket.history h JOIN records."order" o ON o.id = h.entity_id AND h.entity_key = 'order'
         WHERE o.number LIKE $1 ORDER BY o.id`,
        [`${prefix}%`],
      )
    ).map((entry) => JSON.stringify(entry))
  assert.deepEqual(await historyOf('QB-'), await historyOf('QS-'))
})
