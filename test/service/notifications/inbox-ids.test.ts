/** Ids of notifications: UUIDv7 values that are derived from the event, the rule and the user. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { notificationIds } from '../../../src/notifications/inbox/notification-id.ts'
import type { TestDatabase } from '../../support/database.ts'
import { newEvent } from '../../support/notifications/an-inbox.ts'
import { createStoreDatabase } from './a-store-database.ts'

let database: TestDatabase
before(async () => {
  database = await createStoreDatabase()
})
after(() => database.drop())

test('the id is a UUIDv7 with the time of the event, different for each event, rule and user', async () => {
  const at = '2026-05-04T08:30:00.123Z'
  const idOf = async (event: string, ruleKey: string, userId: number) => {
    const [id = ''] = notificationIds(newEvent({ id: event, rule: ruleKey, at }), [userId])
    const { rows } = await database.pool.query(
      'SELECT docket.notification_id($1, $2, $3, $4) AS earlier, $5::uuid AS id',
      [at, event, ruleKey, userId, id],
    )
    // Earlier versions generated it in the database.
    assert.equal(rows[0]?.id, rows[0]?.earlier)
    return String(rows[0]?.id)
  }
  const ids = [
    await idOf('a', '0', 1),
    await idOf('a', '0', 2),
    await idOf('a', '1', 1),
    await idOf('b', '0', 1),
    // The parts are separated, so that moving a character between them changes the id.
    await idOf('a 0', '', 1),
    await idOf('a', '0 1', 1),
    await idOf('', 'a 0', 1),
    await idOf('ž 🦊', '0', 1),
  ]
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), Date.parse(at))
  }
  assert.equal(await idOf('a', '0', 1), ids[0])
})

test('the hashed digits of 10,000 ids have all values', async () => {
  const { rows } = await database.pool.query(
    `SELECT docket.notification_id('2026-05-04', 'e', '0', i) AS id FROM generate_series(1, 10000) i`,
  )
  const ids = rows.map(({ id }) => String(id).replaceAll('-', ''))
  assert.equal(new Set(ids).size, ids.length)
  for (let position = 13; position < 32; position++) {
    const digits = new Set(ids.map((id) => id[position]))
    assert.equal(digits.size, position === 16 ? 4 : 16, `position ${position}`)
  }
})
