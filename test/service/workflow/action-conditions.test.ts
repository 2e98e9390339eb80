/**
 * Conditions of actions, on the record and on values of the caller: what is not open is nowhere offered. Which actions
 * are open for which of several records is one question, in the steps and with the conditions of each.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AskOptions } from '../../support/service.ts'
import {
  ask,
  ids,
  limits,
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

const keysOf = (actions: readonly { key: string }[]) => actions.map(({ key }) => key)
const openTo = async (id: number, who: AskOptions = {}) =>
  keysOf((await ask('GET', `/purchase/${id}/actions`, who)).json().data)

/** What waits for the person, each with the actions that decide. */
const waitingFor = async (name: Person, among: readonly number[]) => {
  const { data } = (await ask('GET', '/api/approvals?limit=1000', as(name))).json()
  const { count } = (await ask('GET', '/api/approvals/count', as(name))).json()
  assert.equal(count, data.length)
  return data
    .filter(({ entity, id }: { entity: string; id: number }) => {
      return entity === 'purchase' && among.includes(id)
    })
    .map(({ id, actions }: { id: number; actions: { key: string }[] }) => [id, ...keysOf(actions)])
}

describe('an action that compares with a value of the caller', () => {
  test('is open up to their limit, and to nobody without one', async () => {
    const id = await create('100.00')
    const above = await create('100.01')
    assert.deepEqual(await openTo(id, as('anna')), ['approve', 'reject'])
    assert.deepEqual(await openTo(above, as('anna')), ['reject'])
    const { unmet } = (await ask('GET', `/purchase/${above}/actions`, as('anna'))).json()
    assert.deepEqual(unmet, [
      {
        ...{ key: 'approve', name: 'Approve', kind: 'approveWorkflow' },
        ...{
          fields: ['total', '_created_by'],
          callerFields: ['approval_limit', 'id'],
          message: null,
        },
      },
    ])
    assert.deepEqual(await openTo(above, as('boris')), ['approve', 'reject'])
    assert.deepEqual(await openTo(id, as('clerk')), ['reject'])
    assert.deepEqual(await openTo(await create(null), as('boris')), [])
  })

  test('is refused with the fields of its condition, and can be taken by somebody else', async () => {
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

  test('follows the limit as it is then', async () => {
    const id = await create('5000.00')
    assert.equal((await act(id, 'approve', as('boris'))).status, 409)
    const path = `/user/${ids.boris}`
    await ask('PATCH', path, { body: { approval_limit: '5000.00' } })
    assert.equal((await act(id, 'approve', as('boris'))).status, 200)
    await ask('PATCH', path, { body: { approval_limit: limits.boris } })
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
    const { unmet } = (await ask('GET', `/purchase/${id}/actions`, as('blind'))).json()
    assert.deepEqual(unmet[0].fields, [])
    const conditionsFor = async (who: AskOptions) => {
      const { workflow } = (await ask('GET', '/api/entities/purchase', who)).json()
      return workflow.steps[1].actions.map((action: object) => 'condition' in action)
    }
    assert.deepEqual(await conditionsFor(as('anna')), [false, false, false])
    assert.deepEqual(await conditionsFor({}), [true, true, false])
    const { permissions } = (await ask('GET', '/api/entities/purchase', as('anna'))).json()
    assert.deepEqual(permissions.conditionalActions, ['approve', 'reject', 'pay'])
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
  const among = [await create('3.00'), await create('100.00'), await create('200.00')]
  const [small, middle, large] = among
  assert.deepEqual(await waitingFor('anna', among), [
    [small, 'approve'],
    [middle, 'approve', 'reject'],
    [large, 'reject'],
  ])
  assert.deepEqual(await waitingFor('clerk', among), [
    [middle, 'reject'],
    [large, 'reject'],
  ])
})

test('many records are decided on as far as the action is open for each', async () => {
  const purchases = [await create('10.00'), await create('200.00')]
  const bulk = async (dryRun: boolean) => {
    const body = { ids: purchases, do: { action: 'approve' }, dryRun }
    const { data } = (await ask('POST', '/purchase/bulk', { body, ...as('anna') })).json()
    return data.map(({ status, code }: { status: string; code: string | null }) => [status, code])
  }
  for (const dryRun of [true, false])
    assert.deepEqual(await bulk(dryRun), [
      ['done', null],
      ['refused', 'workflow.condition-not-met'],
    ])
  assert.equal((await ask('GET', `/purchase/${purchases[1]}`)).json()._step, 'review')
})

test('who would be told is asked of the records that the action is open for', async () => {
  const entityIds = [await create('10.00'), await create('200.00')]
  const body = {
    ...{ entityKey: 'purchase', operation: 'proceedToStep', action: 'approve' },
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
  assert.equal(reply.status, 200, reply.text)
  const { data } = reply.json() as { data: { key: string; ids: number[] }[] }
  return Object.fromEntries(data.map((one) => [one.key, one.ids]))
}

describe('the actions of several records', () => {
  test('name the records in whose step each is open and whose condition holds', async () => {
    const draft = await draw('10.00')
    const small = await create('100.00')
    const large = await create('100.01')
    assert.deepEqual(await openFor([draft, small, large]), {
      submit: [draft],
      approve: [small],
      reject: [small, large],
      pay: [draft],
      sendBack: [small, large],
    })
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
        const alone = (await ask('GET', `/purchase/${id}/actions`, as(name))).json()
        const keys = Object.keys(together).filter((key) => together[key]?.includes(id))
        assert.deepEqual(
          keys.toSorted(),
          alone.data.map(({ key }: { key: string }) => key).toSorted(),
        )
      }
    }
  })

  test('have their names and kinds, in the order of the definition', async () => {
    const id = await create('10.00')
    const { data } = (
      await ask('POST', '/purchase/actions', { ...as('approver'), body: { ids: [id] } })
    ).json()
    assert.deepEqual(data, [
      { key: 'approve', name: 'Approve', kind: 'approveWorkflow', ids: [id] },
      { key: 'reject', name: 'reject', kind: 'rejectWorkflow', ids: [id] },
      { key: 'sendBack', name: 'sendBack', kind: 'returnToStep', ids: [id] },
    ])
  })

  test('leave out a way back that leads nowhere', async () => {
    const id = await create('10.00')
    await service.database.pool.query(
      `DELETE FROM docket.history WHERE entity_key = 'purchase' AND entity_id = $1`,
      [id],
    )
    assert.deepEqual(Object.keys(await openFor([id])), ['approve', 'reject'])
  })
})

describe('the actions of several records and their rights', () => {
  test('a record that does not exist, was removed or may not be read is not named', async () => {
    const own = await draw('1.00', as('buyer'))
    const other = await draw('1.00')
    const removed = await draw('1.00')
    await ask('DELETE', `/purchase/${removed}`)
    const reply = await ask('POST', '/purchase/actions', {
      ...as('buyer'),
      body: { ids: [own, other, removed, 2_000_000_000, own] },
    })
    assert.deepEqual(
      reply.json().data.map(({ key, ids }: { key: string; ids: number[] }) => [key, ids]),
      [
        ['submit', [own]],
        ['pay', [own]],
      ],
    )
    assert.deepEqual(await openFor([other], as('buyer')), {})
  })

  test('a role has the actions that it may take and can fill in', async () => {
    const id = await create('10.00')
    assert.deepEqual(await openFor([id], as('reader')), {})
    assert.deepEqual(await openFor([id], as('hides_step')), { approve: [id], sendBack: [id] })
  })

  test('entities without a workflow have none', async () => {
    const body = { ids: [1] }
    const reply = await ask('POST', '/vendor/actions', { body })
    assert.deepEqual([reply.status, reply.json().code], [404, 'request.no-such-path'])
  })
})

const idsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => first + at)

test('one to a hundred ids are taken, and nothing else', async () => {
  const issuesOf = async (body: object) => {
    const reply = await ask('POST', '/purchase/actions', { body })
    assert.equal(reply.status, 400)
    return reply.json().errors.map(({ path }: { path: string }) => path)
  }
  assert.deepEqual(await issuesOf({}), ['ids'])
  assert.deepEqual(await issuesOf({ ids: [] }), ['ids'])
  assert.deepEqual(await issuesOf({ ids: idsFrom(1, 101) }), ['ids'])
  assert.deepEqual(await issuesOf({ ids: [1, 0, 1.5, '2', 3_000_000_000] }), [
    ...['ids[1]', 'ids[2]', 'ids[3]', 'ids[4]'],
  ])
  assert.deepEqual(await issuesOf({ ids: [1], action: 'approve' }), ['action'])
  assert.deepEqual(await openFor(idsFrom(1_000_000, 100)), {})
})
