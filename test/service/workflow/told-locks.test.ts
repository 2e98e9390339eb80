/** What is said of the fields and records that steps lock: by the actions of records, explanations and definitions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRole, insertPerson } from '../../support/a-person.ts'
import { shareLocking } from '../../support/records/a-locking-project.ts'
import type { AskOptions } from '../../support/service.ts'

const service = await shareLocking()
const { ask, act, orderIn } = service
const clerk = { as: 'clerk@example.com' }
const accountant = { as: 'accountant@example.com' }
const packer = { as: 'packer@example.com' }
const blind = { as: 'blind@example.com' }

const actionsOf = async (path: string, who: AskOptions = {}) =>
  (await ask('GET', `${path}/actions`, who)).json(200)
const review = { key: 'review', name: 'In review' }

test('the actions of a record name the locked fields and the step', async () => {
  const { id, line } = await orderIn('review')
  const { lockedFields, may, mayCreate } = await actionsOf(`/order/${id}`, clerk)
  assert.deepEqual(
    lockedFields,
    ['customer', 'cap', '_owned_by', 'lines', 'parcels'].map((key) => ({
      key,
      through: null,
      step: review,
    })),
  )
  assert.deepEqual([may.update, may.delete, may.takeOwnership], [true, true, false])
  assert.deepEqual(mayCreate, { lines: false, members: false, parcels: false, remarks: true })
  const part = await actionsOf(`/line/${line}`, clerk)
  assert.deepEqual(
    part.lockedFields,
    ['order', 'amount', '_owned_by'].map((key) => ({ key, through: 'order', step: review })),
  )
  assert.deepEqual(part.data, [])
  assert.deepEqual(part.may, {
    update: false,
    delete: false,
    takeOwnership: false,
    tasks: false,
    comments: false,
    internalComments: false,
  })
  const [field] = (await actionsOf(`/line/${line}`, packer)).lockedFields
  assert.deepEqual(field, { key: 'order', through: 'order', step: null })
  assert.deepEqual((await actionsOf(`/order/${id}`, accountant)).lockedFields, [])
})

test('questions about many records and approvals leave out what another record locks', async () => {
  const [locked, free] = [await orderIn('review'), await orderIn('draft')]
  const body = { ids: [locked.line, free.line] }
  const offered = async (who: AskOptions) => {
    const { data } = (await ask('POST', '/line/actions', { ...who, body })).json(200)
    const path = '/api/approvals?entity=line&order=newest'
    const waiting = (await ask('GET', `${path}&limit=1000`, who)).json(200).data
    const { count } = (await ask('GET', '/api/approvals/count?entity=line', who)).json(200)
    assert.equal(count, waiting.length)
    const listed = new Set(waiting.map(({ id }: { id: number }) => id))
    return [data[0]?.ids, body.ids.filter((id) => listed.has(id))]
  }
  assert.deepEqual(await offered(clerk), [[free.line], [free.line]])
  assert.deepEqual(await offered(packer), [[free.line], [free.line]])
  assert.deepEqual(await offered(accountant), [body.ids, body.ids])
  assert.equal((await act(locked.id, 'sendBack')).status, 200)
  assert.deepEqual(await offered(clerk), [body.ids, body.ids])
  await act(free.id, 'submit')
  await act(free.id, 'approve')
  assert.deepEqual(await offered(accountant), [[locked.line], [locked.line]])
})

test('a user is excepted by one of several roles, in every answer', async () => {
  const { id, line } = await orderIn('review')
  const userId = await insertPerson(service.database.pool, 'both', 'clerk')
  await addRole(service.database.pool, userId, 'accountant')
  const both = { as: 'both@example.com' }
  const { lockedFields, may, mayCreate } = await actionsOf(`/order/${id}`, both)
  assert.deepEqual(lockedFields, [])
  assert.deepEqual([may.update, may.takeOwnership, mayCreate.lines], [true, true, true])
  assert.equal((await ask('PATCH', `/order/${id}`, { ...both, body: { cap: '2.00' } })).status, 200)
  assert.equal(
    (await ask('PATCH', `/line/${line}`, { ...both, body: { amount: '2.00' } })).status,
    200,
  )
  const asked = await ask('POST', '/line/actions', { ...both, body: { ids: [line] } })
  assert.deepEqual(asked.json(200).data[0]?.ids, [line])
  const { data } = (await ask('GET', '/api/approvals?entity=line&limit=1000', both)).json(200)
  assert.ok(data.some((one: { id: number }) => one.id === line))
  const { workflow } = (await ask('GET', '/api/entities/order', both)).json(200)
  assert.equal(workflow.steps[1].locks, undefined)
  const body = { entityKey: 'line', entityId: line, userId }
  const explained = (await ask('POST', '/api/access/explain', { body })).json(200)
  assert.equal(explained.may.update, true)
  type Row = { key: string; rights: { right: string; may: boolean }[] }
  const updates = explained.roles.map(({ key, rights }: Row) => [
    key,
    rights.find(({ right }) => right === 'update')?.may,
  ])
  assert.deepEqual(updates, [
    ['clerk', true],
    ['accountant', true],
  ])
})

test('the explanation of access says that a step locks the record', async () => {
  const { line } = await orderIn('review')
  const { id: userId } = (await ask('GET', '/api/me', clerk)).json(200)
  const body = { entityKey: 'line', entityId: line, userId }
  const { may, roles } = (await ask('POST', '/api/access/explain', { body })).json(200)
  assert.deepEqual([may.read, may.update, may.delete], [true, false, false])
  type Verdict = { right?: string; key?: string; reason: string | null }
  const reasons = [...roles[0].rights, ...roles[0].actions].flatMap(
    ({ right, key, reason }: Verdict) => (reason === 'locked by a step' ? [right ?? key] : []),
  )
  assert.deepEqual(reasons, ['update', 'delete', 'takeOwnership', 'raise'])
})

test('and that a record is locked as a whole', async () => {
  const { id } = await orderIn('approved')
  const { lockedFields, may } = await actionsOf(`/order/${id}`, accountant)
  assert.deepEqual(
    lockedFields.map(({ key }: { key: string }) => key),
    ['note', 'customer', 'cap', '_owned_by', 'lines', 'parcels', 'remarks'],
  )
  assert.deepEqual([may.update, may.delete, may.takeOwnership], [false, false, false])
})

test('the entity has the locks that hold for the role, of fields that it sees', async () => {
  const locksFor = async (who: AskOptions) => {
    const { workflow } = (await ask('GET', '/api/entities/order', who)).json(200)
    return workflow.steps.map(({ locks }: { locks?: object }) => locks ?? null)
  }
  const fields = ['lines', 'parcels', 'total', 'customer', 'cap', '_owned_by']
  assert.deepEqual(await locksFor({}), [
    null,
    { fields, except: ['accountant'] },
    { fields: 'all' },
  ])
  assert.deepEqual(await locksFor(clerk), [null, { fields }, { fields: 'all' }])
  assert.deepEqual(await locksFor(accountant), [null, null, { fields: 'all' }])
  assert.deepEqual(await locksFor(blind), [null, { fields: fields.slice(1) }, { fields: 'all' }])
})
