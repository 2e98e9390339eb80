/**
 * Whom an operation of the caller would notify (POST /api/notifications/recipients), and who was notified of what happened
 * to a record (GET /:entity/:id/notified), as far as the caller may know it.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import {
  addEveryone,
  addGroup,
  type Engine,
  holdJobs,
  shareEngine,
  type UserName,
} from './an-engine.ts'

const path = '/api/notifications/recipients'

const engine = await shareEngine('preview')
const { ids } = engine
before(async () => {
  await addGroup(engine, 'preview', [ids.anna, ids.clara, ids.sam, ids.blocked])
})

const preview = (body: object, as?: UserName) =>
  engine.send('POST', path, { entityKey: 'preview', ...body }, as)
const submit = (entityIds: readonly number[], as?: UserName) =>
  preview({ operation: 'proceedToStep', action: 'submit', entityIds }, as)
type Answer = { readonly people: readonly { id: number; full_name: string }[] }
const namesOf = ({ people }: Answer) =>
  people.map(({ full_name }) => full_name.split(' ')[0]).join(' ')

test('it names the users whom an action would notify, and they are notified then; the entity says which operations notify', async () => {
  const values = { topic: 'x', approver_id: ids.bruno, deputy_id: ids.anna }
  const id = await engine.create(values, 'anna')
  const names = ['anna', 'bruno', 'clara'] as const
  assert.deepEqual(await submit([id], 'anna'), {
    records: 1,
    count: 3,
    emails: 3,
    hasMore: false,
    isPartial: false,
    people: names.map((name) => ({ id: ids[name], full_name: `${name} Example` })),
  })
  assert.deepEqual(await engine.notifiedNames(id), [])
  await engine.act(id, 'submit', 'anna')
  assert.deepEqual(await engine.notifiedNames(id), names)
  const { notifiedOperations } = await engine.send('GET', '/api/entities/preview', undefined, 'kim')
  assert.deepEqual(notifiedOperations, ['create', 'proceedToStep', 'takeOwnership'])
})

test('who may not read users gets their number, and nothing of rules that read hidden fields', async () => {
  const values = { topic: 'x', approver_id: ids.bruno }
  for (const more of [{ deputy_id: ids.olga }, { number: 'secret' }])
    assert.deepEqual(await submit([await engine.create({ ...values, ...more })], 'kim'), {
      // Also those who are skipped because they are blocked, or by their role: nobody learns it from a number.
      records: 1,
      count: 5,
      emails: 5,
      people: [],
      hasMore: false,
      isPartial: true,
    })
})

test('of many records each user counts once, and those that the action is not open for are left out', async () => {
  const create = () => engine.create({ topic: 'x', approver_id: ids.bruno })
  const [first, second, taken] = [await create(), await create(), await create()]
  await engine.act(taken, 'submit')
  const found = await submit([first, first, second, taken, 2_000_000_000], 'anna')
  const { people, ...counts } = found
  assert.deepEqual(counts, { records: 2, count: 2, emails: 4, hasMore: false, isPartial: false })
  assert.equal(namesOf(found), 'bruno clara')
})

test('a record that is not created yet is evaluated as it would be, and is not created', async () => {
  const { id: supplier_id } = await engine.send('POST', '/supplier', {
    account_manager_id: ids.clara,
  })
  const countAll = async () =>
    (await engine.send('POST', '/preview/search', { $count: true })).count
  const create = (values: object, as: UserName) => preview({ operation: 'create', values }, as)
  const before = await countAll()
  const toBruno = { topic: 'new', approver_id: ids.bruno }
  assert.equal(namesOf(await create(toBruno, 'anna')), 'anna bruno')
  const linked = { topic: 'east', supplier_id }
  assert.equal(namesOf(await create(linked, 'anna')), 'clara')
  // Who may not read suppliers learns nothing of them, nor of users that they may not link to.
  const { count, isPartial } = await create(linked, 'kim')
  assert.deepEqual([count, isPartial], [0, true])
  assert.equal((await create(toBruno, 'kim')).count, 1)
  assert.equal((await create({ topic: 'new', total: '1234567890123456' }, 'anna')).count, 1)
  assert.equal(await countAll(), before)
})

test('what is typed into the form of an action counts as if it were sent; what is refused does not', async () => {
  const id = await engine.create({ topic: 'x', deputy_id: ids.anna })
  await engine.act(id, 'submit')
  const asked = { operation: 'proceedToStep', action: 'approve', entityIds: [id] }
  const notes = 'urgent'
  for (const [values, names] of [
    [{}, ''],
    [{ notes }, 'anna'],
    [{ notes, deputy_id: ids.bruno }, 'bruno'],
    [{ notes, deputy_id: null }, ''],
    [{ notes, deputy_id: 2_000_000_000 }, ''],
  ] as const)
    assert.equal(namesOf(await preview({ ...asked, values }, 'anna')), names)
  await engine.act(id, 'approve', undefined, { values: { notes, deputy_id: ids.clara } })
  assert.equal((await engine.notifiedNames(id)).at(-1), 'clara')
})

test('more than 1,000 users are not counted', async () => {
  await addEveryone(engine)
  const entityIds = [await engine.create()]
  const { count, people, hasMore } = await preview(
    { operation: 'takeOwnership', entityIds },
    'anna',
  )
  assert.deepEqual([count, people.length, hasMore], [1000, 10, true])
})

const valid = { entityKey: 'preview', operation: 'proceedToStep', action: 'submit', entityIds: [1] }
const create = { entityKey: 'preview', operation: 'create' }
const rejected: readonly (readonly [body: object, paths: readonly string[]])[] = [
  [{}, ['entityKey', 'operation']],
  [{ ...valid, entityIds: [] }, ['entityIds']],
  [{ ...valid, entityIds: Array.from({ length: 51 }, (_, index) => index + 1) }, ['entityIds']],
  [{ ...valid, action: 'submti' }, ['action']],
  [{ ...valid, operation: 'takeOwnership', values: {} }, ['action', 'values']],
  [{ ...create, action: 'submit' }, ['action', 'values']],
  [{ ...create, values: { x: 1, total: [] } }, ['values.total', 'values.x']],
]
const refused: readonly (readonly [as: UserName, body: object, status: number])[] = [
  ['kim', { ...valid, action: 'approve' }, 403],
  ['kim', { entityKey: 'preview', operation: 'takeOwnership', entityIds: [1] }, 403],
  ['sam', valid, 404],
  ['anna', { ...valid, entityKey: 'supplier' }, 404],
]
test('callers see it of operations that they may do, on records that they may read, if they ask rightly', async () => {
  for (const [body, paths] of rejected) {
    const found = invalidPaths(await engine.ask('POST', path, { body }), 400)
    assert.deepEqual(found.toSorted(), paths)
  }
  for (const [as, body, status] of refused) {
    const reply = await engine.ask('POST', path, { body, as: engine.mailOf(as) })
    assert.equal(reply.status, status, `${as} ${JSON.stringify(body)}: ${reply.text}`)
  }
})

describe('who was notified', () => {
  let sending: Engine
  before(async () => {
    sending = await shareEngine('sent')
    await addGroup(sending, 'sent', [ids.anna, ids.clara])
  })

  type Sent = Answer & { readonly operation: string; count: number; isPartial: boolean }
  const sentOf = async (id: number, as?: UserName) => {
    await sending.settled()
    return (await sending.send('GET', `/sent/${id}/notified`, undefined, as)).data
  }
  const printSent = async (id: number, as?: UserName): Promise<string[]> =>
    (await sentOf(id, as)).map(
      (one: Sent) =>
        `${one.operation} ${one.count} ${namesOf(one)}${one.isPartial ? ' partial' : ''}`,
    )

  test('is named for each event, with the channels and when', async () => {
    const id = await sending.create({ approver_id: ids.bruno })
    await sending.act(id, 'submit')
    const printed = await printSent(id, 'anna')
    assert.deepEqual(printed, ['proceedToStep 3 anna bruno clara', 'create 1 bruno'])
    // Nothing is said of another record, of which nobody was.
    assert.deepEqual(await printSent(await sending.create({})), [])
    const sent = await sentOf(id, 'anna')
    const [email, inApp] = sent[1].people[0].channels
    assert.deepEqual([email.channel, inApp.channel], ['email', 'inbox'])
    assert.match(inApp.at, /^\d{4}-.*Z$/)
    assert.equal(JSON.stringify(sent).includes('@'), false)
  })

  test('is told apart of two events of the same millisecond', async () => {
    const { pool } = sending.database
    const release = await holdJobs(sending)
    const id = await sending.create({ approver_id: ids.bruno })
    await sending.act(id, 'submit')
    const at = '2026-01-01T00:00:00.000Z'
    await pool.query(
      `UPDATE docket.history SET at = $2 WHERE entity_key = 'sent' AND entity_id = $1`,
      [id, at],
    )
    await pool.query(
      `UPDATE docket.job SET payload = (payload::jsonb || jsonb_build_object('at', $2::text))::json
       WHERE payload ->> 'entity_key' = 'sent' AND payload ->> 'entity_id' = $1::text`,
      [id, at],
    )
    await release()
    assert.deepEqual(await printSent(id), ['proceedToStep 3 anna bruno clara', 'create 1 bruno'])
  })

  test('is found by the time where an earlier version has stored it', async () => {
    const { pool } = sending.database
    const id = await sending.create({ approver_id: ids.bruno })
    const sent = await sentOf(id)
    assert.equal(sent.length, 1)
    for (const table of ['notification', 'mailing'])
      await pool.query(
        `UPDATE docket.${table} SET history_id = DEFAULT WHERE entity_key = 'sent' AND entity_id = $1`,
        [id],
      )
    assert.deepEqual(await sentOf(id), sent)
  })

  test('is a number for who may not read users, without rules that read hidden fields', async () => {
    const id = await sending.create({ approver_id: ids.bruno, deputy_id: ids.clara }, 'anna')
    await sending.takeOwnership(id)
    // The deputy is notified who is one when the job runs.
    await sending.settled()
    await sending.send('PATCH', `/sent/${id}`, { deputy_id: null })
    const seen = ['change 1 bruno', 'takeOwnership 1 clara', 'create 1 bruno']
    assert.deepEqual(await printSent(id, 'anna'), seen)
    const unseen = ['change 0  partial', 'takeOwnership 0  partial', 'create 1 ']
    assert.deepEqual(await printSent(id, 'kim'), unseen)
  })
})
