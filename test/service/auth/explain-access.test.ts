/** POST /api/access/explain: what a user may do with a record, criterion by criterion, as the endpoints of the record decide. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { startTestService } from '../../support/service.ts'

const link = (key: string, entity = key) => ({ key, type: 'manyToOne', entity })
const string = (key: string) => ({ key, type: 'string' })
const proceed = (key: string, to: string, more: object = {}) => ({
  key,
  kind: 'proceedToStep',
  to,
  ...more,
})
const dear = { total: { $lte: { $caller: 'limit' } } }
const files = {
  ...entityFile('site', [string('code')]),
  'entities/order.json': {
    key: 'order',
    ownership: true,
    fields: [
      string('name'),
      { key: 'total', type: 'integer' },
      link('site'),
      link('team', 'user_group'),
      { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
    ],
    workflow: workflowOf(
      {
        open: [
          proceed('submit', 'sent'),
          proceed('approve', 'done', { condition: dear }),
          proceed('price', 'open', { form: 'price' }),
        ],
        sent: [{ key: 'back', kind: 'returnToStep' }],
        done: [],
      },
      { forms: [{ key: 'price', fields: ['total'], required: ['total'] }] },
    ),
  },
  'entities/line.json': { key: 'line', fields: [string('name'), link('order')] },
  'entities/user.json': {
    extends: 'native',
    key: 'user',
    fields: [link('site'), { key: 'limit', type: 'integer' }],
  },
  ...roleFile('clerk', {
    order: {
      create: true,
      read: true,
      update: true,
      delete: 'own',
      tasks: true,
      takeOwnership: true,
      actions: ['submit', 'approve', 'back'],
      conditions: {
        read: {
          $or: [{ team: { $in: { $caller: 'groups.user_group' } } }, { site: { $caller: 'site' } }],
        },
        update: { _step: 'open', $not: { lines: { $some: { name: 'paid' } } } },
      },
    },
    site: { read: true },
    line: { read: true, conditions: { read: { order: { $readable: true } } } },
  }),
  ...roleFile('own', {
    order: { read: 'own', export: true, actions: ['price', 'submit'], hiddenFields: ['total'] },
  }),
  ...roleFile('none', {}),
}

const service = opened(() => startTestService(files))
const ids: Record<string, number> = {}
const users = ['clerk', 'own', 'none', 'blocked'] as const
const orders = ['mine', 'of-team', 'of-site', 'paid', 'foreign'] as const
before(async () => {
  const create = async (path: string, body: object, as?: string) =>
    (await createAs(service, path, { ...body }, as)).id as number
  ids.site = await create('site', { code: 'S1' })
  ids.team = await create('user_group', { code: 'north', name: 'North' })
  ids.other = await create('user_group', { code: 'south', name: 'South' })
  for (const user of users)
    ids[user] = await insertPerson(service.database.pool, user, user === 'blocked' ? 'clerk' : user)
  await service.ask('PATCH', `/user/${ids.clerk}`, { body: { site_id: ids.site, limit: 10 } })
  await create('user_group_member', { user_id: ids.clerk, user_group_id: ids.team })
  await service.ask('PATCH', `/user/${ids.blocked}`, { body: { is_blocked: true } })
  const values = {
    mine: { site_id: ids.site },
    'of-team': { team_id: ids.team, total: 7 },
    'of-site': { site_id: ids.site, total: 70 },
    paid: { site_id: ids.site },
    foreign: { team_id: ids.other, total: 1 },
  }
  for (const name of orders) {
    const as = name === 'mine' ? 'clerk@example.com' : undefined
    ids[name] = await create('order', { name, ...values[name] }, as)
  }
  ids.line = await create('line', { name: 'paid', order_id: ids.paid })
  await service.ask('POST', `/order/${ids.paid}/proceedToStep`, { body: { action: 'submit' } })
  await service.ask('POST', `/order/${ids.foreign}/takeOwnership`, { as: 'clerk@example.com' })
})

const path = '/api/access/explain'
const ask = (entityKey: string, record: string, user: string, as?: string) => {
  const body = { entityKey, entityId: ids[record] ?? 4711, userId: ids[user] ?? 4711 }
  return service.ask('POST', path, { body, ...(as && { as }) })
}
const explain = async (record: string, user: string, entityKey = 'order') =>
  (await ask(entityKey, record, user)).json(200)

type Verdict = {
  may: boolean
  reason: string | null
  criteria: { depth: number; isMet: boolean }[]
}
type Explained = {
  roles: { rights: (Verdict & { right: string })[]; actions: (Verdict & { key: string })[] }[]
}
const rightOf = ({ roles: [role] }: Explained, right: string) =>
  role?.rights.find((one) => one.right === right)
const actionOf = ({ roles: [role] }: Explained, key: string) =>
  role?.actions.find((one) => one.key === key)
const verdictOf = (one: Verdict | undefined) => [one?.may, one?.reason]

test('a condition is explained criterion by criterion, with the values of the record and of the user', async () => {
  const criterion = (
    isMet: boolean,
    path: string,
    operator: string,
    caller: string,
    values: unknown[],
  ) => ({
    depth: 1,
    kind: 'criterion',
    isMet,
    where: { [path]: { [operator]: { $caller: caller } } },
    ofRecord: [{ path, value: values[0] }],
    ofUser: [{ path: caller, value: values[1] }],
  })
  const groups = 'groups.user_group'
  const explained = await explain('of-team', 'clerk')
  assert.deepEqual(explained.user, { id: ids.clerk, full_name: 'clerk Example' })
  assert.deepEqual([explained.refused, explained.step.key], [null, 'open'])
  assert.deepEqual(rightOf(explained, 'read'), {
    right: 'read',
    granted: true,
    may: true,
    reason: null,
    criteria: [
      { depth: 0, kind: 'or', isMet: true, where: null, ofRecord: [], ofUser: [] },
      criterion(true, 'team', '$in', groups, [ids.team, [ids.team]]),
      criterion(false, 'site', '$eq', 'site', [null, ids.site]),
    ],
  })
  const foreign = await explain('foreign', 'clerk')
  assert.deepEqual(rightOf(foreign, 'read'), {
    right: 'read',
    granted: true,
    may: false,
    reason: 'criteria not met',
    criteria: [
      { depth: 0, kind: 'or', isMet: false, where: null, ofRecord: [], ofUser: [] },
      criterion(false, 'team', '$in', groups, [ids.other, [ids.team]]),
      criterion(false, 'site', '$eq', 'site', [null, ids.site]),
    ],
  })
})

test('what a user does not read they may do nothing with, whatever else is granted', async () => {
  const explained = await explain('foreign', 'clerk')
  assert.deepEqual(new Set(Object.values(explained.may)), new Set([false]))
  assert.deepEqual(verdictOf(rightOf(explained, 'update')), [false, 'not readable'])
  assert.deepEqual(verdictOf(rightOf(explained, 'export')), [false, 'not granted'])
  assert.deepEqual(verdictOf(actionOf(explained, 'submit')), [false, 'not readable'])
})

test('conditions of changes and of actions are explained, with what they ask of other records', async () => {
  const paid = await explain('paid', 'clerk')
  assert.deepEqual(rightOf(paid, 'update'), {
    right: 'update',
    granted: true,
    may: false,
    reason: 'criteria not met',
    criteria: [
      { depth: 0, kind: 'and', isMet: false, where: null, ofRecord: [], ofUser: [] },
      {
        depth: 1,
        kind: 'criterion',
        isMet: false,
        where: { _step: { $eq: 'open' } },
        ofRecord: [{ path: '_step', value: 'sent' }],
        ofUser: [],
      },
      {
        depth: 1,
        kind: 'criterion',
        isMet: false,
        where: { lines: { $none: { name: { $eq: 'paid' } } } },
        ofRecord: [],
        ofUser: [],
      },
    ],
  })
  assert.deepEqual(verdictOf(actionOf(paid, 'approve')), [false, 'of another step'])
  assert.deepEqual(verdictOf(actionOf(paid, 'back')), [true, null])
  const approve = async (record: string) => actionOf(await explain(record, 'clerk'), 'approve')
  assert.deepEqual(verdictOf(await approve('of-team')), [true, null])
  const dearer = await approve('of-site')
  assert.deepEqual(verdictOf(dearer), [false, 'criteria not met'])
  assert.deepEqual(dearer?.criteria, [
    {
      depth: 0,
      kind: 'criterion',
      isMet: false,
      where: { total: { $lte: { $caller: 'limit' } } },
      ofRecord: [{ path: 'total', value: 70 }],
      ofUser: [{ path: 'limit', value: 10 }],
    },
  ])
})

test('own records, hidden fields and links that must be readable are explained too', async () => {
  const own = await explain('mine', 'clerk')
  assert.deepEqual(rightOf(own, 'delete')?.criteria, [
    {
      depth: 0,
      kind: 'own',
      isMet: true,
      where: null,
      ofRecord: [
        { path: '_created_by', value: ids.clerk },
        { path: '_owned_by', value: ids.clerk },
      ],
      ofUser: [{ path: 'id', value: ids.clerk }],
    },
  ])
  const foreign = await explain('mine', 'own')
  assert.deepEqual(verdictOf(rightOf(foreign, 'read')), [false, 'criteria not met'])
  assert.deepEqual(foreign.roles[0].hiddenFields, ['total'])
  const line = await explain('line', 'clerk', 'line')
  assert.deepEqual(rightOf(line, 'read')?.criteria, [
    {
      depth: 0,
      kind: 'criterion',
      isMet: true,
      where: { order: { $readable: true } },
      ofRecord: [{ path: 'order', value: ids.paid }],
      ofUser: [],
    },
  ])
})

test('a form whose required field the role hides closes its action', async () => {
  const { pool } = service.database
  await pool.query('UPDATE records."order" SET _owned_by = $1 WHERE id = $2', [
    ids.own,
    ids['of-site'],
  ])
  const explained = await explain('of-site', 'own')
  assert.deepEqual(verdictOf(actionOf(explained, 'price')), [false, 'form with hidden fields'])
  assert.deepEqual(verdictOf(actionOf(explained, 'submit')), [true, null])
})

test('the answer is what the endpoints of the record do', async () => {
  for (const user of ['clerk', 'own', 'none'])
    for (const record of orders) {
      const as = `${user}@example.com`
      const { may, roles } = await explain(record, user)
      const place = `/order/${ids[record]}`
      const what = `${user}: ${record}`
      assert.equal((await service.ask('GET', place, { as })).status === 200, may.read, what)
      const exported = await service.ask('POST', '/order/export?format=json', {
        as,
        body: { $where: { id: ids[record] } },
      })
      assert.equal(exported.status === 200 && exported.json().length === 1, may.export, what)
      const [{ rights, actions }] = roles
      for (const { right, may: mayByRole } of rights) assert.equal(mayByRole, may[right], what)
      const taken = actions.filter((one: Verdict) => one.may).map(({ key }: { key: string }) => key)
      if (!may.read) {
        assert.deepEqual(taken, [])
        continue
      }
      const open = (await service.ask('GET', `${place}/actions`, { as })).json(200)
      // The others have no button on the page of every record.
      const offered = Object.keys(open.may).map((right) => [right, may[right]])
      assert.deepEqual(Object.fromEntries(offered), open.may, what)
      assert.deepEqual(
        taken,
        open.data.map(({ key }: { key: string }) => key),
        what,
      )
    }
})

test('a user whom the service refuses may do nothing, and the answer says why', async () => {
  const { refused, may, roles } = await explain('of-team', 'blocked')
  assert.match(refused, /blocked/)
  assert.deepEqual(new Set(Object.values(may)), new Set([false]))
  assert.equal(roles[0].key, 'clerk')
})

test('records and users that are asked about exist', async () => {
  for (const [entity, record, user] of [
    ['order', 'nothing', 'clerk'],
    ['order', 'mine', 'nobody'],
    ['nothing', 'mine', 'clerk'],
  ] as const)
    assert.equal((await ask(entity, record, user)).status, 404, `${entity} ${record} ${user}`)
  const body = { entityKey: 'order', entityId: 0, userId: 1 }
  assert.equal((await service.ask('POST', path, { body })).status, 400)
})
