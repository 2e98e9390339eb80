/**
 * The body of an action: a form accepts only its fields, checks them like any write, and reports all issues together;
 * fields that the service fills with the caller are signed by nobody else.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { issuesOf } from '../../support/a-project.ts'
import {
  actionsOf,
  ask,
  createRequest,
  createReviewed,
  historyOf,
  ids,
  type Person,
  proceed,
  service,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

describe('a body that is refused', () => {
  let reviewed: number
  before(async () => {
    reviewed = await createReviewed()
  })

  const no = 'is not an action of this workflow'
  const notInForm = 'is not a field of the form "reject"'
  const rows: readonly [body: unknown, status: number, ...issues: string[]][] = [
    ['null', 400, 'must be an object, not null'],
    [{}, 400, 'action is required'],
    [{ action: ['submit'] }, 400, 'action must be a string, not an array'],
    [{ action: '' }, 400, `action "" ${no}`],
    [{ action: '__proto__' }, 400, `action "__proto__" ${no}`],
    [{ action: 'draft-review' }, 400, `action "draft-review" ${no}`],
    [{ action: 'submit\0' }, 400, `action "submit\\u0000" ${no}; did you mean "submit"?`],
    [{ action: 'a'.repeat(9000) }, 400, `action "${'a'.repeat(39)}…" ${no}`],
    ['{"action":"submit","__proto__":{}}', 400, '__proto__ is not a property of this body'],
    [{ action: 'submit', values: null }, 400, 'values must be an object of fields, not null'],
    [{ action: 'submit', values: [] }, 400, 'values must be an object of fields, not an array'],
    [{ action: 'submit', comment: '' }, 400, 'comment must not be empty; leave it out instead'],
    [
      { action: 'submit', comment: 'a\0b' },
      400,
      'comment contains the control character NUL at position 1',
    ],
    [
      { action: 'submit', comment: 'x'.repeat(10_001) },
      400,
      'comment has 10001 characters, at most 10000 are allowed',
    ],
    [
      { action: 'sumbit', values: 1, comment: 2, coment: 3 },
      400,
      `action "sumbit" ${no}; did you mean "submit"?`,
      'coment is not a property of this body; did you mean "comment"?',
      'values must be an object of fields, not a number',
      'comment must be a string, not a number',
    ],
    // A malformed body is reported before an action that is not open.
    [{ action: 'submit', comment: 5 }, 400, 'comment must be a string, not a number'],
    [
      { action: 'reject', values: { resaon: 'y', title: 'y', _step: 'draft', constructor: 1 } },
      400,
      `values.resaon ${notInForm}; did you mean "reason"?`,
      `values.title ${notInForm}`,
      `values._step ${notInForm}`,
      `values.constructor ${notInForm}`,
      'values.reason is required',
    ],
    [
      { action: 'approve', values: { approver: 1 } },
      400,
      'values.approver is an association; set "approver_id" to the id of a record',
      'values.approver_id is required',
    ],
    [{ action: 'reject' }, 422, 'values.reason is required'],
    [{ action: 'reject', values: { reason: null } }, 422, 'values.reason is required'],
    [{ action: 'reject', values: { reason: '' } }, 422, 'values.reason is required'],
    [
      { action: 'approve', values: { approver_id: '1', amount: '-1', notes: 5 } },
      400,
      'values.approver_id must be a whole number, not a string',
      'values.amount must be at least 0',
      'values.notes must be a string, not a number',
    ],
    [
      { action: 'approve', values: { approver_id: 4711, vendor_id: 4712, amount: '1.005' } },
      422,
      'values.amount has more than 2 digits after the point',
      'values.approver_id there is no user 4711 that you may read',
      'values.vendor_id there is no vendor 4712 that you may read',
    ],
  ]
  for (const [body, status, ...issues] of rows)
    test(`${(JSON.stringify(body) ?? '').slice(0, 80)} returns ${status}, and writes nothing`, async () => {
      assert.deepEqual(issuesOf(await proceed(reviewed, body), status), issues)
      assert.equal((await historyOf(`/request/${reviewed}`)).length, 2)
    })
})

test('an action without a form rejects values', async () => {
  const id = await createRequest()
  const values = { notes: 'x', nothing: 1 }
  assert.deepEqual(issuesOf(await proceed(id, { action: 'submit', values }), 400), [
    'values.notes is not accepted: "submit" has no form to fill in',
    'values.nothing is not accepted: "submit" has no form to fill in',
  ])
  assert.equal((await proceed(id, { action: 'submit', values: {} })).status, 200)
})

test('a unique value of another record returns 409 with its path', async () => {
  await createRequest({ code: 'TAKEN' })
  const id = await createReviewed()
  const values = { approver_id: 1, code: 'TAKEN' }
  assert.deepEqual(issuesOf(await proceed(id, { action: 'approve', values }), 409), [
    'values.code another request has the same value; it must be unique',
  ])
  assert.equal((await ask('GET', `/request/${id}`)).json()._step, 'review')
})

test('texts that look like SQL or templates, and 10,000 characters, are stored unchanged but for the form of accents', async () => {
  const id = await createReviewed()
  const reason = `'; DROP TABLE records.request; -- $1 {{ record }} % \\`
  const comment = '🪑'.repeat(9_999)
  const reply = await proceed(id, {
    action: 'reject',
    values: { reason },
    comment: `${comment}e\u0301`,
  })
  assert.deepEqual([reply.status, reply.json().reason], [200, reason])
  assert.equal((await historyOf(`/request/${id}`))[0].comment, `${comment}\u00E9`)
})

describe('a required field that the record already has', () => {
  const missing = ['values.reason is required']

  test('does not have to be sent, and cannot be emptied by the same action', async () => {
    const id = await createReviewed({ reason: 'Known' })
    const body = { action: 'reject', values: { reason: null } }
    assert.deepEqual(issuesOf(await proceed(id, body), 422), missing)
    const reply = await proceed(id, { action: 'reject' })
    assert.deepEqual([reply.status, reply.json().reason], [200, 'Known'])
  })

  test('has to be sent when its value is an empty text', async () => {
    const id = await createReviewed({ reason: '' })
    assert.deepEqual(issuesOf(await proceed(id, { action: 'reject' }), 422), missing)
  })

  test('may link to a record that has been removed', async () => {
    const { id: vendor } = (await ask('POST', '/vendor', { body: { name: 'Gone' } })).json()
    const id = await createReviewed({ vendor_id: vendor })
    await ask('DELETE', `/vendor/${vendor}`)
    const values = { approver_id: 1, vendor_id: vendor }
    assert.equal((await proceed(id, { action: 'approve', values })).status, 200)
  })
})

describe('hidden fields', () => {
  test('that a form requires make the action return 403, whatever is sent', async () => {
    const id = await createReviewed({}, users.buyer)
    await ask('PATCH', `/request/${id}`, { body: { margin: '2', amount: '1' } })
    for (const values of [{}, { margin: '1', amount: '1' }]) {
      const reply = await proceed(id, { action: 'price', values }, { as: users.buyer })
      assert.deepEqual([reply.status, reply.json().code], [403, 'caller.forbidden'])
      assert.doesNotMatch(reply.text, /margin/)
    }
    // A caller who reads the field does not have to send it.
    assert.equal((await proceed(id, { action: 'price' })).status, 200)
  })

  test('a link that the role may not read returns the same error as a missing record', async () => {
    const { id: vendor } = (await ask('POST', '/vendor', { body: { name: 'Secret' } })).json()
    const id = await createReviewed({}, users.buyer)
    const issues = async (vendorId: number) => {
      const body = { action: 'approve', values: { approver_id: 1, vendor_id: vendorId } }
      const reply = await proceed(id, body, { as: users.buyer })
      return issuesOf(reply, 422).map((text) => text.replace(`${vendorId}`, 'n'))
    }
    assert.deepEqual(await issues(vendor), await issues(4711))
  })
})

describe('a field that is filled with the caller', () => {
  const create = async (): Promise<number> =>
    (await ask('POST', '/contract', { body: { title: 'Chairs' } })).json().id

  const approve = (id: number, as: Person, values?: object) =>
    ask('POST', `/contract/${id}/proceedToStep`, {
      body: { action: 'approve', ...(values && { values }) },
      as: users[as],
    })

  const approverOf = async (id: number) => (await ask('GET', `/contract/${id}`)).json().approver_id

  const formsAs = async (as: Person, id: number) => {
    const { data } = await actionsOf(`/contract/${id}`, { as: users[as] })
    return data.map(({ form }: { form: unknown }) => form)
  }

  test('need not be sent, and replaces who is in the record, as its history says', async () => {
    const id = await create()
    const { pool } = service.database
    await pool.query(`UPDATE records.contract SET approver_id = ${ids.boris} WHERE id = ${id}`)
    const reply = await approve(id, 'anna', { notes: 'Fine' })
    assert.deepEqual([reply.status, reply.json().approver_id], [200, ids.anna])
    const [{ changes }] = await historyOf(`/contract/${id}`)
    assert.deepEqual(changes.approver_id, { before: ids.boris, after: ids.anna })
  })

  test('may name the caller, also one who may not read users, and nobody else', async () => {
    const id = await create()
    for (const approver_id of [ids.boris, 4711, null])
      assert.deepEqual(issuesOf(await approve(id, 'clerk', { approver_id, notes: 1 }), 400), [
        'values.notes must be a string, not a number',
        `values.approver_id is filled with the user who takes the action: leave it out, or give your own id, ${ids.clerk}`,
      ])
    assert.equal(await approverOf(id), null)
    const reply = await approve(id, 'clerk', { approver_id: ids.clerk })
    assert.deepEqual([reply.status, reply.json().approver_id], [200, ids.clerk])
  })

  // The administrator asks: nobody is exempt.
  test('is not written by a create, a change or a change of many', async () => {
    const id = await create()
    for (const approver_id of [ids.anna, null])
      for (const reply of [
        await ask('POST', '/contract', { body: { title: 'Chairs', approver_id } }),
        await ask('PATCH', `/contract/${id}`, { body: { approver_id } }),
        await ask('POST', '/contract/bulk', {
          body: { ids: [id], do: { change: { approver_id } } },
        }),
      ])
        assert.match(
          issuesOf(reply, 400)[0] ?? '',
          /approver_id is filled with the user who takes the action "approve", and cannot be written otherwise$/,
        )
  })

  test('is named in the form of the action and in the definition as such, and is in no body', async () => {
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
    const waiting = data.find(
      (one: { entity: string; id: number }) => one.entity === 'contract' && one.id === id,
    )
    assert.deepEqual(waiting.actions[0].form, form)
    const { fields, workflow } = (await ask('GET', '/api/entities/contract')).json()
    const { writtenBy } = fields.find(({ key }: { key: string }) => key === 'approver')
    assert.deepEqual(writtenBy, ['approve'])
    assert.deepEqual(workflow.forms, [
      { key: 'approve', fields: ['notes'], callerFields: ['approver'] },
    ])
    const { components } = (await ask('GET', '/api/openapi.json')).json()
    for (const body of ['contract_create', 'contract_change'])
      assert.deepEqual(Object.keys(components.schemas[body].properties), ['title', 'notes'])
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

  test('of many records is filled too, and tried first without being written', async () => {
    const both = [await create(), await create()]
    const bulk = async (values: object, dryRun = false) => {
      const body = { ids: both, do: { action: 'approve', values }, dryRun }
      const { data } = (await ask('POST', '/contract/bulk', { body, as: users.anna })).json()
      return data.map(({ status, errors }: { status: string; errors: { path: string }[] }) =>
        [status, ...errors.map(({ path }) => path)].join(' '),
      )
    }
    assert.deepEqual(
      await bulk({ approver_id: ids.boris }),
      both.map(() => 'refused values.approver_id'),
    )
    assert.deepEqual(await bulk({}, true), ['done', 'done'])
    assert.deepEqual(await Promise.all(both.map(approverOf)), [null, null])
    await bulk({})
    assert.deepEqual(await Promise.all(both.map(approverOf)), [ids.anna, ids.anna])
  })

  test('counts for who would be told, in the step that is reached', async () => {
    const body = {
      entityKey: 'contract',
      operation: 'proceedToStep',
      action: 'approve',
      entityIds: [await create()],
    }
    const reply = await ask('POST', '/api/notifications/recipients', { body, as: users.anna })
    assert.deepEqual(reply.json().people, [{ id: ids.anna, full_name: 'anna Example' }])
  })

  test('is empty in a new record, also where a rule names it', async () => {
    const body = { entityKey: 'contract', operation: 'create', values: { title: 'Named' } }
    const reply = await ask('POST', '/api/notifications/recipients', { body })
    assert.equal(reply.json().count, 1)
  })
})
