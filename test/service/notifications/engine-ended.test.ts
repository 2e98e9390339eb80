/** Due dates of notifications end with the work that they are about. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { storeBatches } from '../../../src/notifications/jobs/notify-users.ts'
import { aContent, newEvent, notificationsOf } from '../../support/notifications/an-inbox.ts'
import { act, type Engine, shareEngine } from './an-engine.ts'

let engine: Engine
let plain: Engine
before(async () => {
  engine = await shareEngine('ended')
  plain = await shareEngine('without_rules')
})

type Listed = {
  entity_key: string
  entity_id: number
  content: { title: string; due_date?: string }
}

/** The contents of the administrator's notifications about a record. */
const contentsOf = async ({ ask, entity }: Engine, id: number) =>
  ((await ask('GET', '/api/notifications?limit=1000')).json() as Listed[])
    .filter((one) => one.entity_key === entity && one.entity_id === id)
    .map(({ content }) => content)

const dueOf = async (id: number): Promise<(string | undefined)[]> =>
  (await contentsOf(plain, id)).map(({ due_date }) => due_date)

/** Notifies the administrator of something that was due years ago. */
const notify = (entityId: number, more: { readonly task_id?: number } = {}) => {
  const content = aContent({ due_at: '2020-01-01T00:00:00.000Z', ...more })
  const event = newEvent({ entityKey: plain.entity, entityId })
  const recipients = { userIds: [1], content }
  return storeBatches(plain.database.pool, [notificationsOf(recipients, event)])
}

const close = async (id: number) => {
  await act(plain, id, { action: 'submit' })
  await act(plain, id, { action: 'approve' })
}

test('a record in a final step, or one that was removed, is not due; others are', async () => {
  const ids = [await plain.create(), await plain.create(), await plain.create()]
  const [open = 0, closed = 0, removed = 0] = ids
  for (const id of [...ids, 4_000_000]) await notify(id)
  for (const id of ids) assert.match(String(await dueOf(id)), /^\d+ years ago$/)
  await close(closed)
  await plain.ask('DELETE', `/without_rules/${removed}`)
  assert.match(String(await dueOf(open)), /years ago/)
  assert.deepEqual([await dueOf(closed), await dueOf(removed)], [[undefined], [undefined]])
  assert.match(String(await dueOf(4_000_000)), /years ago/)
})

test('a task is due as long as it is open, whatever the step of its record', async () => {
  const id = await plain.create()
  const { anna: assigne_id } = plain.ids
  const body = { description: 'Call', assigne_id, due_date: '2020-01-01 09:00:00' }
  const { id: taskId } = (await plain.ask('POST', `/without_rules/${id}/task`, { body })).json()
  await close(id)
  await notify(id, { task_id: taskId })
  assert.match(String(await dueOf(id)), /years ago/)
  await plain.ask('PUT', `/without_rules/${id}/${taskId}`, { body: { is_completed: true } })
  assert.deepEqual(await dueOf(id), [undefined])
})

test('what an action asks for is due until the record leaves the step to which it led', async () => {
  const id = await engine.create()
  /** The titles of the notifications that are due. */
  const due = async () => {
    await engine.settled()
    const contents = await contentsOf(engine, id)
    return contents.filter(({ due_date }) => due_date).map(({ title }) => title)
  }
  assert.deepEqual(await due(), ['create'])
  await act(engine, id, { action: 'submit' })
  assert.deepEqual(await due(), ['submit', 'create'])
  await act(engine, id, { action: 'approve' })
  assert.deepEqual(await due(), ['approve', 'create'])
  await act(engine, id, { action: 'reopen' })
  assert.deepEqual(await due(), ['submit', 'create'])
})
