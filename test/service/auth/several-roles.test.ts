/** Users with several roles: each role's grant is as wide as that of a user who has it alone, and what one shows is shown. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { readableBy } from '../../../src/auth/readable-records.ts'
import { queryRows } from '../../../src/database/pool.ts'
import { int, raw, sql, table, toStatement } from '../../../src/database/sql.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { readerOf, readReach } from '../../../src/outbox/events/notification-event.ts'
import { compileSelect } from '../../../src/query/compile-select.ts'
import { parseCriteria } from '../../../src/query/criteria/parse-criteria.ts'
import { planSelect } from '../../../src/query/plan-select.ts'
import {
  findUserByEmail,
  heldRolesOf,
  holder,
  type User,
  usersWithRole,
} from '../../../src/users/user-store.ts'
import { addRole, insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'

const link = (key: string, entity = key) => ({ key, type: 'manyToOne', entity })
const string = (key: string, more: object = {}) => ({ key, type: 'string', ...more })

type Grant = {
  readonly read?: true | 'own'
  readonly hiddenFields?: readonly string[]
  readonly [more: string]: unknown
}
const all = { read: true, export: true } as const

/** Roles by what they may do with orders; `line` follows their order, and `site` everybody reads. */
const grants: Readonly<Record<string, Grant>> = {
  all_bare: { ...all, hiddenFields: ['secret', 'total', 'code'] },
  own_whole: { create: true, read: 'own', export: true, update: 'own' },
  north: {
    ...all,
    update: true,
    hiddenFields: ['secret'],
    readOnlyFields: ['code'],
    conditions: { read: { 'site.name': 'North' } },
  },
  large: {
    ...all,
    update: true,
    delete: true,
    hiddenFields: ['code', 'site'],
    conditions: { read: { total: { $gte: 30 } }, update: { total: { $lt: 60 } } },
  },
  coded: { ...all, hiddenFields: ['total'], conditions: { read: { code: { $in: ['b', 'c'] } } } },
  none: {},
}
const roleKeys = Object.keys(grants)
const hiddenBy = (role: string) => grants[role]?.hiddenFields ?? []

const roles = Object.fromEntries(
  Object.entries(grants).map(([key, order]) => [
    `roles/${key}.json`,
    {
      key,
      permissions: {
        ...(Object.keys(order).length > 0 && {
          order,
          line: { read: true, conditions: { read: { order: { $readable: true } } } },
        }),
        site: { read: true },
      },
    },
  ]),
)

const files = {
  ...entityFile('site', [string('name')]),
  'entities/order.json': {
    key: 'order',
    displayField: 'name',
    ownership: true,
    fields: [
      string('name', { required: true }),
      string('secret', { required: true }),
      { key: 'code', type: 'enum', values: ['c', 'a', 'b'], required: true },
      { key: 'total', type: 'integer' },
      link('site'),
      { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
    ],
  },
  'entities/line.json': { key: 'line', fields: [string('name'), link('order')] },
  ...roles,
}

const service = opened(() => startTestService(files))

const emailOf = (set: readonly string[]) => `${set.join('-')}@example.com`

/** A generator of numbers below a limit, always the same. */
const createRandom = (seed: number) => {
  let state = seed
  return (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
}

const random = createRandom(7)
const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
const sets = [
  ...new Set(
    Array.from({ length: 14 }, (_, index) =>
      [...new Set([pick(roleKeys), pick(roleKeys), ...(index % 2 ? [pick(roleKeys)] : [])])].join(),
    ),
  ),
]
  .map((set) => set.split(','))
  .filter((set) => set.length > 1)

const ask = (method: string, path: string, as: string, body?: object) =>
  service.ask(method, path, { as, ...(body && { body }) })

before(async () => {
  const { pool } = service.database
  const users: number[] = []
  for (const set of [...roleKeys.map((key) => [key]), ...sets]) {
    const [first = '', ...others] = set
    const id = await insertPerson(pool, set.join('-'), first)
    users.push(id)
    for (const key of others) await addRole(pool, id, key)
  }
  const sites = [
    (await createAs(service, 'site', { name: 'North' })).id,
    (await createAs(service, 'site', { name: 'South' })).id,
    null,
  ]
  for (let index = 0; index < 40; index++) {
    const order = await createAs(service, 'order', {
      name: `O${String(index).padStart(2, '0')}`,
      secret: `secret${index % 9}`,
      code: pick(['a', 'b', 'c']),
      total: pick([10, 20, 30, 50, 70, null]),
      site_id: pick(sites),
    })
    const owner = pick(users)
    await pool.query(`UPDATE records."order" SET _owned_by = ${owner} WHERE id = ${order.id}`)
    await createAs(service, 'line', { name: `L${index}`, order_id: order.id })
  }
})

type Order = {
  readonly id: number
  readonly name: string
  readonly secret: string | null
  readonly code: string | null
  readonly total: number | null
  readonly site_id: number | null
}

const fields = ['secret', 'code', 'total', 'site_id'] as const
const fieldKey = (name: string) => name.replace(/_id$/, '')

const listed = async (as: string): Promise<readonly Order[]> => {
  const reply = await ask('POST', '/order/search?limit=100', as, { $orderBy: ['name'] })
  return reply.status === 200 ? reply.json().data : []
}

/** What users with each of the roles alone read, with every field that one of those who read the row shows. */
const expectedFor = async (set: readonly string[]): Promise<readonly Order[]> => {
  const rows = new Map<string, Set<string>>()
  for (const role of set)
    for (const { name } of await listedByRole(role, set))
      rows.set(name, (rows.get(name) ?? new Set()).add(role))
  const whole = await listed('admin@example.com')
  return whole
    .filter(({ name }) => rows.has(name))
    .map((order) => {
      const reading = [...(rows.get(order.name) ?? [])]
      const seen = fields.map((field) => [
        field,
        reading.some((role) => !hiddenBy(role).includes(fieldKey(field))) ? order[field] : null,
      ])
      return { ...order, ...Object.fromEntries(seen) }
    })
}

/** Own records are those of the user, whatever their roles: a user of one role has others. */
const listedByRole = async (role: string, set: readonly string[]): Promise<readonly Order[]> => {
  if (role !== 'own_whole') return listed(emailOf([role]))
  const where = { '_owned_by.email': emailOf(set) }
  return (
    await ask('POST', '/order/search?limit=100', 'admin@example.com', { $where: where })
  ).json().data
}

const onlyFields = ({ name, ...order }: Order) => ({
  name,
  ...Object.fromEntries(fields.map((field) => [field, order[field] ?? null])),
})

const order = ['c', 'a', 'b']
const placeOf = (code: string | null) => (code === null ? 9 : order.indexOf(code))

const countBy = (values: readonly (string | null)[]) =>
  Object.fromEntries(
    [...Map.groupBy(values, String)].map(([key, same]) => [key, same.length]).toSorted(),
  )

for (const set of sets)
  describe(`a user with the roles ${set.join(', ')}`, () => {
    const as = emailOf(set)

    test('reads in every list what one of them reads, with what one that reads it shows', async () => {
      const expected = await expectedFor(set)
      const rows = expected.map(onlyFields)
      assert.deepEqual((await listed(as)).map(onlyFields), rows)
      if (rows.length === 0) return
      const [one] = expected
      const read = (await ask('GET', `/order/${one?.id}`, as)).json(200)
      assert.deepEqual(onlyFields(read), rows[0])
      const known = ['secret', 'code', 'total', 'site_id'].filter((name) => name in read)
      const columns = { $orderBy: ['name'], $select: ['name', ...known] }
      const exported = (await ask('POST', '/order/export?format=json', as, columns)).json(200)
      assert.deepEqual(
        exported.map((row: Order) => onlyFields(row)),
        rows,
      )
      const lines = {
        $orderBy: ['order.name'],
        $select: ['order.name', ...known.map((name) => `order.${name}`)],
      }
      const ofLines = (await ask('POST', '/line/search?limit=100', as, lines)).json(200).data
      assert.deepEqual(
        ofLines.map((row: { order: Order }) => onlyFields(row.order)),
        rows,
      )
    })

    test('filters, sorts, searches and adds up by no more than that', async () => {
      const expected = await expectedFor(set)
      const sees = (field: string) =>
        set.some((role) => grants[role]?.read && !hiddenBy(role).includes(field))
      const found = async (criteria: object) =>
        (await ask('POST', '/order/search?limit=100', as, criteria))
          .json(200)
          .data.map(({ name }: Order) => name)
      const names = (rows: readonly Order[]) => rows.map(({ name }) => name)
      const by = { $orderBy: ['name'] }
      if (sees('secret')) {
        const met = (secret: string | null) => secret === 'secret3'
        assert.deepEqual(
          await found({ ...by, $where: { secret: 'secret3' } }),
          names(expected.filter(({ secret }) => met(secret))),
        )
        assert.deepEqual(
          await found({ ...by, $where: { secret: { $ne: 'secret3' } } }),
          names(expected.filter(({ secret }) => !met(secret))),
        )
        assert.deepEqual(
          await found({ ...by, $search: 'secret3' }),
          names(expected.filter(({ secret }) => met(secret))),
        )
      }
      if (sees('code')) {
        const sorted = expected.toSorted(
          (a, b) => placeOf(a.code) - placeOf(b.code) || (a.name < b.name ? -1 : 1),
        )
        assert.deepEqual(await found({ $orderBy: ['code', 'name'] }), names(sorted))
        const pages: string[] = []
        for (let after: string | null = ''; after !== null; ) {
          const body: object = { $orderBy: ['code', 'name'], $after: after || null }
          const page: { data: Order[]; next: string | null } = (
            await ask('POST', '/order/search?limit=4', as, body)
          ).json(200)
          pages.push(...names(page.data))
          after = page.next
        }
        assert.deepEqual(pages, names(sorted))
        const body = { $group: ['code'] }
        const { groups } = (await ask('POST', '/order/search', as, body)).json(200)
        assert.deepEqual(
          Object.fromEntries(
            groups
              .map((one: { key: { code: string | null }; count: number }) => [
                String(one.key.code),
                one.count,
              ])
              .toSorted(),
          ),
          countBy(expected.map(({ code }) => code)),
        )
      }
      if (sees('total')) {
        const body = { $aggregate: { sum: ['total'] } }
        const { aggregate } = (await ask('POST', '/order/search', as, body)).json(200)
        const sum = expected.reduce((total, one) => total + (one.total ?? 0), 0)
        assert.equal(Number(aggregate.sum.total ?? 0), sum)
      }
    })

    test('finds in the history of each record what they see of it', async () => {
      for (const one of (await expectedFor(set)).slice(0, 12)) {
        const { data } = (await ask('GET', `/order/${one.id}/history`, as)).json(200)
        const { changes } = data.at(-1)
        for (const field of ['secret', 'code'] as const)
          assert.equal(changes[field]?.after ?? null, one[field], `${one.name} ${field}`)
      }
    })

    test('may be told of each record what they see of it, as one of many users or alone', async () => {
      const { permissions, project } = service.runtime
      const { catalog } = project
      const { pool } = service.database
      const entity = getEntity(catalog, 'order')
      const user = (await findUserByEmail(pool, as)) as User
      const person = { userId: user.id, roleKey: user.role_key ?? '' }
      assert.deepEqual(person.roleKey.split(',').toSorted(), set.toSorted())
      const mayRead = readableBy({ permissions }, entity, 't', holder)
      const rows = await queryRows<{ name: string }>(
        pool,
        sql`
SELECT t.name
FROM ${usersWithRole} ${heldRolesOf(sql`SELECT id FROM ${table('user')}`)}
JOIN ${table(entity)} t ON ${mayRead}
WHERE u.id = ${int(user.id)}
ORDER BY t.name`,
      )
      const expected = await expectedFor(set)
      assert.deepEqual(
        rows.map(({ name }) => name),
        expected.map(({ name }) => name),
      )
      const deps = { catalog, permissions }
      const data = {
        record: {},
        actor: {},
        entity: { key: 'order', name: 'Order' },
        action: {},
        comment: null,
      }
      for (const one of expected) {
        const event = { entity, entityId: one.id, data }
        const reader = await readReach(pool, deps, person, event)
        const { mayReadRecord } = readerOf(deps, reader, { entity, showsHidden: false, actorId: 0 })
        for (const field of ['secret', 'code'] as const)
          assert.equal(mayReadRecord(field), one[field] !== null, `${one.name} ${field}`)
      }
    })
  })

test('the statements of a user with one role are those of their role', () => {
  const { permissions, project } = service.runtime
  const { catalog } = project
  const textFor = (roleKey: string) => {
    const entity = getEntity(catalog, 'order')
    const person = { userId: 4, roleKey }
    const plan = planSelect({
      catalog,
      entity,
      timeZone: 'UTC',
      access: permissions.accessOf(person),
      scope: permissions.scopeOf(person, 'read', entity),
      criteria: parseCriteria({ $where: { 'site.name': 'North' }, $orderBy: ['name'] }),
      columns: [{ path: 'site.name', at: '' }],
      page: undefined,
    })
    return toStatement(compileSelect(plan, raw('t."id"'))).text.replace(/\s+/g, ' ')
  }
  const read = (filter: string) =>
    `SELECT t."id" FROM "records"."order" t LEFT JOIN "records"."site" j1 ON j1."id" = t."site_id" WHERE NOT t."_is_deleted" ${filter} ORDER BY t."name", t."id"`
  assert.equal(textFor('all_bare'), read('AND j1."name" = $1::text'))
  const own = '(t."_created_by" = $1::integer OR t."_owned_by" = $2::integer)'
  assert.equal(textFor('own_whole'), read(`AND ${own} AND j1."name" = $3::text`))
  const north =
    'EXISTS ( SELECT FROM "records"."site" t_l1 WHERE t_l1."id" = t."site_id" AND t_l1."name" = $1::text )'
  assert.equal(textFor('north'), read(`AND ${north} AND j1."name" = $2::text`))
  // A role that adds nothing changes nothing.
  assert.equal(textFor('north,none'), textFor('north'))
  assert.equal(textFor('own_whole,none'), textFor('own_whole'))
})
