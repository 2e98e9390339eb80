/** Due dates of notifications end with the work that they are about. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { storeBatches } from '../../../src/notifications/jobs/notify-users.ts'
import { aContent, newEvent, notificationsOf } from '../../support/notifications/an-inbox.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker } from '../../support/worker.ts'

const project = {
  'docket.json': { name: 'Shop', locale: 'en' },
  'entities/order.json': {
    ...{ key: 'order', name: 'Order', displayField: 'number' },
    fields: [{ key: 'number', type: 'string' }],
    notifications: ['submit', 'approve', 'create'].map((name) => ({
      ...(name === 'create' ? { operation: name } : { operation: 'proceedToStep', action: name }),
      recipient: { userFields: ['_created_by'] },
      content: { title: name, message: '', due_date: '2020-01-01' },
    })),
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    workflow: {
      initialStep: 'open',
      steps: [
        {
          key: 'open',
          actions: [
            { key: 'close', kind: 'proceedToStep', to: 'closed' },
            { key: 'submit', kind: 'proceedToStep', to: 'review' },
          ],
        },
        { key: 'review', actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'approved' }] },
        { key: 'approved', actions: [{ key: 'reopen', kind: 'proceedToStep', to: 'review' }] },
        { key: 'closed', final: true },
      ],
    },
  },
}

let service: TestService
before(async () => {
  service = await startTestService(await writeProject(project))
})
after(() => service.stop())

const createOrder = async (): Promise<number> =>
  (await service.ask('POST', '/order', { body: { number: 'O' } })).json().id

type Listed = { entity_id: number; content: { title: string; due_date?: string } }

const dueOf = async (id: number): Promise<(string | undefined)[]> =>
  (await service.ask('GET', '/api/notifications?limit=1000'))
    .json()
    .filter((one: Listed) => one.entity_id === id)
    .map(({ content }: Listed) => content.due_date)

/** Notifies the administrator of something that was due years ago. */
const notify = (entityId: number, more: { readonly task_id?: number } = {}) => {
  const content = aContent({ due_at: '2020-01-01T00:00:00.000Z', ...more })
  const event = newEvent({ entityKey: 'order', entityId })
  return storeBatches(service.database.pool, [notificationsOf({ userIds: [1], content }, event)])
}

test('a record in a final step, or one that was removed, is not due; others are', async () => {
  const ids = [await createOrder(), await createOrder(), await createOrder()]
  const [open = 0, closed = 0, removed = 0] = ids
  for (const id of [...ids, 4_000_000]) await notify(id)
  for (const id of ids) assert.match(String(await dueOf(id)), /^\d+ years ago$/)
  await service.ask('POST', `/order/${closed}/proceedToStep`, { body: { action: 'close' } })
  await service.ask('DELETE', `/order/${removed}`)
  assert.match(String(await dueOf(open)), /years ago/)
  assert.deepEqual([await dueOf(closed), await dueOf(removed)], [[undefined], [undefined]])
  assert.match(String(await dueOf(4_000_000)), /years ago/)
})

test('a task is due as long as it is open, whatever the step of its record', async () => {
  const id = await createOrder()
  const body = { description: 'Call', assigne_id: 1, due_date: '2020-01-01 09:00:00' }
  const { id: taskId } = (await service.ask('POST', `/order/${id}/task`, { body })).json()
  await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'close' } })
  await notify(id, { task_id: taskId })
  assert.match(String(await dueOf(id)), /years ago/)
  await service.ask('PUT', `/order/${id}/${taskId}`, { body: { is_completed: true } })
  assert.deepEqual(await dueOf(id), [undefined])
})

test('what an action asks for is due until the record leaves the step to which it led', async () => {
  const worker = await startTestWorker(service)
  const id = await createOrder()
  const act = (action: string) =>
    service.ask('POST', `/order/${id}/proceedToStep`, { body: { action } })
  /** The titles of the notifications, and those of them that are due. */
  const told = async (count: number) => {
    const all = await until(`there are ${count} notifications`, async () => {
      const found: Listed[] = (await service.ask('GET', '/api/notifications?limit=1000')).json()
      const own = found.filter((one) => one.entity_id === id)
      return own.length === count && own
    })
    return all.filter(({ content }) => content.due_date).map(({ content }) => content.title)
  }
  await told(1)
  await act('submit')
  assert.deepEqual(await told(2), ['submit', 'create'])
  await act('approve')
  assert.deepEqual(await told(3), ['approve', 'create'])
  await act('reopen')
  assert.deepEqual(await told(3), ['submit', 'create'])
  await worker.stop()
})
