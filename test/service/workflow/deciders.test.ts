/** Whether an active user can decide on a record that waits: by their role, and by the condition of the action. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUser } from '../../support/console/create-user.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { startTestService } from '../../support/service.ts'

const submit = { key: 'submit', kind: 'proceedToStep', to: 'review' }
const approve = { key: 'approve', kind: 'approveWorkflow', to: 'done' }
const workflow = workflowOf({ draft: [submit], review: [approve], done: [] })
const small = { ...approve, condition: { total: { $lte: 100 } } }

const service = await startTestService({
  ...entityFile('order', { workflow }, [{ key: 'total', type: 'integer' }]),
  ...entityFile(
    'expense',
    { workflow: workflowOf({ draft: [submit], review: [small], done: [] }) },
    [{ key: 'total', type: 'integer' }],
  ),
  ...entityFile('leave', { workflow }, [{ key: 'total', type: 'integer' }]),
  ...roleFile('clerk', {
    order: { read: true, create: true, actions: ['submit'] },
    expense: { read: true, create: true, actions: ['submit'] },
    leave: { read: true, create: true, actions: ['submit'] },
  }),
  ...roleFile('approver', {
    order: { read: true, actions: ['approve'] },
    expense: { read: true, actions: ['approve'] },
  }),
})
after(() => service.stop())
await createUser(service, 'clerk')
const as = 'clerk@example.com'

const created = async (entity: string, body: object): Promise<number> =>
  (await service.ask('POST', `/${entity}`, { body, as })).json(201).id
const submitted = async (entity: string, total: number): Promise<number> => {
  const id = await created(entity, { total })
  const body = { action: 'submit' }
  assert.equal(
    (await service.ask('POST', `/${entity}/${id}/proceedToStep`, { body, as })).status,
    200,
  )
  return id
}
const hasDeciders = async (entity: string, id: number): Promise<boolean | undefined> =>
  (await service.ask('GET', `/${entity}/${id}/actions?deciders=true`, { as })).json(200).hasDeciders

test('nobody can, until an active user has the role', async () => {
  const id = await submitted('order', 1)
  assert.equal(await hasDeciders('order', id), false)
  const approver = await createUser(service, 'approver')
  assert.equal(await hasDeciders('order', id), true)
  const set = (isActive: boolean) =>
    service.ask('PATCH', `/user/${approver}`, { body: { is_active: isActive } })
  assert.equal((await set(false)).status, 200)
  assert.equal(await hasDeciders('order', id), false)
  assert.equal((await set(true)).status, 200)
  assert.equal(await hasDeciders('expense', await submitted('expense', 100)), true)
  assert.equal(await hasDeciders('expense', await submitted('expense', 101)), false)
})

test('nothing is said of a step that decides nothing, and of one that is left to administrators', async () => {
  assert.equal(await hasDeciders('order', await created('order', {})), undefined)
  assert.equal(await hasDeciders('leave', await submitted('leave', 1)), undefined)
})
