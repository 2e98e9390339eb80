/**
 * SQL and Liquid in every text of a request, of all endpoints, and values that the database cannot store: each is a
 * value or an error, never a statement. The conditions are those of every operator of criteria on every kind of field.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { operators } from '../../../src/query/criteria/operators.ts'
import { emailOf, startDoors } from './a-door-project.ts'
import { type Asked, assertEach, type Door, doorsOf, requestOf, send } from './doors.ts'

const doors = await startDoors()
const all = await doorsOf(doors)
const id = await doors.newClaim({ heading: 'First' })

/** SQL with both kinds of quotes, and Liquid: for the many places. */
const ofBoth = `'; DROP TABLE records."claim"; -- {{ 'zqz' | append: 'qzq' }}`
const payloads = [
  ofBoth,
  `id" DESC; UPDATE records."user" SET is_blocked = true; --`,
  `') OR 1=1 --`,
  `$1 $$;DROP SCHEMA records CASCADE;$$`,
  `\\'; DELETE FROM docket.history; --`,
  `/**/UNION/**/SELECT/**/1`,
  `%' OR '1'='1`,
  `E'\\047' \u02bc OR 1=1`,
  `{{ 'zqz' | append: 'qzq' }}{% assign x = 1 %}`,
] as const
const nul = 'a\u0000b'
/** Values that the database cannot store in some column. */
const unstorable: readonly unknown[] = [
  ...[2147483648, 1e300, '1'.repeat(400), nul, '\ud800', {}, null],
]
/** What the Liquid in it would render to. */
const rendered = 'zqzqzq'

/** Every table with its number of rows and a digest of their values. */
const tableDigests = async (): Promise<Record<string, string>> => {
  const { pool } = doors.database
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema IN ('records', 'docket') AND table_name NOT IN ('idempotency_key', 'export_run', 'audit', 'last_seen', 'thumbnail')
     ORDER BY 1`,
  )
  const digests = rows.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' ' || md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS digest FROM ${name} t`,
  )
  const { rows: found } = await pool.query<{ name: string; digest: string }>(
    digests.join(' UNION ALL '),
  )
  return Object.fromEntries(found.map(({ name, digest }) => [name, digest]))
}

/** Every body that has the payload in place of one text of `value`, or as one more name. */
const bodiesWith = (value: unknown, payload: unknown): readonly unknown[] => {
  if (typeof value === 'string') return [payload]
  if (Array.isArray(value))
    return [
      ...value.flatMap((one, index) =>
        bodiesWith(one, payload).map((changed) => value.with(index, changed)),
      ),
      [...value, payload],
    ]
  if (typeof value !== 'object' || value === null) return [payload]
  return [
    ...Object.entries(value).flatMap(([key, one]) =>
      bodiesWith(one, payload).map((changed) => ({ ...value, [key]: changed })),
    ),
    ...(typeof payload === 'string' ? [{ ...value, [payload]: payload }] : []),
  ]
}

/** Fields of every type, and paths to others. */
const fields = [
  ...['id', 'heading', 'notes', 'margin', 'doubled', 'amount', 'due_on', 'extra', '_created_at'],
  ...['_step', 'keeper_id', 'keeper.email', 'vault.code', 'parts.name'],
]

/** The valid request of a row with the payload in each place that takes a text. */
const requestsWithText = ({ path, operation }: Door, request: Asked, payload: string): Asked[] => {
  const coded = encodeURIComponent(payload.toWellFormed())
  const headerSafe = payload.replaceAll(/[^\x20-\x7e]/g, '?')
  const parts = path
    .split('/')
    .entries()
    .filter(([, part]) => part.startsWith('{'))
  return [
    ...parts.map(([index]) => ({
      ...request,
      path: request.path.split('/').with(index, coded).join('/'),
    })),
    ...(operation?.parameters ?? []).flatMap(({ name, in: where }) => {
      if (where === 'query') return [{ ...request, query: `${name}=${coded}` }]
      if (where !== 'header') return []
      return [{ ...request, headers: { ...request.headers, [name]: headerSafe } }]
    }),
    { ...request, query: `${coded}=1` },
  ]
}

/** Those, and the payload in each place of the body. */
const requestsWith = (door: Door, request: Asked, payload: unknown): Asked[] => {
  const takesFields = ['POST /{entityKey}', 'PATCH /{entityKey}/{entityId}'].includes(door.door)
  const bodies = [
    ...(door.operation?.body ? bodiesWith(request.body, payload) : []),
    ...(takesFields ? fields.map((field) => ({ [field]: payload })) : []),
  ]
  return [
    ...(typeof payload === 'string' ? requestsWithText(door, request, payload) : []),
    ...bodies.map((body) => ({ ...request, body })),
  ]
}

/** A POST that writes nothing. */
const reading = ['search', 'export', 'actions', 'explain', 'recipients']
const isReading = ({ method, path }: Door) =>
  method === 'GET' || reading.includes(path.split('/').at(-1) ?? '')

const sendAll = async (door: Door): Promise<string[]> => {
  const wrong: string[] = []
  const request = await requestOf(doors, door, id)
  // Each file is read by a thread of its own; what files may contain is in facts/import.
  const isFile = request.headers['Content-Type'] === 'text/csv'
  for (const payload of isFile ? [ofBoth, nul] : [ofBoth, ...unstorable])
    for (const one of requestsWith(door, request, payload)) {
      const { status, text } = await send(doors, door, one, 'admin')
      if (status >= 500 && !door.path.startsWith('/console')) wrong.push(`${status} ${payload}`)
      if (text.includes(rendered) || /SQLSTATE|syntax error|pg_/.test(text)) wrong.push(text)
    }
  return wrong
}

test('in every text of a request that reads it changes nothing and shows nothing of the database', async () => {
  // What the files before this one have written is told of first.
  await doors.notified()
  const stayed = await tableDigests()
  await assertEach(all.filter(isReading), [], sendAll)
  assert.deepEqual(await tableDigests(), stayed)
})

test('in every text of a request that writes it is stored or refused, and everything else stays', async () => {
  const tables = Object.keys(await tableDigests()).sort()
  const users = () => doors.database.pool.query('SELECT * FROM records."user" ORDER BY id')
  const { rows: stayed } = await users()
  await assertEach(
    all.filter((door) => !isReading(door)),
    [],
    sendAll,
  )
  assert.deepEqual(Object.keys(await tableDigests()).sort(), tables)
  assert.deepEqual((await users()).rows, stayed)
})

describe('in criteria', () => {
  const search = (body: object) => doors.ask('POST', '/claim/search', { body })
  const ordering = ['$gt', '$gte', '$lt', '$lte']
  before(async () => {
    const values = { heading: 'A', notes: 'A', margin: '1', amount: 1, extra: { a: 'A' } }
    for (const code of ['inject-1', 'inject-2']) await doors.newClaim({ ...values, code })
  })

  test('as the value of any operator it finds nothing, or everything that it differs from, on every kind of field', async () => {
    const stayed = await tableDigests()
    // Operators with the same form of value read it by the same code.
    const byForm = new Map(Object.entries(operators).map(([name, { operand }]) => [operand, name]))
    const ofEachForm = new Set<string>(byForm.values())
    for (const operator of Object.keys(operators))
      for (const payload of [ofBoth, ...(ofEachForm.has(operator) ? unstorable : [])])
        for (const field of fields) {
          const value = ['$in', '$nin'].includes(operator) ? [payload, payload] : payload
          const $where = { code: { $startsWith: 'inject-' }, [field]: { [operator]: value } }
          const { status, text } = await search({ $where, $count: true })
          const where = `${field} ${operator} ${payload}: ${status} ${text}`
          assert.ok(status === 200 || status === 400, where)
          if (status === 400 || ordering.includes(operator) || unstorable.includes(payload))
            continue
          assert.equal(JSON.parse(text).total, ['$ne', '$nin'].includes(operator) ? 2 : 0, where)
        }
    assert.deepEqual(await tableDigests(), stayed)
  })

  test('as a name it is a 400 that names the place', async () => {
    for (const payload of [ofBoth, payloads[1]])
      for (const body of [
        { $where: { [payload]: 1 } },
        { $where: { [`vault.${payload}`]: 1 } },
        { $where: { heading: { [payload]: 1 } } },
        { $where: { $not: { [payload]: 1 } } },
        { $where: { $or: [{ [payload]: 1 }] } },
        { $where: { heading: { $eq: { $field: payload } } } },
        { $orderBy: [payload] },
        { $orderBy: [`-vault.${payload}`] },
        { $select: [payload] },
        { $aggregate: { sum: [payload] } },
        { $aggregate: { [payload]: ['margin'] } },
        { $group: [payload] },
        { $after: payload, $orderBy: ['id'] },
        { [payload]: 1 },
      ]) {
        assert.ok((await search(body)).json(400).errors.length > 0)
      }
  })
})

test('as a value it is stored, found and shown unchanged', async () => {
  for (const payload of payloads) {
    const body = { notes: payload, extra: { [payload]: [payload] } }
    const created = await doors.newClaim(body)
    const found = await doors.ask('POST', '/claim/search', {
      body: { $where: { notes: payload }, $orderBy: ['-id'] },
    })
    const records: { id: number; notes: string; extra: unknown }[] = found.json().data
    assert.ok(records.every(({ notes }) => notes === payload))
    assert.deepEqual(records.find((one) => one.id === created)?.extra, body.extra)
    const { data } = (await doors.ask('GET', `/claim/${created}/history`)).json()
    assert.equal(data[0].changes.notes.after, payload)
    await doors.ask('DELETE', `/claim/${created}`)
  }
})

test('a task with a record that cannot exist is a 422, and a 404 without the permission', async () => {
  for (const entry of [
    { key: 'claim', entity_id: 2147483648 },
    { key: '\u0000', entity_id: 1 },
  ]) {
    const ask = (as: string) =>
      doors.ask('POST', `/claim/${id}/task`, { as, body: { related_entities: [entry] } })
    const refused = await ask(emailOf('admin'))
    assert.deepEqual([refused.status, refused.json().errors[0].path], [422, 'related_entities[0]'])
    assert.equal((await ask(emailOf('nothing'))).status, 404)
  }
})
