/** Changes that match a rule: the message is written with the change, and all matching rules apply. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { matchRules, type TakenAction } from '../../../src/definitions/notification-matching.ts'
import { act, type Engine, startEngine } from './an-engine.ts'

const recipient = { userFields: ['approver'] }
const ruleWithTitle = (operation: 'create' | 'takeOwnership' | 'proceedToStep', title: string) => ({
  operation,
  recipient,
  content: { title },
})
const ruleForAction = (action: string) => ({ ...ruleWithTitle('proceedToStep', action), action })
const rules = [
  ruleWithTitle('create', 'created'),
  { ...ruleWithTitle('create', 'expensive'), condition: { total: { $gte: '1000' } } },
  ruleWithTitle('takeOwnership', 'taken'),
  ...['proceedToStep', 'submit', 'draft-review', 'approveWorkflow', 'rejectWorkflow'].map(
    ruleForAction,
  ),
  ...['approve', 'decision', 'review-rejected'].map(ruleForAction),
]

let engine: Engine
before(async () => {
  engine = await startEngine(rules)
  await watchJobs(engine)
})
after(() => engine.stop())

const create = (values: object = {}) => engine.create({ approver_id: engine.ids.anna, ...values })
const titlesOf = async (id: number) =>
  (await engine.notificationsAbout(id)).map(({ content }) => content.title).sort()
/** Records the kinds of all jobs in a table. */
const watchJobs = ({ database }: Engine) =>
  database.pool.query(
    `CREATE TABLE public.written (task text);
     CREATE FUNCTION public.note_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO public.written SELECT identifier FROM graphile_worker._private_tasks WHERE id = NEW.task_id;
       RETURN NULL;
     END $$;
     CREATE TRIGGER note AFTER INSERT ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION public.note_job()`,
  )
const writtenJobs = async ({ database }: Engine) => {
  const { rows } = await database.pool.query<{ task: string }>('SELECT task FROM public.written')
  return rows.map(({ task }) => task)
}
const jobsOf = async (change: () => Promise<unknown>) => {
  await engine.database.pool.query('TRUNCATE public.written')
  await change()
  return writtenJobs(engine)
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

const taken = (values: Partial<TakenAction> = {}): TakenAction => ({
  key: 'approve',
  kind: 'approveWorkflow',
  form: undefined,
  from: 'review',
  to: 'approved',
  ...values,
})
const table: readonly [action: string, taken: TakenAction, matches: boolean][] = [
  ['approveWorkflow', taken(), true],
  ['proceedToStep', taken(), false],
  ['rejectWorkflow', taken(), false],
  ['approve', taken(), true],
  ['approve', taken({ key: 'ok', form: 'approve' }), true],
  ['approve', taken({ key: 'ok' }), false],
  ['review-approved', taken(), true],
  ['approved-review', taken(), false],
  ['review', taken(), false],
  ['approved', taken(), false],
  ['undefined', taken(), false],
]
for (const [action, takenAction, matches] of table)
  test(`"${action}" ${matches ? 'matches' : 'does not match'} ${JSON.stringify(takenAction)}`, () => {
    const definition = { key: 'x', fields: [], notifications: [ruleForAction(action)] }
    assert.equal(matchRules(definition, 'proceedToStep', takenAction).length, matches ? 1 : 0)
    assert.equal(matchRules(definition, 'create', undefined).length, 0)
  })

test('taking ownership applies its rules', async () => {
  const id = await create()
  const reply = await engine.ask('POST', `/request/${id}/takeOwnership`, {
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
  assert.deepEqual(await jobsOf(change('PATCH', `/request/${id}`, { notes: 'x' })), [])
  const note = change('POST', `/request/${id}/proceedToStep`, { action: 'note' })
  assert.deepEqual(await jobsOf(note), ['notification.send'])
  assert.deepEqual(await jobsOf(change('DELETE', `/request/${id}`)), [])
  assert.deepEqual(await jobsOf(change('POST', '/supplier', { name: 'x' })), [])
})

test('a rejected change leaves no message', async () => {
  const id = await create()
  const path = `/request/${id}/proceedToStep`
  const requests = [
    () => engine.ask('POST', '/request', { body: { total: 'much' } }),
    () => engine.ask('POST', '/request', { body: { supplier_id: 4711 } }),
    () => engine.ask('POST', path, { body: { action: 'approve' } }),
    () => engine.ask('POST', path, { body: { action: 'submit' }, as: engine.mailOf('sam') }),
    () => engine.ask('POST', `/request/${id}/takeOwnership`, { as: engine.mailOf('owen') }),
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
     CREATE CONSTRAINT TRIGGER late AFTER INSERT ON records.request DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
  )
  const written = await jobsOf(async () => {
    const reply = await engine.ask('POST', '/request', { body: { approver_id: engine.ids.anna } })
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
  const reply = await engine.ask('POST', '/request', { body: { number: 'never' } })
  await pool.query('DROP FUNCTION refuse CASCADE')
  assert.equal(reply.status, 500)
  const { rows } = await pool.query(`SELECT FROM records.request WHERE number = 'never'`)
  assert.deepEqual(rows, [])
})

test('a create that is repeated with its Idempotency-Key notifies once', async () => {
  const headers = { 'Idempotency-Key': 'once' }
  const body = { approver_id: engine.ids.anna }
  const replies = [
    await engine.ask('POST', '/request', { body, headers }),
    await engine.ask('POST', '/request', { body, headers }),
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
    entity_key: 'request',
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
  const { _created_at } = (await engine.ask('GET', `/request/${id}`)).json()
  const { rows } = await engine.database.pool.query(
    'SELECT $1::timestamptz BETWEEN $2::timestamptz AND clock_timestamp() AS is_of_now',
    [timestamp, _created_at],
  )
  assert.deepEqual(rows, [{ is_of_now: true }])
})

test('rules without the hook have no effect', async (t) => {
  const withoutHook = await startEngine(rules, { hooks: [] })
  t.after(() => withoutHook.stop())
  await watchJobs(withoutHook)
  const id = await withoutHook.create({ approver_id: withoutHook.ids.anna })
  await act(withoutHook, id, { action: 'submit' })
  assert.deepEqual(await writtenJobs(withoutHook), [])
  assert.deepEqual(await withoutHook.notificationsAbout(id), [])
})
