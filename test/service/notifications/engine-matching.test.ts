/** Changes that match a rule: the message is written with the change, also for several rules. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { shareEngine, type UserName } from './an-engine.ts'

/** Runs statements on the database. */
const run = (text: string) => engine.database.pool.query(text)
const engine = await shareEngine('matching')
before(async () => {
  // Records the kinds of all jobs in a table.
  await run(
    `CREATE TABLE public.written (task text);
     CREATE FUNCTION public.note_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO public.written VALUES (NEW.kind);
       RETURN NULL;
     END $$;
     CREATE TRIGGER note AFTER INSERT ON docket.job FOR EACH ROW EXECUTE FUNCTION public.note_job()`,
  )
})
after(() => run('DROP FUNCTION public.note_job CASCADE; DROP TABLE public.written'))

const create = (values: object = {}) => engine.create({ approver_id: engine.ids.anna, ...values })
/** The kinds of the jobs that a change writes. */
const jobsOf = async (change: () => Promise<unknown>): Promise<string[]> => {
  await run('TRUNCATE public.written')
  await change()
  return (await run('SELECT task FROM public.written')).rows.map(({ task }) => task)
}
/** Lets a statement on a table fail, or the transaction if it is deferred, meanwhile. */
const whileRefused = async (
  { table, isDeferred }: { table: string; isDeferred: boolean },
  work: () => Promise<void>,
) => {
  const kind = isDeferred ? 'CONSTRAINT TRIGGER refuse AFTER' : 'TRIGGER refuse BEFORE'
  await run(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not allowed'; END $$;
     CREATE ${kind} INSERT ON ${table} ${isDeferred ? 'DEFERRABLE INITIALLY DEFERRED' : ''} FOR EACH ROW EXECUTE FUNCTION refuse()`,
  )
  await work()
  await run('DROP FUNCTION refuse CASCADE')
}

test('a change writes one message for all matching rules, and none without a rule', async () => {
  let id = 0
  for (const [change, jobs] of [
    [async () => (id = await create({ total: '2000' })), ['notification.send']],
    [() => engine.send('PATCH', `/matching/${id}`, { notes: 'x' }), []],
    [() => engine.send('PATCH', `/matching/${id}`, { total: '1' }), ['notification.send']],
    [() => engine.act(id, 'note'), ['notification.send']],
    [() => engine.send('DELETE', `/matching/${id}`), []],
    [() => engine.send('POST', '/supplier', { name: 'x' }), []],
  ] as const)
    assert.deepEqual(await jobsOf(change), jobs)
})

test('a rejected change leaves no message', async () => {
  const id = await create()
  const requests: readonly [path: string, body: object | undefined, as?: UserName][] = [
    ['', { total: 'much' }],
    ['', { supplier_id: 4711 }],
    [`/${id}/proceedToStep`, { action: 'approve' }],
    [`/${id}/proceedToStep`, { action: 'submit' }, 'sam'],
    [`/${id}/takeOwnership`, undefined, 'owen'],
  ]
  for (const [path, body, as] of requests) {
    const written = await jobsOf(() =>
      assert.rejects(engine.send('POST', `/matching${path}`, body, as), /matching.*: 4\d\d /),
    )
    assert.deepEqual(written, [])
  }
})

test('a change that fails at its commit leaves no message', () =>
  whileRefused({ table: 'records.matching', isDeferred: true }, async () => {
    const written = await jobsOf(() => assert.rejects(create(), /matching: 500 /))
    assert.deepEqual(written, [])
  }))

test('a change is rolled back when its message cannot be written', () =>
  whileRefused({ table: 'docket.job', isDeferred: false }, async () => {
    await assert.rejects(create({ number: 'never' }), /matching: 500 /)
    const { rowCount } = await run(`SELECT FROM records.matching WHERE number = 'never'`)
    assert.equal(rowCount, 0)
  }))

test('rules without the hook have no effect', async () => {
  const withoutHook = await shareEngine('without_hook')
  let id = 0
  const written = await jobsOf(async () => {
    id = await withoutHook.create({ approver_id: engine.ids.anna })
    await withoutHook.act(id, 'submit')
  })
  assert.deepEqual(written, [])
  assert.deepEqual(await withoutHook.notificationsAbout(id), [])
  const body = { entityKey: 'without_hook', entityId: id, operation: 'create' }
  const { isActive, entries } = await engine.send('POST', '/api/notifications/explain', body)
  assert.deepEqual([isActive, entries[0].count], [false, 1])
})
