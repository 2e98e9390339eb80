/**
 * The hostile corpus against a service in a process of its own: every answer is right and short, the
 * thread that answers never stops, memory stays bounded, and another caller hardly notices.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertHeld, type Hostile, startHostile, type Watched } from './a-hostile-service.ts'
import type { Row, Sent } from './a-row.ts'
import { corpus } from './corpus.ts'

const printable = {
  ...{ code: 'contract', name: 'Contract', entity_key: 'contract' },
  template_file: 'contract.typ',
}

let hostile: Hostile
before(async () => {
  hostile = await startHostile({ BODY_TIMEOUT_SECONDS: '5', READER_TIMEOUT_SECONDS: '5' })
  const long = { name: 'long', notes: 'a'.repeat(90_000) }
  for (const [who, entity, body] of [
    ['admin', 'user_group', { code: 'everybody', name: 'Everybody' }],
    ['admin', 'printable_document', printable],
    ['admin', 'client', { name: 'first' }],
    ['clerk', 'client', long],
    ...Array.from({ length: 20 }, () => ['creator', 'client', long] as const),
    ['creator', 'contract', { number: 'first', body: 'short' }],
  ] as const) {
    const { status, text } = await hostile.ask(who, 'POST', `/${entity}`, body)
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
  const { who, answers, maxBytes = 100_000 } = row
  const reply = await hostile.ask(who === 'nobody' ? null : who, method, path, body, credential)
  assert.ok(answers.includes(reply.status), `${reply.status}: ${reply.text.slice(0, 300)}`)
  assert.ok(reply.text.length <= maxBytes, `${reply.text.length} bytes of answer`)
}

const sendAll = async (row: Row): Promise<void> => {
  if ('attack' in row) return row.attack(hostile)
  const waiting = [...row.send()]
  const next = async (): Promise<void> => {
    for (let sent = waiting.shift(); sent; sent = waiting.shift()) await send(row, sent)
  }
  await Promise.all(Array.from({ length: row.atOnce ?? 1 }, next))
}

for (const row of corpus)
  test(`${row.name} (${row.who})`, async (t) => {
    const watched: Watched = await hostile.watch(() => sendAll(row))
    t.diagnostic(JSON.stringify(watched))
    assertHeld(hostile, watched)
  })
