/** Changes that match a rule: the message is written with the change, and all matching rules apply. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { act, type Engine, shareEngine } from './an-engine.ts'

let engine: Engine
before(async () => {
  engine = await shareEngine('matching')
  await watchJobs()
})
after(() =>
  engine.database.pool.query('DROP FUNCTION public.note_job CASCADE; DROP TABLE public.written'),
)

const create = (values: object = {}) => engine.create({ approver_id: engine.ids.anna, ...values })
const titlesOf = async (id: number) =>
  (await engine.notificationsAbout(id)).map(({ content }) => content.title).sort()
/** Records the kinds of all jobs in a table. */
const watchJobs = () =>
  engine.database.pool.query(
    `CREATE TABLE public.written (task text);
     CREATE FUNCTION public.note_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO public.written SELECT identifier FROM graphile_worker._private_tasks WHERE id = NEW.task_id;
       RETURN NULL;
     END $$;
     CREATE TRIGGER note AFTER INSERT ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION public.note_job()`,
  )
const writtenJobs = async () => {
  const { rows } = await engine.database.pool.query<{ task: string }>(
    'SELECT task FROM public.written',
  )
  return rows.map(({ task }) => task)
}
const jobsOf = async (change: () => Promise<unknown>) => {
  await engine.database.pool.query('TRUNCATE public.written')
  await change()
  return writtenJobs()
}

test('a create applies all its rules, and those with a condition only when it holds', async () => {
  assert.deepEqual(await titlesOf(await create()), ['created'])
  assert.deepEqual(await titlesOf(await create({ total: '999.99' })), ['created'])
  assert.deepEqual(await titlesOf(await create({ total: '1000' })), ['created', 'expensive'])
})

test('rules that name the kind, the key, the form or both steps of an action all apply', async () => {
  const approved = await create()
  await act(engine, approved, { action: 'submit' })
  assert.deepEqual(await titlesOf(approved), ['created', 'draft-review', 'proceedToStep', 'submit'])
  await act(engine, approved, { action: 'approve' })
  assert.deepEqual(
    (await titlesOf(approved)).filter((title) => title?.match(/^(app|dec|rev|rej)/)),
    ['approve', 'approveWorkflow', 'decision'],
  )
  const refused = await create()
  await act(engine, refused, { action: 'submit' })
  await act(engine, refused, { action: 'refuse' })
  assert.deepEqual(
    (await titlesOf(refused)).filter((title) => title?.match(/^(app|dec|rev|rej)/)),
    ['decision', 'rejectWorkflow', 'review-rejected'],
  )
})

test('taking ownership applies its rules', async () => {
  const id = await create()
  const reply = await engine.ask('POST', `/matching/${id}/takeOwnership`, {
    as: engine.mailOf('bruno'),
  })
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(await titlesOf(id), ['created', 'taken'])
})

test('a change writes one message for all matching rules, and none without a rule', async () => {
  const { ask } = engine
  let id = 0
  const change = (method: string, path: string, body?: object) => () =>
    ask(method, path, body && { body })
  const create2000 = async () => {
    id = await create({ total: '2000' })
  }
  assert.deepEqual(await jobsOf(create2000), ['notification.send'])
  assert.deepEqual(await jobsOf(change('PATCH', `/matching/${id}`, { notes: 'x' })), [])
  const note = change('POST', `/matching/${id}/proceedToStep`, { action: 'note' })
  assert.deepEqual(await jobsOf(note), ['notification.send'])
  assert.deepEqual(await jobsOf(change('DELETE', `/matching/${id}`)), [])
  assert.deepEqual(await jobsOf(change('POST', '/supplier', { name: 'x' })), [])
})

test('a rejected change leaves no message', async () => {
  const id = await create()
  const path = `/matching/${id}/proceedToStep`
  const requests = [
    () => engine.ask('POST', '/matching', { body: { total: 'much' } }),
    () => engine.ask('POST', '/matching', { body: { supplier_id: 4711 } }),
    () => engine.ask('POST', path, { body: { action: 'approve' } }),
    () => engine.ask('POST', path, { body: { action: 'submit' }, as: engine.mailOf('sam') }),
    () => engine.ask('POST', `/matching/${id}/takeOwnership`, { as: engine.mailOf('owen') }),
  ]
  for (const refused of requests) {
    const written = await jobsOf(async () => {
      const reply = await refused()
      assert.ok(reply.status >= 400 && reply.status < 500, reply.text)
    })
    assert.deepEqual(written, [])
  }
})

test('a change that fails at its commit leaves no message', async () => {
  const { pool } = engine.database
  await pool.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not allowed'; END $$;
     CREATE CONSTRAINT TRIGGER late AFTER INSERT ON records.matching DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
  )
  const written = await jobsOf(async () => {
    const reply = await engine.ask('POST', '/matching', { body: { approver_id: engine.ids.anna } })
    assert.equal(reply.status, 500)
  })
  await pool.query('DROP FUNCTION refuse CASCADE')
  assert.deepEqual(written, [])
})

test('a change is rolled back when its message cannot be written', async () => {
  const { pool } = engine.database
  await pool.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not allowed'; END $$;
     CREATE TRIGGER never BEFORE INSERT ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION refuse()`,
  )
  const reply = await engine.ask('POST', '/matching', { body: { number: 'never' } })
  await pool.query('DROP FUNCTION refuse CASCADE')
  assert.equal(reply.status, 500)
  const { rows } = await pool.query(`SELECT FROM records.matching WHERE number = 'never'`)
  assert.deepEqual(rows, [])
})

test('a create that is repeated with its Idempotency-Key notifies once', async () => {
  const headers = { 'Idempotency-Key': 'once' }
  const body = { approver_id: engine.ids.anna }
  const replies = [
    await engine.ask('POST', '/matching', { body, headers }),
    await engine.ask('POST', '/matching', { body, headers }),
  ]
  const [first, second] = replies.map((reply) => reply.json().id)
  assert.equal(first, second)
  assert.deepEqual(await titlesOf(first), ['created'])
})

test('a recipient gets the notification in the list, with its record', async () => {
  const id = await create()
  await engine.settled()
  const reply = await engine.ask('GET', '/api/notifications?limit=1', { as: engine.mailOf('anna') })
  const [{ _id, timestamp, ...notification }] = reply.json()
  assert.deepEqual(notification, {
    user_id: engine.ids.anna,
    entity_key: 'matching',
    entity_id: id,
    content: {
      icon: 'plus',
      title: 'created',
      message: `Administrator created Request ${id}.`,
      url: null,
    },
    seen: false,
  })
  assert.match(_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  const { _created_at } = (await engine.ask('GET', `/matching/${id}`)).json()
  const { rows } = await engine.database.pool.query(
    'SELECT $1::timestamptz BETWEEN $2::timestamptz AND clock_timestamp() AS is_of_now',
    [timestamp, _created_at],
  )
  assert.deepEqual(rows, [{ is_of_now: true }])
})

test('rules without the hook have no effect', async () => {
  const withoutHook = await shareEngine('without_hook')
  let id = 0
  const written = await jobsOf(async () => {
    id = await withoutHook.create({ approver_id: engine.ids.anna })
    await act(withoutHook, id, { action: 'submit' })
  })
  assert.deepEqual(written, [])
  assert.deepEqual(await withoutHook.notificationsAbout(id), [])
  const body = { entityKey: 'without_hook', entityId: id, operation: 'create' }
  const explained = await engine.ask('POST', '/api/notifications/explain', { body })
  const { isActive, entries } = explained.json()
  assert.deepEqual([isActive, entries[0].count], [false, 1])
})
