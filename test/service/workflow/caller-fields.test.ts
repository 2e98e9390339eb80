/** Fields of a form that the service fills with the caller: nobody signs with the name of somebody else. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ask,
  ids,
  issuesOf,
  type Person,
  service,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

const create = async (): Promise<number> =>
  (await ask('POST', '/contract', { body: { title: 'Chairs' } })).json().id

const approve = (id: number, as: Person, values?: object) =>
  ask('POST', `/contract/${id}/proceedToStep`, {
    body: { action: 'approve', ...(values && { values }) },
    as: users[as],
  })

const formsAs = async (as: Person, id: number) => {
  const { data } = (await ask('GET', `/contract/${id}/actions`, { as: users[as] })).json()
  return data.map(({ form }: { form: unknown }) => form)
}

describe('a field that is filled with the caller', () => {
  test('need not be sent, and its value is in the record and its history', async () => {
    const id = await create()
    const reply = await approve(id, 'anna', { notes: 'Fine' })
    assert.deepEqual([reply.status, reply.json().approver_id], [200, ids.anna])
    const [entry] = (await ask('GET', `/contract/${id}/history`)).json().data
    assert.equal(entry.changes.approver_id.after, ids.anna)
  })

  test('may name the caller, also one who may not read users', async () => {
    for (const as of ['anna', 'clerk'] as const) {
      const reply = await approve(await create(), as, { approver_id: ids[as] })
      assert.deepEqual([reply.status, reply.json().approver_id], [200, ids[as]])
    }
  })

  for (const [whom, idOf] of [
    ['somebody else', () => ids.boris],
    ['a user who does not exist', () => 4711],
    ['nobody', () => null],
  ] as const)
    test(`may not name ${whom}`, async () => {
      const id = await create()
      const reply = await approve(id, 'anna', { approver_id: idOf(), notes: 1 })
      assert.deepEqual(issuesOf(reply, 400), [
        'values.notes must be a string, not a number',
        `values.approver_id is filled with whoever takes the action: leave it out, or give your own id, ${ids.anna}`,
      ])
      const { _step, approver_id } = (await ask('GET', `/contract/${id}`)).json()
      assert.deepEqual([_step, approver_id], ['review', null])
    })

  test('replaces who is in the record', async () => {
    const id = await create()
    await service.database.pool.query(
      `UPDATE records.contract SET approver_id = ${ids.boris} WHERE id = ${id}`,
    )
    assert.equal((await approve(id, 'anna')).json().approver_id, ids.anna)
  })

  // The administrator asks: nobody is exempt.
  for (const [door, write] of [
    [
      'a create',
      (body: object) => ask('POST', '/contract', { body: { title: 'Chairs', ...body } }),
    ],
    ['a change', async (body: object) => ask('PATCH', `/contract/${await create()}`, { body })],
    [
      'a change of many',
      async (body: object) =>
        ask('POST', '/contract/bulk', { body: { ids: [await create()], do: { change: body } } }),
    ],
  ] as const)
    test(`is not written by ${door}`, async () => {
      for (const approver_id of [ids.anna, ids.boris, null]) {
        const [issue = ''] = issuesOf(await write({ approver_id }), 400)
        assert.match(
          issue,
          /approver_id is filled with whoever takes the action "approve", and cannot be written otherwise$/,
        )
      }
    })

  test('is said to be written by its action, and is in no body', async () => {
    const { fields } = (await ask('GET', '/api/entities/contract')).json()
    const { writtenBy } = fields.find(({ key }: { key: string }) => key === 'approver')
    assert.deepEqual(writtenBy, ['approve'])
    const { components } = (await ask('GET', '/api/openapi.json')).json()
    for (const body of ['contract_create', 'contract_change'])
      assert.deepEqual(Object.keys(components.schemas[body].properties), ['title', 'notes'])
  })

  test('is named in the form of the action, apart from what is asked for', async () => {
    const id = await create()
    const form = {
      key: 'approve',
      fields: [{ key: 'notes', column: 'notes', name: 'notes', type: 'text', required: false }],
      callerFields: [
        { key: 'approver', column: 'approver_id', name: 'Approver', type: 'manyToOne' },
      ],
    }
    assert.deepEqual(await formsAs('anna', id), [form])
    const { data } = (await ask('GET', '/api/approvals', { as: users.anna })).json()
    assert.deepEqual(
      data.find((one: { entity: string; id: number }) => one.entity === 'contract' && one.id === id)
        .actions[0].form,
      form,
    )
    const { workflow } = (await ask('GET', '/api/entities/contract')).json()
    assert.deepEqual(workflow.forms, [
      { key: 'approve', fields: ['notes'], callerFields: ['approver'] },
    ])
  })

  test('that the role hides closes the action to it', async () => {
    const id = await create()
    assert.deepEqual(await formsAs('blind', id), [])
    for (const values of [undefined, { approver_id: ids.blind }]) {
      const reply = await approve(id, 'blind', values)
      assert.deepEqual([reply.status, reply.json().code], [403, 'caller.forbidden'])
    }
    const { workflow } = (await ask('GET', '/api/entities/contract', { as: users.blind })).json()
    assert.deepEqual(workflow.forms, [{ key: 'approve', fields: ['notes'], callerFields: [] }])
  })
})

test('many records are signed with the caller, and tried first without being written', async () => {
  const bulk = (contracts: readonly number[], values: object, dryRun = false) =>
    ask('POST', '/contract/bulk', {
      body: { ids: contracts, do: { action: 'approve', values }, dryRun },
      as: users.anna,
    })
  const both = [await create(), await create()]
  const other = (await bulk(both, { approver_id: ids.boris })).json().data
  assert.deepEqual(
    other.map(({ status, errors }: { status: string; errors: { path: string }[] }) => [
      status,
      errors.map(({ path }) => path),
    ]),
    both.map(() => ['refused', ['values.approver_id']]),
  )
  const tried = (await bulk(both, {}, true)).json().data
  assert.deepEqual(
    tried.map(({ status }: { status: string }) => status),
    ['done', 'done'],
  )
  assert.equal((await ask('GET', `/contract/${both[0]}`)).json().approver_id, null)
  await bulk(both, {})
  for (const id of both)
    assert.equal((await ask('GET', `/contract/${id}`)).json().approver_id, ids.anna)
})

test('who would be told is evaluated with the caller in the field, and in the step that is reached', async () => {
  const preview = async (as: Person) =>
    (
      await ask('POST', '/api/notifications/recipients', {
        body: {
          ...{ entityKey: 'contract', operation: 'proceedToStep', action: 'approve' },
          entityIds: [await create()],
        },
        as: users[as],
      })
    ).json()
  assert.deepEqual((await preview('anna')).people, [{ id: ids.anna, full_name: 'anna Example' }])
})
