/** A message that is processed several times, also concurrently, stores one notification per recipient and rule. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createPermissions } from '../../../src/auth/permissions.ts'
import { createBatcher } from '../../../src/database/batcher.ts'
import { feedsOn } from '../../../src/database/feeds/feeds.ts'
import { sendNotificationsOf } from '../../../src/notifications/jobs/send-notifications.ts'
import type { Observation } from '../../../src/observations.ts'
import type { ChangeMessage } from '../../../src/records/write/change-events.ts'
import { addEveryone, type Engine, memberCount, shareEngine } from './an-engine.ts'

let engine: Engine
before(async () => {
  engine = await shareEngine('once')
  await addEveryone(engine)
})

const read = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await engine.database.pool.query<Row>(text, values)).rows

/** The message of a new request, taken from its job. */
const messageOf = async (topic: string): Promise<ChangeMessage> => {
  const { pool } = engine.database
  const values = { topic, approver_id: engine.ids.anna, deputy_id: engine.ids.bruno }
  await pool.query(
    `CREATE FUNCTION public.keep_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       CREATE TABLE public.kept AS SELECT NEW.payload;
       RETURN NULL;
     END $$;
     CREATE TRIGGER keep AFTER INSERT ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION public.keep_job()`,
  )
  await engine.create(values)
  const [kept] = await read<{ payload: string }>('SELECT payload FROM public.kept')
  await pool.query('DROP FUNCTION public.keep_job CASCADE; DROP TABLE public.kept')
  assert.ok(kept)
  return JSON.parse(kept.payload)
}

/** Processes a message again, and returns the number of stored notifications by rule. */
const processMessage = async (message: ChangeMessage): Promise<number[]> => {
  const observations: Observation[] = []
  const { project, database } = engine
  const batcher = createBatcher(database.pool)
  await sendNotificationsOf(
    {
      pool: database.pool,
      catalog: project.catalog,
      permissions: createPermissions(project.catalog),
      timeZone: 'UTC',
      batcher,
      feeds: feedsOn(database.pool),
      batcherOf: () => batcher,
      observe: (observation) => observations.push(observation),
    },
    message,
  )
  return observations.flatMap((one) => (one.kind === 'notificationsStored' ? [one.stored] : []))
}

/** Counts the notifications about a record: all, distinct ids, users and contents. */
const storedAbout = async ({ entity_id }: ChangeMessage) => {
  const [row] = await read(
    `SELECT count(*) AS stored, count(DISTINCT _id) AS ids, count(DISTINCT user_id) AS users, count(DISTINCT (user_id, content::text)) AS contents
     FROM docket.notification WHERE entity_key = 'once' AND entity_id = $1`,
    [entity_id],
  )
  return row
}

/** Asserts that the counters match the stored notifications. */
const assertCounters = async () =>
  assert.deepEqual(
    await read(
      `SELECT c.user_id FROM docket.notification_count c FULL JOIN
         (SELECT user_id, count(*) AS total, count(*) FILTER (WHERE NOT seen) AS unseen FROM docket.notification GROUP BY user_id) n
         ON n.user_id = c.user_id WHERE (c.total, c.unseen) IS DISTINCT FROM (n.total, n.unseen)`,
    ),
    [],
  )

const expectedFew = { stored: 3, ids: 3, users: 2, contents: 3 }

test('a message that is processed again stores nothing', async () => {
  const message = await messageOf('few')
  await engine.settled()
  assert.deepEqual(await storedAbout(message), expectedFew)
  assert.deepEqual(await processMessage(message), [0, 0])
  assert.deepEqual(await storedAbout(message), expectedFew)
  await assertCounters()
})

test('several jobs with the same message store its notifications once', async () => {
  const message = await messageOf('few')
  const add = `SELECT graphile_worker.add_job('notification.send', $1::json)`
  await Promise.all(
    Array.from({ length: 8 }, () => engine.database.pool.query(add, [JSON.stringify(message)])),
  )
  await engine.settled()
  assert.deepEqual(await storedAbout(message), expectedFew)
  await assertCounters()
})

test('a message that is processed again does not reset seen notifications', async () => {
  const message = await messageOf('few')
  await engine.settled()
  const as = engine.mailOf('anna')
  const body = { ids: [], status: 'seen', after: '2020-01-01 00:00:00' }
  assert.equal((await engine.ask('PUT', '/api/notifications/mark', { as, body })).status, 200)
  await processMessage(message)
  const [unseen] = await read(
    'SELECT count(*) FILTER (WHERE NOT seen) AS unseen FROM docket.notification WHERE user_id = $1',
    [engine.ids.anna],
  )
  assert.deepEqual(unseen, { unseen: 0 })
  await assertCounters()
})

test('a large group is notified once by each of two rules, by concurrent jobs', async () => {
  const message = await messageOf('both')
  await Promise.all([processMessage(message), engine.settled()])
  await engine.settled()
  const { contents, ...counts } = (await storedAbout(message)) as { contents: number }
  const expected = memberCount * 2 + 2
  assert.deepEqual(counts, { stored: expected, ids: expected, users: memberCount + 2 })
  // One of the rules has a content for each, the other one the same for all.
  assert.ok(contents >= memberCount * 2, `${contents} contents`)
  await assertCounters()
})

test('after a failure between batches the other users are notified, and nobody twice', async () => {
  const { pool } = engine.database
  // The last batch fails after it has started to store; it begins when an earlier one is stored.
  const [last] = await read<{ id: number }>('SELECT max(id) AS id FROM records."user"')
  await pool.query(
    `CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not allowed'; END $$;
     CREATE TRIGGER refuse AFTER INSERT ON docket.notification FOR EACH ROW WHEN (NEW.user_id = ${last?.id}) EXECUTE FUNCTION public.refuse()`,
  )
  const message = await messageOf('shared')
  const [failed] = await engine.failing()
  assert.match(failed?.error ?? '', /notifications\[\d\]: not allowed/)
  const half = (await storedAbout(message)) as { stored: number }
  assert.ok(half.stored > 0 && half.stored < memberCount, `${half.stored} are stored`)
  await pool.query('DROP FUNCTION public.refuse CASCADE')
  const retry = await engine.ask('POST', `/api/jobs/${failed?.id}/retry`)
  assert.equal(retry.status, 200, retry.text)
  await engine.settled()
  const { stored, ids, users } = (await storedAbout(message)) as Record<string, number>
  assert.deepEqual([stored, ids, users], [memberCount, memberCount, memberCount])
  await assertCounters()
})
