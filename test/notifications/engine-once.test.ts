/** However often a message is worked on, and by however many at once: one notification per recipient and entry. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPermissions } from '../../src/auth/permissions.ts'
import { createBatcher } from '../../src/database/batcher.ts'
import { sendNotificationsOf } from '../../src/notifications/jobs/send-notifications.ts'
import type { Observation } from '../../src/observations.ts'
import type { ChangeMessage } from '../../src/records/write/change-events.ts'
import { about, addGroup, type Engine, startEngine } from './an-engine.ts'

const everyone = 12_000
const recipient = { userGroups: ['everyone'] }
const personal = { content: { title: 'Dear {{ recipient.full_name }}' } }

let engine: Engine
before(async () => {
  engine = await startEngine([
    about('shared', recipient),
    about('personal', recipient, personal),
    about('both', recipient),
    about('both', recipient, personal),
    about('both', { userFields: ['approver', '_created_by'] }),
    about('few', { userFields: ['approver', 'deputy'] }, personal),
    about('few', { userFields: ['approver'] }),
  ])
  const groupId = await addGroup(engine, 'everyone', [])
  // In the order of no index; without an address, for this is about notifications.
  await engine.database.pool.query(
    `WITH made AS (
       INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
       SELECT 'm' || n, 'M', 'N', 'Member ' || n, 'm' || n || '@example.com', 'm' || n || '@example.com', (SELECT id FROM records.security_role WHERE key = 'reader')
       FROM generate_series(1, ${everyone}) n RETURNING id)
     INSERT INTO records.user_group_member (user_group_id, user_id) SELECT ${groupId}, id FROM made ORDER BY md5(id::text)`,
  )
  // Whoever wants no e-mails gets none: nothing is to be sent here.
  await engine.database.pool.query(
    `INSERT INTO docket.delivery_preference (user_id, entity_key, operation) SELECT id, 'request', 'create' FROM records."user" WHERE first_name = 'M'`,
  )
})
after(() => engine.stop())

const read = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await engine.database.pool.query<Row>(text, values)).rows

/** The message of a request that is worked on by the test alone. */
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

/** Works on a message once more, and answers how many it stored by entry. */
const work = async (message: ChangeMessage): Promise<number[]> => {
  const observations: Observation[] = []
  const { project, database } = engine
  await sendNotificationsOf(
    {
      pool: database.pool,
      catalog: project.catalog,
      permissions: createPermissions(project.catalog),
      timeZone: 'UTC',
      batcher: createBatcher(database.pool),
      observe: (observation) => observations.push(observation),
    },
    message,
  )
  return observations.flatMap((one) => (one.kind === 'notificationsStored' ? [one.stored] : []))
}

/** What is stored about a record: all of them, those that differ, and the people. */
const storedAbout = async ({ entity_id }: ChangeMessage) => {
  const [row] = await read(
    `SELECT count(*) AS told, count(DISTINCT _id) AS ids, count(DISTINCT user_id) AS people, count(DISTINCT (user_id, content::text)) AS contents
     FROM docket.notification WHERE entity_key = 'request' AND entity_id = $1`,
    [entity_id],
  )
  return row
}

/** The counters are what is stored. */
const assertCounters = async () =>
  assert.deepEqual(
    await read(
      `SELECT c.user_id FROM docket.notification_count c FULL JOIN
         (SELECT user_id, count(*) AS total, count(*) FILTER (WHERE NOT seen) AS unseen FROM docket.notification GROUP BY user_id) n
         ON n.user_id = c.user_id WHERE (c.total, c.unseen) IS DISTINCT FROM (n.total, n.unseen)`,
    ),
    [],
  )

const few = { told: 3, ids: 3, people: 2, contents: 3 }

test('a message that is worked on again tells nobody again', async () => {
  const message = await messageOf('few')
  await engine.settled()
  assert.deepEqual(await storedAbout(message), few)
  assert.deepEqual(await work(message), [0, 0])
  assert.deepEqual(await storedAbout(message), few)
  await assertCounters()
})

test('two jobs with one message tell once', async () => {
  const message = await messageOf('few')
  const add = `SELECT graphile_worker.add_job('notification.send', $1::json)`
  await Promise.all(
    Array.from({ length: 8 }, () => engine.database.pool.query(add, [JSON.stringify(message)])),
  )
  await engine.settled()
  assert.deepEqual(await storedAbout(message), few)
  await assertCounters()
})

test('a message that was seen and removed meanwhile', async () => {
  const message = await messageOf('few')
  await engine.settled()
  const as = engine.mailOf('anna')
  const body = { ids: [], status: 'seen', after: '2020-01-01 00:00:00' }
  assert.equal((await engine.ask('PUT', '/api/notifications/mark', { as, body })).status, 200)
  await work(message)
  const [unseen] = await read(
    'SELECT count(*) FILTER (WHERE NOT seen) AS unseen FROM docket.notification WHERE user_id = $1',
    [engine.ids.anna],
  )
  assert.deepEqual(unseen, { unseen: 0 })
  await assertCounters()
})

for (const [topic, entries] of [
  ['shared', 1],
  ['personal', 1],
  ['both', 2],
] as const)
  test(`a group of ${everyone} (${topic}) that several work on at once is told once`, async () => {
    const message = await messageOf(topic)
    await Promise.all([work(message), work(message), engine.settled(), work(message)])
    await engine.settled()
    const told = everyone * entries + (topic === 'both' ? 2 : 0)
    const { contents, ...stored } = (await storedAbout(message)) as { contents: number }
    assert.deepEqual(stored, { told, ids: told, people: everyone + (topic === 'both' ? 2 : 0) })
    if (topic === 'personal') assert.equal(contents, everyone)
    await assertCounters()
  })

for (const topic of ['shared', 'personal'])
  test(`after a failure between batches (${topic}) the rest is told, and nobody twice`, async () => {
    const { pool } = engine.database
    // The third batch fails, once it has begun to store.
    await pool.query(
      `CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF (SELECT count(*) FROM docket.notification n, fresh f WHERE n.entity_id = f.entity_id) > 10000 THEN RAISE EXCEPTION 'not now'; END IF;
         RETURN NULL;
       END $$;
       CREATE TRIGGER refuse AFTER INSERT ON docket.notification REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION public.refuse()`,
    )
    await pool.query('DROP FUNCTION public.refuse CASCADE')
    await pool.query(
      `CREATE TABLE public.batches (n integer); INSERT INTO public.batches VALUES (0);
       CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF (SELECT count(*) FROM docket.notification WHERE entity_id = (SELECT max(id) FROM records.request)) > 10000 THEN RAISE EXCEPTION 'not now'; END IF;
         RETURN NULL;
       END $$;
       CREATE TRIGGER refuse AFTER INSERT ON docket.notification FOR EACH STATEMENT EXECUTE FUNCTION public.refuse()`,
    )
    const message = await messageOf(topic)
    const [failed] = await engine.failing()
    assert.match(failed?.error ?? '', /notifications\[\d\]: not now/)
    const half = (await storedAbout(message)) as { told: number }
    assert.ok(half.told > 0 && half.told < everyone, `${half.told} are told`)
    await pool.query('DROP FUNCTION public.refuse CASCADE; DROP TABLE public.batches')
    const retry = await engine.ask('POST', `/api/jobs/${failed?.id}/retry`)
    assert.equal(retry.status, 200, retry.text)
    await engine.settled()
    const { told, ids, people } = (await storedAbout(message)) as Record<string, number>
    assert.deepEqual([told, ids, people], [everyone, everyone, everyone])
    await assertCounters()
  })
