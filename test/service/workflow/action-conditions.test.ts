/**
 * Conditions of actions, on the record and on values of the caller: what is not open is nowhere offered, and says why.
 * Which actions are open for which of several records is one question, in the steps and with the conditions of each.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addOwnUser, invalidPaths } from '../../support/a-project.ts'
import type { AskOptions } from '../../support/service.ts'
import {
  actionsOf,
  ask,
  keysOf,
  type Person,
  service,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

const as = (name: Person) => ({ as: users[name] })

/** Creates a purchase in the step `draft`. */
const draw = async (total: string | null, options: AskOptions = {}, more: object = {}) =>
  (await ask('POST', '/purchase', { ...options, body: { total, ...more } })).json().id as number

const act = (id: number, action: string, who: AskOptions = {}) =>
  ask('POST', `/purchase/${id}/proceedToStep`, { ...who, body: { action } })

/** Creates a purchase in the step `review`, and takes these actions on it. */
const create = async (
  total: string | null,
  options: AskOptions = {},
  { actions = [], ...more }: { actions?: readonly string[]; vendor_id?: number | null } = {},
) => {
  const id = await draw(total, options, more)
  for (const action of ['submit', ...actions]) {
    const reply = await act(id, action, as('approver'))
    assert.equal(reply.status, 200, reply.text)
  }
  return id
}

const openTo = async (id: number, who: AskOptions = {}) =>
  keysOf((await actionsOf(`/purchase/${id}`, who)).data)

describe('an action that compares with a value of the caller', () => {
  test('is open up to their limit, and to nobody without one', async () => {
    const id = await create('100.00')
    const above = await create('100.01')
    assert.deepEqual(await openTo(id, as('anna')), ['approve', 'reject'])
    assert.deepEqual(await openTo(above, as('anna')), ['reject'])
    assert.deepEqual((await actionsOf(`/purchase/${above}`, as('anna'))).unmet, [
      {
        key: 'approve',
        name: 'Approve',
        kind: 'approveWorkflow',
        message: null,
        fields: ['total', '_created_by'],
        callerFields: ['approval_limit', 'id'],
        notBy: [],
      },
    ])
    assert.deepEqual(await openTo(above, as('boris')), ['approve', 'reject'])
    assert.deepEqual(await openTo(id, as('clerk')), ['reject'])
    assert.deepEqual(await openTo(await create(null), as('boris')), [])
  })

  test('is refused with the fields of its condition, and can be taken by another user', async () => {
    const id = await create('500.00')
    for (const name of ['approve', 'approveWorkflow']) {
      const refused = await act(id, name, as('anna'))
      assert.deepEqual(
        [refused.status, refused.json().code, refused.json().detail],
        [
          409,
          'workflow.condition-not-met',
          `The action "approve" is not open to you for purchase ${id}: its condition on "total" and "_created_by" and your "approval_limit" and your "id" does not hold.`,
        ],
      )
    }
    assert.equal((await act(id, 'approve', as('boris'))).status, 200)
    // In another step it is not open to anybody.
    assert.equal((await act(id, 'approve', as('anna'))).json().code, 'workflow.action-not-open')
  })

  test('is not explained to a role without the action', async () => {
    const who = { as: await addOwnUser(service, 'submitter') }
    const vendor_id = (await ask('POST', '/vendor', { body: { is_blocked: true } })).json().id
    const id = await create('2.00', {}, { actions: ['approve'], vendor_id })
    const refused = await act(id, 'proceedToStep', who)
    assert.equal(refused.json(409).code, 'workflow.action-not-open')
  })

  test('may exclude who has created the record', async () => {
    const id = await create('10.00', as('anna'))
    assert.deepEqual(await openTo(id, as('anna')), ['reject'])
    assert.deepEqual(await openTo(id, as('boris')), ['approve', 'reject'])
  })

  test('names no field that the role hides', async () => {
    const id = await create('500.00')
    const { detail } = (await act(id, 'approve', as('blind'))).json()
    assert.match(detail, /: its condition on your "approval_limit" and your "id" does not hold\.$/)
    assert.deepEqual((await actionsOf(`/purchase/${id}`, as('blind'))).unmet[0].fields, [])
    // Administrators alone read conditions and their messages in the definition.
    const rulesFor = async (who: AskOptions) => {
      const { workflow } = (await ask('GET', '/api/entities/purchase', who)).json()
      return JSON.stringify(workflow.steps).match(/"(condition|message)":/g)?.length
    }
    assert.deepEqual([await rulesFor(as('anna')), await rulesFor({})], [undefined, 6])
    const { permissions } = (await ask('GET', '/api/entities/purchase', as('anna'))).json()
    assert.deepEqual(permissions.conditionalActions, ['pay', 'approve', 'reject'])
  })
})

test('a condition may follow links, and holds for records without one', async () => {
  const vendorOf = async (is_blocked: boolean) =>
    (await ask('POST', '/vendor', { body: { is_blocked } })).json().id
  const approved = async (vendor_id: number | null) => {
    const id = await create('10.00', {}, { vendor_id })
    assert.equal((await act(id, 'approve', as('boris'))).status, 200)
    return openTo(id)
  }
  assert.deepEqual(await approved(await vendorOf(true)), [])
  assert.deepEqual(await approved(await vendorOf(false)), ['pay'])
  assert.deepEqual(await approved(null), ['pay'])
})

test('approvals and their number have what is open to the caller, with these actions', async () => {
  const [small, middle, large] = [
    await create('3.00'),
    await create('100.00'),
    await create('200.00'),
  ]
  const query = 'entity=purchase&order=newest&limit=1000'
  for (const [name, ...expected] of [
    ['anna', [small, 'approve'], [middle, 'approve', 'reject'], [large, 'reject']],
    ['clerk', [middle, 'reject'], [large, 'reject']],
  ] as const) {
    const { data } = (await ask('GET', `/api/approvals?${query}`, as(name))).json()
    const { count } = (await ask('GET', '/api/approvals/count?entity=purchase', as(name))).json()
    assert.equal(count, data.length)
    const own = data.filter(({ id }: { id: number }) => id >= small)
    const found = own.map(({ id, actions }: { id: number; actions: { key: string }[] }) => [
      ...[id, ...keysOf(actions)],
    ])
    assert.deepEqual(new Set(found), new Set(expected))
  }
})

test('a record waits for a decision that is always open, whatever another one asks', async () => {
  for (const title of ['Right', 'Wrong']) await ask('POST', '/notice', { body: { title } })
  const { data } = (await ask('GET', '/api/approvals?entity=notice')).json()
  const found = data.map(({ actions }: { actions: { key: string }[] }) => keysOf(actions))
  assert.deepEqual(found, [['approve'], ['approve', 'reject']])
  assert.equal((await ask('GET', '/api/approvals/count?entity=notice')).json().count, 2)
})

test('who would be told is asked of the records that the action is open for', async () => {
  const entityIds = [await create('10.00'), await create('200.00')]
  const body = {
    entityKey: 'purchase',
    operation: 'proceedToStep',
    action: 'approve',
    entityIds,
  }
  const reply = await ask('POST', '/api/notifications/recipients', { body, ...as('anna') })
  assert.equal(reply.json().records, 1)
})

test('requests cannot name values of the caller', async () => {
  const body = { $where: { total: { $lte: { $caller: 'approval_limit' } } } }
  const reply = await ask('POST', '/purchase/search', { body })
  assert.deepEqual([reply.status, reply.json().code], [400, 'criteria.invalid'])
})

const openFor = async (purchases: readonly number[], who: AskOptions = as('approver')) => {
  const reply = await ask('POST', '/purchase/actions', { ...who, body: { ids: purchases } })
  const { data } = reply.json(200) as { data: { key: string; ids: number[] }[] }
  return Object.fromEntries(data.map((one) => [one.key, one.ids]))
}

describe('the actions of several records', () => {
  test('name the records in whose step each is open and whose condition holds, in the order of the definition', async () => {
    const draft = await draw('1.00')
    const [small, large] = [await create('100.00'), await create('100.01')]
    const body = { ids: [draft, small, large] }
    const reply = await ask('POST', '/purchase/actions', { ...as('approver'), body })
    assert.deepEqual(reply.json().data, [
      { key: 'submit', name: 'submit', kind: 'proceedToStep', ids: [draft] },
      { key: 'pay', name: 'pay', kind: 'proceedToStep', ids: [draft] },
      { key: 'approve', name: 'Approve', kind: 'approveWorkflow', ids: [small] },
      { key: 'reject', name: 'reject', kind: 'rejectWorkflow', ids: [small, large] },
      { key: 'sendBack', name: 'sendBack', kind: 'returnToStep', ids: [small, large] },
    ])
  })

  test('are those that each record has when it is asked for alone', async () => {
    const vendor_id = (await ask('POST', '/vendor', { body: { is_blocked: true } })).json().id
    const purchases = [
      await draw('1.00'),
      await create('1.00'),
      await create('500.00', {}, { actions: ['sendBack'] }),
      await create('2.00', {}, { actions: ['approve'], vendor_id }),
      await create('2.00', {}, { actions: ['approve'] }),
      await create('2.00', {}, { actions: ['approve', 'pay'] }),
    ]
    for (const name of ['approver', 'hides_step'] as const) {
      const together = await openFor(purchases, as(name))
      for (const id of purchases) {
        const keys = Object.keys(together).filter((key) => together[key]?.includes(id))
        assert.deepEqual(keys.toSorted(), (await openTo(id, as(name))).toSorted())
      }
    }
  })

  test('leave out a way back that leads nowhere', async () => {
    const id = await create('10.00')
    await service.database.pool.query(
      `DELETE FROM docket.history WHERE entity_key = 'purchase' AND entity_id = $1`,
      [id],
    )
    assert.deepEqual(Object.keys(await openFor([id])), ['approve', 'reject'])
  })

  test('name no record that does not exist, was removed or may not be read', async () => {
    const own = await draw('1.00', as('buyer'))
    const [other, removed] = [await draw('1.00'), await draw('1.00')]
    await ask('DELETE', `/purchase/${removed}`)
    const asked = [own, other, removed, 2_000_000_000, own]
    assert.deepEqual(await openFor(asked, as('buyer')), { submit: [own], pay: [own] })
  })

  test('are those that a role may take and can fill in', async () => {
    const id = await create('10.00')
    assert.deepEqual(await openFor([id], as('reader')), {})
    assert.deepEqual(await openFor([id], as('hides_step')), { approve: [id], sendBack: [id] })
  })
})

test('one to a hundred ids are taken, and nothing else', async () => {
  const idsFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, at) => first + at)
  const numbers = [1, 0, 1.5, '2', 3_000_000_000]
  for (const [asked, ...paths] of [
    [[], 'ids'],
    [idsFrom(1, 101), 'ids'],
    [numbers, 'ids[1]', 'ids[2]', 'ids[3]', 'ids[4]'],
  ] as const)
    assert.deepEqual(
      invalidPaths(await ask('POST', '/purchase/actions', { body: { ids: asked } }), 400),
      paths,
    )
  assert.deepEqual(await openFor(idsFrom(1_000_000, 100)), {})
})

describe('what a definition says to its rules', () => {
  const inLanguage = (language: string) => ({
    ...as('drawer'),
    headers: { 'Accept-Language': language },
  })

  test('is said of actions and rights that are not open, by step and in the language of the answer', async () => {
    const large = await draw('10.00')
    const saidIn = async (language: string) => {
      const { unmet, unmetRights } = await actionsOf(`/purchase/${large}`, inLanguage(language))
      return [...unmet, ...unmetRights].map(({ message }) => message)
    }
    assert.deepEqual(await saidIn('en'), ['Up to 5 at once.', 'Large ones are final.', null])
    assert.deepEqual(await saidIn('de'), ['Bis 5 sofort.', 'Große bleiben.', null])
    const vendor_id = (await ask('POST', '/vendor', { body: { is_blocked: true } })).json().id
    const approved = await create('10.00', {}, { actions: ['approve'], vendor_id })
    const { unmet } = await actionsOf(`/purchase/${approved}`, inLanguage('de'))
    assert.equal(unmet[0].message, 'Not to a blocked vendor.')
  })

  test('ends the errors of the rules', async () => {
    const path = `/purchase/${await draw('10.00')}`
    const code = 'x'
    for (const [method, where, body, detail] of [
      [
        'POST',
        `${path}/proceedToStep`,
        { action: 'pay' },
        /"total" does not hold\. Up to 5 at once\.$/,
      ],
      ['PATCH', path, { reason: 'x' }, /\. Large ones are final\.$/],
      ['POST', '/purchase', { total: '7' }, /\. Never seven\.$/],
      ['DELETE', path, undefined, /"total" does not hold\.$/],
      ['POST', '/purchase', { code }, /^code: Two capitals\.$/],
      ['PATCH', `/purchase/${await draw('1.00')}`, { code }, /^code: Two capitals\.$/],
    ] as const)
      assert.match((await ask(method, where, { ...as('drawer'), body })).json().detail, detail)
  })

  test('is read with the definition in the language of the caller, and with the OpenAPI document', async () => {
    const messageIn = async (language: string) => {
      const { fields } = (await ask('GET', '/api/entities/purchase', inLanguage(language))).json()
      return fields.find(({ key }: { key: string }) => key === 'code').message
    }
    assert.equal(await messageIn('en'), 'Two capitals.')
    assert.equal(await messageIn('de'), 'Zwei Großbuchstaben.')
    assert.ok((await ask('GET', '/api/openapi.json')).text.includes('Two capitals.'))
  })
})
