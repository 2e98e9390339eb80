/** A message that is processed several times, also concurrently, stores one notification per recipient and rule. */
import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { createBatcher } from '../../../src/database/batcher.ts'
import { sendNotificationsOf } from '../../../src/notify/send-notifications.ts'
import type { Observation } from '../../../src/observations.ts'
import type { ChangeMessage } from '../../../src/records/write/change-events.ts'
import { addEveryone, memberCount, shareEngine } from './an-engine.ts'

const engine = await shareEngine('once')
before(async () => {
  await addEveryone(engine)
})

const read = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await engine.database.pool.query<Row>(text, values)).rows

/** The message of a new request, taken from its job. */
const messageOf = async (topic: string): Promise<ChangeMessage> => {
  await read(
    `CREATE FUNCTION public.keep_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       CREATE TABLE public.kept AS SELECT NEW.payload;
       RETURN NULL;
     END $$;
     CREATE TRIGGER keep AFTER INSERT ON docket.job FOR EACH ROW EXECUTE FUNCTION public.keep_job()`,
  )
  const { anna: approver_id, bruno: deputy_id } = engine.ids
  await engine.create({ topic, approver_id, deputy_id })
  const [kept] = await read<{ payload: string }>('SELECT payload FROM public.kept')
  await read('DROP FUNCTION public.keep_job CASCADE; DROP TABLE public.kept')
  return JSON.parse(kept?.payload ?? assert.fail())
}

/** Processes a message again, and returns the number of stored notifications by rule. */
const processMessage = async (message: ChangeMessage): Promise<number[]> => {
  const stored: number[] = []
  const observe = (one: Observation) => {
    if (one.kind === 'notificationsStored') stored.push(one.stored)
  }
  const { pool } = engine.database
  const { permissions } = engine.runtime
  const batcher = createBatcher(pool)
  const deps = {
    pool,
    catalog: engine.project.catalog,
    permissions,
    timeZone: 'UTC',
    observe,
    batcher,
  }
  await sendNotificationsOf(deps, message)
  return stored
}

/** Counts the notifications about a record: all, distinct ids, users and contents. */
const storedAbout = async ({ entity_id }: ChangeMessage) => {
  const [row] = await read<Record<'stored' | 'ids' | 'users' | 'contents', number>>(
    `SELECT count(*) AS stored, count(DISTINCT _id) AS ids, count(DISTINCT user_id) AS users, count(DISTINCT (user_id, content::text)) AS contents
     FROM docket.notification WHERE entity_key = 'once' AND entity_id = $1`,
    [entity_id],
  )
  return row ?? assert.fail()
}

afterEach(async () => {
  const wrong = await read(
    `SELECT c.user_id FROM docket.notification_count c FULL JOIN
       (SELECT user_id, count(*) AS total, count(*) FILTER (WHERE NOT seen) AS unseen FROM docket.notification GROUP BY user_id) n
       ON n.user_id = c.user_id WHERE (c.total, c.unseen) IS DISTINCT FROM (n.total, n.unseen)`,
  )
  assert.deepEqual(wrong, [], 'the counters match the stored notifications')
})

test('a message that is processed again stores nothing, and does not reset seen notifications', async () => {
  const message = await messageOf('few')
  await engine.settled()
  const expected = { stored: 3, ids: 3, users: 2, contents: 3 }
  assert.deepEqual(await storedAbout(message), expected)
  const seen = { ids: [], status: 'seen', after: '2020-01-01 00:00:00' }
  await engine.send('PUT', '/api/notifications/mark', seen, 'anna')
  assert.deepEqual(await processMessage(message), [0, 0])
  assert.deepEqual(await storedAbout(message), expected)
  const unseen = 'SELECT FROM docket.notification WHERE user_id = $1 AND NOT seen'
  assert.deepEqual(await read(unseen, [engine.ids.anna]), [])
})

test('a large group is notified once by each of two rules, by concurrent jobs', async () => {
  const message = await messageOf('both')
  await Promise.all([processMessage(message), engine.settled()])
  await engine.settled()
  const { contents, ...counts } = await storedAbout(message)
  const expected = memberCount * 2 + 2
  assert.deepEqual(counts, { stored: expected, ids: expected, users: memberCount + 2 })
  // One of the rules has a content for each, the other one the same for all.
  assert.ok(contents >= memberCount * 2, `${contents} contents`)
})

test('after a failure between batches the other users are notified, and nobody twice', async () => {
  // The last batch fails after it has started to store.
  const [last] = await read<{ id: number }>('SELECT max(id) AS id FROM records."user"')
  await read(
    `CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not allowed'; END $$;
     CREATE TRIGGER refuse AFTER INSERT ON docket.notification FOR EACH ROW WHEN (NEW.user_id = ${last?.id}) EXECUTE FUNCTION public.refuse()`,
  )
  const message = await messageOf('shared')
  const [failed] = await engine.failing()
  assert.match(failed?.error ?? '', /notifications\[\d\]: not allowed/)
  const { stored } = await storedAbout(message)
  assert.ok(stored > 0 && stored < memberCount, `${stored} are stored`)
  await read('DROP FUNCTION public.refuse CASCADE')
  await engine.send('POST', `/api/jobs/${failed?.id}/retry`)
  await engine.settled()
  const { contents, ...counts } = await storedAbout(message)
  assert.deepEqual(counts, { stored: memberCount, ids: memberCount, users: memberCount })
})
