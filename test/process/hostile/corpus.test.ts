/**
 * The hostile corpus against a service in its own process: every response has an allowed status and size, the
 * thread is never blocked, memory stays bounded, and another caller is still answered quickly.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertWithinLimits,
  type Hostile,
  type Measurement,
  startHostile,
} from './a-hostile-service.ts'
import type { Row, Sent } from './a-row.ts'
import { corpus } from './corpus.ts'

const printable = {
  ...{ code: 'contract', name: 'Contract', entity_key: 'contract' },
  template_file: 'contract.typ',
}

let hostile: Hostile
before(async () => {
  hostile = await startHostile({ BODY_TIMEOUT_SECONDS: '20', READER_TIMEOUT_SECONDS: '20' })
  const long = { name: 'long', notes: 'a'.repeat(90_000) }
  for (const [caller, entity, body] of [
    ['admin', 'user_group', { code: 'everybody', name: 'Everybody' }],
    ['admin', 'printable_document', printable],
    ['admin', 'client', { name: 'first' }],
    ['clerk', 'client', long],
    ...Array.from({ length: 20 }, () => ['creator', 'client', long] as const),
    ['creator', 'contract', { number: 'first', body: 'short' }],
  ] as const) {
    const { status, text } = await hostile.ask(caller, 'POST', `/${entity}`, body)
    assert.equal(status, 201, text)
  }
  await hostile.pool.query(
    `INSERT INTO records.client (name, notes, _created_by, _updated_by) SELECT 'many', repeat('b', 90000), 1, 1 FROM generate_series(1, 200)`,
  )
  await hostile.pool.query(
    `INSERT INTO records.user_group_member (user_group_id, user_id) SELECT g.id, u.id FROM records.user_group g, records."user" u`,
  )
})
after(() => hostile?.stop())

type Requests = Extract<Row, { send: unknown }>

const send = async (row: Requests, { method, path, body, credential }: Sent): Promise<void> => {
  const { caller, allowedStatuses, maxBytes = 100_000 } = row
  const reply = await hostile.ask(
    caller === 'anonymous' ? null : caller,
    method,
    path,
    body,
    credential,
  )
  assert.ok(allowedStatuses.includes(reply.status), `${reply.status}: ${reply.text.slice(0, 300)}`)
  assert.ok(reply.text.length <= maxBytes, `the response has ${reply.text.length} bytes`)
}

const sendAll = async (row: Row): Promise<void> => {
  if ('attack' in row) return row.attack(hostile)
  const queue = [...row.send()]
  const next = async (): Promise<void> => {
    for (let sent = queue.shift(); sent; sent = queue.shift()) await send(row, sent)
  }
  await Promise.all(Array.from({ length: row.concurrency ?? 1 }, next))
}

for (const row of corpus)
  test(`the service stays within its limits: ${row.name} (${row.caller})`, async (t) => {
    const measured: Measurement = await hostile.measure(() => sendAll(row))
    t.diagnostic(JSON.stringify(measured))
    assertWithinLimits(hostile, measured)
  })
