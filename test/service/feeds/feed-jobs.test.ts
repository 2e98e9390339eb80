/** Jobs that statements on servers of notifications enqueue, and renames of entities, where notifications are on servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followRenames } from '../../../src/schema-sync/renames/follow-on-feed.ts'
import { startOnFeeds, toAll } from '../../support/feeds/two-feeds.ts'
import { until } from '../../support/wait.ts'

const attachments = { documentFunctions: ['native/record-json'], printableDocuments: [] }

test('attachments are created for the mailings of each server, and sent with the e-mails', async () => {
  const service = await startOnFeeds({ rules: [{ ...toAll, attachments }] })
  await service.create({ number: 'R-1' })
  await until('all e-mails are sent', async () => {
    const reply = await service.ask('GET', '/api/deliveries/count')
    return reply.json().email.sent === service.people.length
  })
  const { data } = (await service.ask('GET', '/api/deliveries?limit=100')).json()
  for (const { id, attachments: own } of data) {
    assert.deepEqual([own.length, own[0].fault], [1, null])
    const file = await service.ask('GET', `/api/deliveries/${id}/attachments/0`)
    assert.deepEqual([file.status, file.json().number], [200, 'R-1'])
  }
  for (const feed of Object.values(service.feeds)) {
    const { rows } = await feed.query('SELECT FROM docket.feed_job')
    assert.equal(rows.length, 0, 'every job was taken over')
  }
  await service.stop()
})

test('what was renamed in the records is renamed on each server, once', async () => {
  const service = await startOnFeeds()
  await service.create({ number: 'R-1' })
  const { pool } = service.database
  const keysOn = async () => {
    const keys = new Set<string>()
    for (const feed of Object.values(service.feeds)) {
      const { rows } = await feed.query<{ key: string }>(
        'SELECT entity_key AS key FROM docket.notification UNION SELECT entity_key FROM docket.mailing',
      )
      for (const { key } of rows) keys.add(key)
    }
    return [...keys]
  }
  await pool.query(
    `INSERT INTO docket.rename (kind, entity_key, earlier, later, is_followed)
     VALUES ('entity', 'claim', 'request', 'claim', true)`,
  )
  for (const feed of Object.values(service.feeds)) await followRenames(pool, feed)
  assert.deepEqual(await keysOn(), ['claim'])
  // A later entity of the earlier name keeps its notifications.
  await service.feeds.a?.query(`UPDATE docket.notification SET entity_key = 'request'`)
  for (const feed of Object.values(service.feeds)) await followRenames(pool, feed)
  assert.deepEqual((await keysOn()).toSorted(), ['claim', 'request'])
  await service.stop()
})
