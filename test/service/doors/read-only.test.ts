/**
 * Fields that a role sees and may not write, for every endpoint: no request changes them but the form of an action, and
 * what is described to the caller says so.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Doors, emailOf, readOnlyFields, startDoors } from './a-door-project.ts'
import { assertEach, type Door, doorsOf, enter, requestOf, send, successOf } from './doors.ts'

let doors: Doors
let all: readonly Door[]
before(async () => {
  doors = await startDoors()
  all = await doorsOf(doors)
})

const as = emailOf('sealed')
const refusal = 'your role may not write it'
const columns = ['notes', 'amount', 'keeper_id']
const ask = (method: string, path: string, body?: object) => doors.ask(method, path, { as, body })

/** The columns that the history of a claim says were written after it was created. */
const writtenOf = async (id: number): Promise<string[]> => {
  const { data } = (await doors.ask('GET', `/claim/${id}/history`)).json()
  const changes: { operation: string; changes: object; task_id: number | null }[] = data
  return changes
    .filter(({ operation, task_id }) => operation !== 'create' && task_id === null)
    .flatMap((one) => Object.keys(one.changes))
    .filter((name) => columns.includes(name))
}

/** The rows whose valid request writes one of the fields; the others are answered as ever. */
const writing: Readonly<Record<string, number>> = {
  'POST /{entityKey}': 400,
  'POST /{entityKey}/import': 422,
  'PATCH /{entityKey}/{entityId}': 400,
  'PATCH /{entityKey}/{entityId}: lines': 400,
  'POST /{entityKey}/bulk: change': 400,
  'POST /{entityKey}/bulk: own values': 400,
}

test('no request of any endpoint changes one, whatever else the role may do', async () => {
  const asked = all.filter(({ who }) => who !== 'administrator')
  await assertEach(
    asked,
    (door) => [writing[door.name] ?? successOf(door), []],
    async (door) => {
      const id = await doors.newClaim()
      const { status } = await enter(doors, door, 'sealed', id)
      return [status, await writtenOf(id)]
    },
  )
})

test('no body that names one changes it, in whichever place it stands', async () => {
  const bodies = (body: object) => [
    { ...body, amount: 8 },
    { ...body, values: { amount: 8 } },
    { ...body, do: { ...('do' in body && (body.do as object)), change: { amount: 8 } } },
  ]
  await assertEach(
    all.filter(({ method, who }) => method !== 'GET' && who !== 'administrator'),
    [],
    async (door) => {
      const id = await doors.newClaim({ amount: 7 })
      const request = await requestOf(doors, door, id)
      for (const body of bodies(Object(request.body)))
        await send(doors, door, { ...request, body }, 'sealed')
      return writtenOf(id)
    },
  )
})

test('a value is refused by the name of its field, also the one that the record has, and nothing else is written', async () => {
  const id = await doors.newClaim({ amount: 7, heading: 'Before' })
  for (const value of [7, 8, null, 'x', { $caller: 'id' }]) {
    const { status, text } = await ask('PATCH', `/claim/${id}`, { amount: value, heading: 'After' })
    const { code, errors } = JSON.parse(text)
    assert.deepEqual([status, code], [400, 'request.invalid'])
    assert.deepEqual(errors, [{ path: 'amount', message: refusal }])
  }
  const { errors } = (await ask('PATCH', `/claim/${id}`, { keeper_id: null, keeper: 1 })).json()
  assert.deepEqual(errors, [
    { path: 'keeper_id', message: refusal },
    { path: 'keeper', message: 'is an association; set "keeper_id" to the id of a record' },
  ])
  const bulk = await ask('POST', '/claim/bulk', { ids: [id], do: { change: { amount: 7 } } })
  assert.deepEqual(bulk.json().errors, [{ path: 'do.change.amount', message: refusal }])
  const { heading, amount } = (await ask('GET', `/claim/${id}`)).json()
  assert.deepEqual([heading, amount], ['Before', 7])
})

test('a change of another user is not taken back by who may not write the field', async () => {
  const id = await doors.newClaim({ amount: 7 })
  assert.equal((await doors.ask('PATCH', `/claim/${id}`, { body: { amount: 9 } })).status, 200)
  const { data } = (await ask('GET', `/claim/${id}/history?field=amount`)).json()
  assert.deepEqual(data[0].changes, { amount: { before: 7, after: 9 } })
  assert.equal(
    (await ask('PATCH', `/claim/${id}`, { amount: data[0].changes.amount.before })).status,
    400,
  )
  assert.equal((await ask('GET', `/claim/${id}`)).json().amount, 9)
})

test('a record is created without them, and other fields of it are changed', async () => {
  const created = await ask('POST', '/claim', { heading: 'Own' })
  assert.equal(created.status, 201, created.text)
  const { id, amount, keeper_id } = created.json()
  assert.deepEqual([amount, keeper_id], [null, null])
  assert.equal((await ask('PATCH', `/claim/${id}`, { heading: 'Other' })).status, 200)
})

test('who may take an action fills in its form, for one record as for many', async () => {
  const [one, other] = [await doors.newClaim(), await doors.newClaim()]
  const action = { action: 'settle', values: { notes: 'Settled' } }
  assert.equal((await ask('POST', `/claim/${one}/proceedToStep`, action)).status, 200)
  const bulk = await ask('POST', '/claim/bulk', { ids: [other], do: action })
  assert.equal(bulk.json().counts.done, 1)
  for (const id of [one, other])
    assert.equal((await ask('GET', `/claim/${id}`)).json().notes, 'Settled')
})

test('those of tasks are refused in a new and in a changed task, and the path is none of them', async () => {
  const id = await doors.newClaim()
  const due = { due_date: '2031-05-04T08:30:00.000Z' }
  const text = { description: 'Check it' }
  const refused = [{ path: 'due_date', message: refusal }]
  assert.deepEqual(
    (await ask('POST', `/claim/${id}/task`, { ...text, ...due })).json().errors,
    refused,
  )
  const created = await ask('POST', `/claim/${id}/task`, text)
  assert.equal(created.status, 201, created.text)
  const path = `/claim/${id}/${created.json().id}`
  assert.deepEqual((await ask('PUT', path, { ...text, ...due })).json().errors, refused)
  assert.equal((await ask('PUT', path, { description: 'Check it again' })).status, 204)
})

test('who would be notified of a new record is not asked with values that its creator may not write', async () => {
  const body = { operation: 'create', entityKey: 'claim', values: { amount: 8 } }
  const reply = await ask('POST', '/api/notifications/recipients', body)
  assert.partialDeepStrictEqual(reply.json().errors, [{ path: 'values.amount', message: refusal }])
})

test('the description of an entity and the OpenAPI document of the role mark them, and those of others do not', async () => {
  const markedFor = async (caller?: string) => {
    const { fields } = (await doors.ask('GET', '/api/entities/claim', { as: caller })).json()
    const { components } = (await doors.ask('GET', '/api/openapi.json', { as: caller })).json()
    const { claim, claim_create, claim_change } = components.schemas
    const isMarked = ({ isReadOnly }: { isReadOnly?: boolean }) => isReadOnly === true
    return {
      fields: fields.filter(isMarked).map(({ key }: { key: string }) => key),
      answered: columns.filter((name) => claim.properties[name].readOnly),
      written: [claim_create, claim_change].map(({ properties }) =>
        columns.filter((name) => name in properties),
      ),
    }
  }
  const none = { fields: [], answered: [], written: [columns, columns] }
  assert.deepEqual(await markedFor(as), {
    fields: readOnlyFields.claim,
    answered: columns,
    written: [[], []],
  })
  assert.deepEqual(await markedFor(emailOf('everything')), none)
  assert.deepEqual(await markedFor(emailOf('admin')), none)
})

test('administrators see which fields of which role they are', async () => {
  const { roles } = (await doors.ask('GET', '/api/entities/claim')).json()
  const found = roles.find(({ key }: { key: string }) => key === 'sealed')
  assert.deepEqual(found.readOnlyFields, readOnlyFields.claim)
})

test('no record is offered as a new part of another one by a link that the role may not write', async () => {
  const id = await doors.newClaim()
  const mayCreate = async (caller: string) =>
    (await doors.ask('GET', `/claim/${id}/actions`, { as: caller })).json().mayCreate.parts
  assert.deepEqual([await mayCreate(as), await mayCreate(emailOf('everything'))], [false, true])
})
