/** The list of the audit: who may read it, what they see of it, its filters, pages and file. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storeApplied } from '../../../src/audit/applied-definitions.ts'
import { addRole, insertPerson } from '../../support/a-person.ts'
import { addUser } from '../../support/a-project.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const service = await startTestService({
  ...entityFile('order', { ownership: true }, [
    { key: 'number', type: 'string', required: true },
    { key: 'notes', type: 'text' },
    { key: 'margin', type: 'decimal' },
  ]),
  ...entityFile('salary', [{ key: 'amount', type: 'decimal' }]),
  ...roleFile('auditor', {}, { audit: true }),
  ...roleFile('reader', { order: { read: true, hiddenFields: ['margin'] } }, { audit: true }),
  ...roleFile('own', { order: { create: true, read: 'own' } }, { audit: true }),
  ...roleFile('clerk', { order: { create: true, read: true, update: true, export: true } }),
})
const { pool } = service.database
for (const role of ['auditor', 'reader', 'own', 'clerk']) await addUser(service.database, role)

type Entry = {
  readonly id: string
  readonly kind: string
  readonly at: string
  readonly user: { readonly id: number; readonly full_name: string | null } | null
  readonly entity: string | null
  readonly entity_id: number | null
  readonly changes: Record<string, unknown> | null
  readonly comment: string | null
  readonly detail: Record<string, unknown> | null
}
type Page = { readonly data: readonly Entry[]; readonly next: string | null }

const ask = (query = '', as?: string) => service.ask('GET', `/api/audit?${query}`, { as })
const pageOf = async (query = '', as?: string): Promise<Page> => (await ask(query, as)).json(200)
const entriesOf = async (query = '', as?: string) => (await pageOf(query, as)).data
const idOf = async (email: string): Promise<number> => {
  const found = await pool.query<{ id: number }>('SELECT id FROM records."user" WHERE email = $1', [
    email,
  ])
  return found.rows[0]?.id ?? 0
}

const createOrder = async (as?: string) => {
  const body = { number: 'PO-1', notes: 'A secret note', ...(as === undefined && { margin: '12' }) }
  return Number((await service.ask('POST', '/order', { body, as })).json(201).id)
}

/** Every entry of some pages, from the newest to the oldest. */
const allOf = async (query: string, as?: string): Promise<Entry[]> => {
  const { data, next } = await pageOf(query, as)
  const rest =
    next === null ? [] : await allOf(`${query.replace(/&?after=.*/, '')}&after=${next}`, as)
  return [...data, ...rest]
}

describe('the audit is read', () => {
  test('by administrators and roles with the permission, and /api/me says so', async () => {
    assert.equal((await ask()).status, 200)
    assert.equal((await ask('', 'auditor@example.com')).status, 200)
    for (const [method, path] of [
      ['GET', '/api/audit'],
      ['POST', '/api/audit/export'],
    ] as const) {
      const { code, detail } = (await service.ask(method, path, { as: 'clerk@example.com' })).json(
        403,
      )
      assert.deepEqual(
        [code, detail],
        ['caller.forbidden', 'Role "clerk" lacks permission "audit".'],
      )
    }
    const partsOf = async (as?: string) =>
      (await service.ask('GET', '/api/me', { as })).json(200).administration
    assert.ok((await partsOf()).includes('audit'))
    assert.deepEqual(await partsOf('auditor@example.com'), ['audit'])
    assert.deepEqual(await partsOf('clerk@example.com'), [])
  })

  test('by a user of whose several roles one has it', async () => {
    const id = await insertPerson(pool, 'several', 'clerk')
    await addRole(pool, id, 'auditor')
    assert.equal((await ask('', 'several@example.com')).status, 200)
  })
})

describe('a change of a record', () => {
  test('is there for all who read the audit, with its values for those who may read them', async () => {
    const id = await createOrder()
    const seenBy = async (as?: string) =>
      (await entriesOf(`entity=order&record=${id}`, as && `${as}@example.com`)).map(
        ({ kind, user, changes }) => [kind, user?.id, changes && Object.keys(changes).sort()],
      )
    const all = ['_created_by', '_owned_by', 'margin', 'notes', 'number']
    const [[kind, by, names] = []] = await seenBy()
    assert.deepEqual([kind, by], ['create', 1])
    assert.deepEqual((names as string[]).filter((name) => all.includes(name)).length > 2, true)
    const [[, , ofReader] = []] = await seenBy('reader')
    assert.ok(
      (ofReader as string[]).includes('notes') && !(ofReader as string[]).includes('margin'),
    )
    for (const as of ['auditor', 'own'])
      assert.deepEqual(await seenBy(as), [['create', 1, null]], as)
    const reply = await ask(`entity=order&record=${id}`, 'auditor@example.com')
    assert.ok(!reply.text.includes('secret note'))
  })

  test('shows values of records of their own to a role that reads only those', async () => {
    const id = await createOrder('own@example.com')
    const [entry] = await entriesOf(`entity=order&record=${id}`, 'own@example.com')
    assert.ok(entry?.changes && 'notes' in entry.changes)
  })

  test('of an entity that is no longer defined is there without values', async () => {
    await pool.query(
      `INSERT INTO docket.history (entity_key, entity_id, operation, changes, user_id)
       VALUES ('gone', 7, 'change', '{"notes":{"after":"x"}}', 1)`,
    )
    const [entry] = await entriesOf('entity=gone')
    assert.deepEqual([entry?.entity, entry?.entity_id, entry?.changes], ['gone', 7, null])
  })
})

describe('the filters', () => {
  test('choose by who, what, which record and when', async () => {
    const clerk = await idOf('clerk@example.com')
    const id = await createOrder('clerk@example.com')
    await service.ask('PATCH', `/order/${id}`, { body: { notes: 'b' }, as: 'clerk@example.com' })
    await service.ask('DELETE', `/order/${id}`)
    const kindsOf = async (query: string) =>
      (await entriesOf(`entity=order&record=${id}&${query}`)).map(({ kind }) => kind)
    assert.deepEqual(await kindsOf(''), ['remove', 'change', 'create'])
    assert.deepEqual(await kindsOf(`user=${clerk}`), ['change', 'create'])
    assert.deepEqual(await kindsOf('kind=remove'), ['remove'])
    assert.deepEqual(await kindsOf('kind=export'), [])
    const [removed] = await entriesOf(`entity=order&record=${id}`)
    assert.deepEqual(await kindsOf(`from=${removed?.at}`), ['remove'])
    assert.deepEqual(await kindsOf(`to=${removed?.at}`), ['change', 'create'])
    for (const one of await entriesOf('kind=create&limit=200')) assert.equal(one.kind, 'create')
  })

  test('that say nothing valid are a 400 that names them', async () => {
    for (const [query, path] of [
      ['record=1', 'record'],
      ['entity=Order', 'entity'],
      ["entity=a'%20OR%20true", 'entity'],
      ['kind=drop', 'kind'],
      ['user=0', 'user'],
      ['from=yesterday', 'from'],
      ['limit=201', 'limit'],
      ['after=e1', 'after'],
      ['after=2026-13-40T99:00:00.000Z_h1', 'after'],
      ['more=1', 'more'],
    ] as const) {
      const { code, errors } = (await ask(query)).json(400)
      assert.deepEqual([code, errors[0].path], ['request.invalid', path], query)
    }
  })
})

test('pages have every entry once, in the order of time, also while others are added', async () => {
  await createOrder()
  await pool.query(`UPDATE docket.audit SET at = (SELECT max(h.at) FROM docket.history h)`)
  const whole = (await entriesOf('limit=200')).map(({ id }) => id)
  assert.ok(whole.length > 5 && new Set(whole.map(([source]) => source)).size === 2)
  const first = await pageOf('limit=2')
  await createOrder()
  const rest = await allOf(`limit=2&after=${first.next}`)
  assert.deepEqual(
    [...first.data, ...rest].map(({ id }) => id),
    whole,
  )
  const times = (await allOf('limit=3')).map(({ at }) => at)
  assert.deepEqual(times, times.toSorted().toReversed())
})

describe('an export', () => {
  const eventsOf = async (kind: string, count: number) => {
    let found: readonly Entry[] = []
    await until(`${count} events ${kind}`, async () => {
      found = await entriesOf(`kind=${kind}&limit=200`)
      return found.length >= count
    })
    return found
  }

  test('of records is an event: who took which columns, and how many rows', async () => {
    await createOrder()
    const { length } = await entriesOf('kind=export&limit=200')
    const reply = await service.ask('POST', '/order/export?limit=1', {
      as: 'clerk@example.com',
      body: { $select: ['number', 'notes'] },
    })
    assert.equal(reply.status, 200)
    const [event] = await eventsOf('export', length + 1)
    assert.deepEqual([event?.entity, event?.user?.id], ['order', await idOf('clerk@example.com')])
    assert.deepEqual(event?.detail, {
      format: 'csv',
      columns: ['number', 'notes'],
      state: 'ended',
      rows: 1,
    })
  })

  test('that is refused is none', async () => {
    const { length } = await entriesOf('kind=export&limit=200')
    assert.equal(
      (await service.ask('POST', '/order/export', { body: { $select: ['x'] } })).status,
      400,
    )
    assert.equal((await entriesOf('kind=export&limit=200')).length, length)
  })

  test('of the audit has what the list has, as CSV or JSON lines, and is an event too', async () => {
    await createOrder()
    const { length } = await entriesOf('kind=export&limit=200')
    const listed = await allOf('entity=order&limit=200', 'reader@example.com')
    const file = (format: string) =>
      service.ask('POST', `/api/audit/export?entity=order&format=${format}`, {
        as: 'reader@example.com',
      })
    const lines = (await file('ndjson')).text.trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      listed,
    )
    const csv = await file('csv')
    assert.match(
      csv.headers.get('content-disposition') ?? '',
      /^attachment; filename="?audit-\d{4}/,
    )
    const [head, ...rows] = csv.text.trimEnd().split('\r\n')
    assert.match(head ?? '', /^at,kind,user_id,user,/)
    // An export of records is one of them by now.
    assert.ok(rows.length >= listed.length)
    assert.ok(!csv.text.includes('margin'))
    const [event] = await eventsOf('export', length + 2)
    assert.equal(event?.detail?.what, 'audit')
    assert.equal(event?.detail?.state, 'ended')
  })
})

test('definitions that differ from those applied before are an event with their parts', async () => {
  const order = { key: 'order', fields: [{ key: 'number' }, { key: 'notes', type: 'text' }] }
  const buyer = { key: 'buyer', permissions: { order: { read: true }, user: { read: true } } }
  const apply = (entity: object, role: object) =>
    storeApplied(pool, {
      settings: {},
      catalog: {
        entities: new Map([['order', { key: 'order', definition: entity }]]),
        roles: new Map([['buyer', role]]),
      } as never,
    })
  const changed = async () => {
    const [event] = await entriesOf('kind=changeDefinitions')
    return event?.detail?.changed as Record<string, unknown>[]
  }
  const started = await changed()
  assert.ok(
    started.some(({ type, key, from }) => type === 'role' && key === 'auditor' && from === null),
  )
  // What the start of this service has applied is replaced.
  await apply(order, buyer)
  const { length } = await entriesOf('kind=changeDefinitions')
  await Promise.all([apply(order, buyer), apply(order, buyer)])
  assert.equal((await entriesOf('kind=changeDefinitions')).length, length)
  const other = {
    ...order,
    fields: [{ key: 'number' }, { key: 'notes', type: 'string' }],
  }
  await Promise.all([
    apply(other, { ...buyer, permissions: { order: { read: true, update: true } } }),
    apply(other, { ...buyer, permissions: { order: { read: true, update: true } } }),
  ])
  assert.equal((await entriesOf('kind=changeDefinitions')).length, length + 1)
  const differences = await changed()
  assert.deepEqual(
    differences.map(({ type, key, parts }) => [type, key, parts]),
    [
      ['entity', 'order', ['fields.notes']],
      ['role', 'buyer', ['permissions.order', 'permissions.user']],
    ],
  )
  for (const { from, to } of differences)
    assert.ok(from !== to && /^[0-9a-f]{12}$/.test(String(to)))
})
