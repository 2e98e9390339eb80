/** Conditions of reading let through what the same criteria find for an administrator, for one user and for many. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { personOf, readableBy } from '../../../src/auth/readable-records.ts'
import { queryRows } from '../../../src/database/pool.ts'
import { sql, table } from '../../../src/database/sql.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'

/** A condition of a role, and the criteria that mean the same for its user, who is of the site S1 and the team North. */
const rows: readonly (readonly [condition: object, where?: object])[] = [
  [{ site: { $caller: 'site' } }, { 'site.code': 'S1' }],
  [{ 'site.code': { $caller: 'site.code' } }, { 'site.code': 'S1' }],
  [{ 'site.code': { $ne: { $caller: 'site.code' } } }, { 'site.code': { $ne: 'S1' } }],
  [{ team: { $in: { $caller: 'groups.user_group' } } }, { 'team.name': 'North' }],
  [{ 'team.name': { $in: { $caller: 'groups.user_group.name' } } }, { 'team.name': 'North' }],
  [
    { $or: [{ total: { $gte: 20 } }, { site: { $caller: 'site' } }] },
    { $or: [{ total: { $gte: 20 } }, { 'site.code': 'S1' }] },
  ],
  // Another user has created all of them.
  [{ $or: [{ _created_by: { $caller: 'id' } }, { total: 20 }] }, { total: 20 }],
  [{ _created_by: { $ne: { $caller: 'id' } }, total: 20 }, { total: 20 }],
  [{ lines: { $some: { name: { $in: ['A', 'C'] } } } }],
  [{ 'site.orders': { $some: { total: 10 } } }],
  [{ lines: { $none: { name: 'A' } } }],
  [{ 'site.code': null }],
  [{ 'site.code': { $ne: 'S1' } }],
  [{ 'site.code': { $nin: ['S1'] } }],
  [{ 'site.code': { $in: ['S2', null] } }],
  [{ 'site.code': { $null: false } }],
  [{ $not: { 'site.code': 'S1' } }],
  [{ $not: { $or: [{ 'site.code': 'S1' }, { total: { $gt: 15 } }] } }],
  [{ 'site.code': { $like: 'S1%' } }],
  [{ total: { $lt: { $field: 'site.limit' } } }],
  [{ 'site.limit': { $gt: { $field: 'total' } }, 'team.name': { $null: false } }],
]

const roles = Object.fromEntries(
  rows.map(([read], index) => [
    `roles/role_${index}.json`,
    {
      key: `role_${index}`,
      permissions: {
        order: { create: true, read: true, export: true, update: true, conditions: { read } },
        line: { read: true, conditions: { read: { order: { $readable: true } } } },
        site: { read: true },
        part: {
          read: true,
          conditions: { read: { $or: [{ 'line.order': { $readable: true } }, { name: 'Free' }] } },
        },
      },
    },
  ]),
)
/** Reads of its own records those that meet a condition, and may do the rest with all that it reads. */
const ownPermissions = {
  order: {
    create: true,
    read: 'own',
    export: true,
    update: true,
    tasks: true,
    conditions: { read: { total: { $gte: 10 } } },
  },
}
const link = (key: string, entity = key) => ({ key, type: 'manyToOne', entity })
const string = (key: string) => ({ key, type: 'string' })
const files = {
  ...entityFile('site', [
    string('code'),
    { key: 'limit', type: 'integer' },
    { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'site' },
  ]),
  ...entityFile('order', [
    string('name'),
    // Named as a column of the stored answers.
    string('body'),
    { key: 'total', type: 'integer' },
    link('site'),
    link('team', 'user_group'),
    { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
  ]),
  'entities/line.json': { key: 'line', fields: [string('name'), link('order')] },
  'entities/part.json': { key: 'part', fields: [string('name'), link('line')] },
  'entities/user.json': { extends: 'native', key: 'user', fields: [link('site')] },
  ...roles,
  'roles/own.json': { key: 'own', permissions: ownPermissions },
}

const service = opened(() => startTestService(files))
const emailOf = (index: number) => `role-${index}@example.com`
before(async () => {
  const create = async (path: string, body: object) =>
    (await createAs(service, path, { ...body })).id as number
  const [s1, s2] = [
    await create('site', { code: 'S1', limit: 15 }),
    await create('site', { code: 'S2', limit: 5 }),
  ]
  const teamOf = (name: string) => create('user_group', { code: name.toLowerCase(), name })
  const [north, south] = [await teamOf('North'), await teamOf('South')]
  const orders = [
    { name: 'A', site_id: s1, team_id: north, total: 10 },
    { name: 'B', site_id: s2, total: 20 },
    { name: 'C', team_id: south },
    { name: 'D', site_id: s1, team_id: south, total: 30 },
    { name: 'E', site_id: s2, team_id: north, total: 1 },
  ]
  for (const order of orders) {
    const order_id = await create('order', order)
    const line_id = await create('line', { name: order.name, order_id })
    await create('part', { name: order.name, line_id })
  }
  await create('part', { name: 'Free' })
  for (const index of rows.keys()) {
    const user_id = await insertPerson(service.database.pool, `role-${index}`, `role_${index}`)
    await service.ask('PATCH', `/user/${user_id}`, { body: { site_id: s1 } })
    await create('user_group_member', { user_id, user_group_id: north })
    const left = await create('user_group_member', { user_id, user_group_id: south })
    await service.ask('DELETE', `/user_group_member/${left}`)
  }
})

/** The names of the records that criteria find, and how many there are. */
const find = async (entity: string, where: object, as?: string) => {
  const body = { $where: where, $orderBy: ['name'], $select: ['name'], $count: true }
  const { data, total } = (
    await service.ask('POST', `/${entity}/search`, { body, ...(as && { as }) })
  ).json(200)
  const names = data.map(({ name }: { name: string }) => name)
  assert.equal(total, names.length)
  return names as string[]
}

/** The codes of the sites of some orders, by their names. */
const codesOf = async (names: readonly string[]) => {
  const body = { $where: { name: [...names] }, $select: ['site.code'] }
  const { data } = (await service.ask('POST', '/order/search', { body })).json()
  const codes = data.map((order: { site: { code: string } | null }) => order.site?.code)
  return [...new Set(codes)].filter((code) => code !== undefined).toSorted()
}

for (const [index, [condition, where = condition]] of rows.entries())
  test(`${JSON.stringify(condition)} reads what criteria find, with what follows it`, async () => {
    const as = emailOf(index)
    const expected = await find('order', where)
    assert.ok(
      expected.length > 0 && expected.length < 5,
      'a row that lets all through proves nothing',
    )
    assert.deepEqual(await find('order', {}, as), expected)
    assert.deepEqual(await find('line', {}, as), expected)
    assert.deepEqual(await find('part', {}, as), [...expected, 'Free'])
    const sites = { orders: { $some: { name: { $null: false } } } }
    const body = { $where: sites, $select: ['code'], $orderBy: ['code'] }
    const found = await service.ask('POST', '/site/search', { as, body })
    const codes = await codesOf(expected)
    assert.deepEqual(
      found.json().data.map(({ code }: { code: string }) => code),
      codes,
    )
    const columns = { $orderBy: ['name'], $select: ['name'] }
    const exported = await service.ask('POST', '/order/export', { as, body: columns })
    assert.deepEqual(exported.text.trim().split(/\r?\n/).slice(1), expected)
  })

test('each user of a role is let through by their own values, whichever of them asks first', async () => {
  const { data } = (
    await service.ask('POST', '/site/search', { body: { $orderBy: ['code'] } })
  ).json()
  const people = data.map(({ id, code }: { id: number; code: string }) => ({ id, code }))
  const nameOf = (code: string) => `of-${code.toLowerCase()}`
  for (const { id, code } of people) {
    const user_id = await insertPerson(service.database.pool, nameOf(code), 'role_0')
    await service.ask('PATCH', `/user/${user_id}`, { body: { site_id: id } })
  }
  for (const { code } of [...people, ...people.toReversed()])
    for (const entity of ['order', 'line'])
      assert.deepEqual(
        await find(entity, {}, `${nameOf(code)}@example.com`),
        await find('order', { 'site.code': code }),
      )
})

test('a role that reads those of its own records that meet a condition exports and counts no others', async () => {
  const as = 'own@example.com'
  await insertPerson(service.database.pool, 'own', 'own')
  for (const total of [5, 20]) await createAs(service, 'order', { total }, as)
  const body = { $select: ['total'] }
  const exported = await service.ask('POST', '/order/export', { as, body })
  assert.deepEqual(exported.text.trim().split(/\r?\n/), ['total', '20'])
  assert.equal((await find('order', {}, as)).length, 1)
  const criteria = { $where: { '_created_by.email': as } }
  await service.ask('POST', '/order/bulk', { body: { criteria, do: { remove: true } } })
})

test('one statement decides for all users what each of them is shown', async () => {
  const { permissions, project } = service.runtime
  const decided = async (key: string) => {
    const entity = getEntity(project.catalog, key)
    const mayRead = readableBy({ permissions }, entity, 't', personOf(sql`u.id`, sql`r.key`))
    return queryRows<{ email: string; names: string }>(
      service.database.pool,
      sql`
SELECT u.email, coalesce(string_agg(t.name, ' ' ORDER BY t.name), '') AS names
FROM ${table('user')} u
JOIN ${table('security_role')} r ON r.id = u.security_role_id
JOIN ${table(entity)} t ON ${mayRead}
WHERE r.key <> 'administrator'
GROUP BY u.email`,
    )
  }
  for (const key of ['order', 'line', 'part']) {
    const found = new Map((await decided(key)).map(({ email, names }) => [email, names]))
    for (const index of rows.keys())
      assert.equal(found.get(emailOf(index)), (await find(key, {}, emailOf(index))).join(' '), key)
  }
})

describe('a user without the value that a condition compares', () => {
  // Nor by a comparison with what differs from it.
  for (const role of ['role_0', 'role_2'])
    test(`reads nothing by it, as ${role}`, async () => {
      const name = `lost-${role}`
      await insertPerson(service.database.pool, name, role)
      assert.deepEqual(await find('order', {}, `${name}@example.com`), [])
    })

  test('reads the records of another site as soon as theirs is another one', async () => {
    const id = await insertPerson(service.database.pool, 'moving', 'role_0')
    const { data } = (await service.ask('GET', '/site')).json()
    for (const { id: site_id, code } of data) {
      await service.ask('PATCH', `/user/${id}`, { body: { site_id } })
      const found = await find('order', {}, 'moving@example.com')
      assert.deepEqual(found, await find('order', { 'site.code': code }))
    }
  })
})

test('a record that leaves the condition by a change is gone for its writer, and the change is done', async () => {
  const as = emailOf(0)
  const order = (await service.ask('GET', '/order?sort=name&limit=1', { as })).json().data[0]
  const { data } = (await service.ask('GET', '/site?sort=-code&limit=1')).json()
  const moved = await service.ask('PATCH', `/order/${order.id}`, {
    as,
    body: { site_id: data[0].id },
  })
  assert.deepEqual([moved.status, moved.json()], [200, {}])
  assert.equal((await service.ask('GET', `/order/${order.id}`, { as })).status, 404)
  assert.equal(
    (await service.ask('PATCH', `/order/${order.id}`, { as, body: { total: 1 } })).status,
    404,
  )
  await service.ask('PATCH', `/order/${order.id}`, { body: { site_id: order.site_id } })
})

test('the answer of a write knows what the record itself changes in what it is read by', async () => {
  const as = emailOf(rows.findIndex(([condition]) => 'site.orders' in condition))
  const { id: site_id } = await createAs(service, 'site', { code: 'S9' })
  const body = { name: 'In the list of its site', site_id, total: 10 }
  const order = (await service.ask('POST', '/order', { as, body })).json(201)
  assert.equal(order.name, body.name)
  const change = { as, body: { total: 11 } }
  assert.deepEqual((await service.ask('PATCH', `/order/${order.id}`, change)).json(200), {})
  await service.ask('DELETE', `/order/${order.id}`)
})

test('the repeated answer of a create has nothing of a record that its creator does not read now', async () => {
  const as = emailOf(0)
  const { data } = (await service.ask('GET', '/site?sort=code')).json()
  const headers = { 'Idempotency-Key': 'once' }
  const options = { as, headers, body: { name: 'F', site_id: data[0].id } }
  const first = await service.ask('POST', '/order', options)
  assert.equal((await service.ask('POST', '/order', options)).text, first.text)
  const { id } = first.json()
  await service.ask('PATCH', `/order/${id}`, { body: { site_id: data[1].id } })
  const again = await service.ask('POST', '/order', options)
  assert.deepEqual([again.status, again.json()], [201, {}])
  await service.ask('DELETE', `/order/${id}`)
})

test('all that follows many records is read, as what follows few', async () => {
  const { pool } = service.database
  const as = 'of-many@example.com'
  const site_id = (await createAs(service, 'site', { code: 'S3' })).id
  const id = await insertPerson(pool, 'of-many', 'role_0')
  await service.ask('PATCH', `/user/${id}`, { body: { site_id } })
  const addOrders = (count: number) =>
    pool.query(`
      WITH added AS (
        INSERT INTO records."order" (name, site_id) SELECT 'Many', ${site_id} FROM generate_series(1, ${count})
        RETURNING id
      )
      INSERT INTO records.line (name, order_id) SELECT 'Many', id FROM added`)
  // Up to 500 records are read before the list, and compared with its links.
  for (const [added, all] of [
    [500, 500],
    [1, 501],
    [1, 502],
  ] as const) {
    await addOrders(added)
    const body = { $select: ['name'] }
    const found = await service.ask('POST', '/line/search?limit=1000', { as, body })
    assert.equal(found.json(200).data.length, all)
  }
})
