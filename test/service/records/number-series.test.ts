/** Number series: each record gets the next number of its counter, and what is not written takes none. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Queryable, queryRow } from '../../../src/database/pool.ts'
import { counterOf, nextNumber } from '../../../src/database/series.ts'
import { raw, sql, timestamp } from '../../../src/database/sql.ts'
import { transaction } from '../../../src/database/transaction.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { createUser } from '../../support/console/create-user.ts'
import { entityFile, link, many, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { type AskOptions, type ProjectFiles, startTestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const needed = (key: string) => ({ ...link(key), required: true })
const numbered = (key: string, series: object) => ({ key, type: 'string', series })
const issue = { key: 'issue', kind: 'proceedToStep', to: 'issued', form: 'issue' }

const invoice = {
  key: 'invoice',
  fields: [
    { ...numbered('number', { format: 'IN-{branch.code}-{00}' }), maxLength: 40 },
    many('entries', 'entry', 'invoice'),
    numbered('issue_no', { format: '{0}/{branch.code}', on: { action: 'issue' }, start: 7 }),
    numbered('annual_no', { format: 'A{000}', on: { action: 'issue' } }),
    needed('branch'),
    { key: 'hours', type: 'integer' },
    { key: 'title', type: 'string', unique: true },
    link('seller', 'user'),
    { key: 'sent_on', type: 'date' },
  ],
  validations: [
    { key: 'short', condition: { hours: { $lte: 24 } }, message: 'A day has 24 hours.' },
    {
      key: 'sent',
      condition: { $or: [{ _step: 'draft' }, { sent_on: { $ne: null } }] },
      message: 'Say when it was sent.',
    },
  ],
  workflow: workflowOf(
    { draft: [issue], issued: [{ key: 'back', kind: 'proceedToStep', to: 'draft' }] },
    { forms: [{ key: 'issue', fields: ['sent_on', 'branch'] }] },
  ),
}

const files = {
  'docket.json': { language: 'en', timeZone: 'Europe/Zagreb' },
  ...entityFile('branch', [
    { key: 'code', type: 'string', required: true, unique: true, maxLength: 20 },
  ]),
  'entities/invoice.json': invoice,
  ...entityFile('entry', [
    numbered('number', { format: '{invoice.number}.{0}' }),
    needed('invoice'),
    { ...link('writer', 'user'), required: true, default: { $caller: 'id' } },
  ]),
  'message-handlers/noted.cjs': 'exports.exec = () => undefined',
  'entities/ticket.json': {
    key: 'ticket',
    fields: [numbered('number', { format: 'T{YYYY}-{0}', gapFree: false })],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: 'noted' }],
  },
  ...entityFile('label', [
    numbered('number', { format: '{branch.code}-L-{000}', gapFree: false }),
    needed('branch'),
    link('seller', 'user'),
  ]),
  ...entityFile('tag', [
    numbered('number', { format: '{000}/{branch.code}', gapFree: false }),
    needed('branch'),
    link('seller', 'user'),
  ]),
  ...entityFile('slip', [
    numbered('number', { format: 'S-{0}' }),
    { key: 'hours', type: 'integer' },
  ]),
  ...roleFile('clerk', { invoice: { read: true } }),
  ...roleFile('seller', {
    branch: { read: true },
    invoice: {
      read: true,
      create: true,
      update: true,
      actions: ['issue'],
      conditions: { create: { hours: { $lt: 10 } } },
    },
  }),
} satisfies ProjectFiles

const service = await startTestService(files)
after(() => service.stop())
const { pool } = service.database
const ask = (method: string, path: string, body?: unknown, more: AskOptions = {}) =>
  service.ask(method, path, { body, ...more })
await createUser(service, 'clerk')
await createUser(service, 'seller')
const seller = { as: 'seller@example.com' }

let branches = 0
const newBranch = async () => {
  const code = `B${++branches}`
  const { id } = (await ask('POST', '/branch', { code })).json(201)
  return { id: Number(id), code }
}
const create = async (body: object, more?: AskOptions) =>
  (await ask('POST', '/invoice', body, more)).json(201)
const proceed = (id: number, values: object, action = 'issue') =>
  ask('POST', `/invoice/${id}/proceedToStep`, { action, values })

test('a new record has the next number of its counter, in the answer and in the history', async () => {
  const [one, other] = [await newBranch(), await newBranch()]
  const first = await create({ branch_id: one.id })
  const numbers = [first.number]
  for (const { id } of [other, one]) numbers.push((await create({ branch_id: id })).number)
  assert.deepEqual(numbers, [`IN-${one.code}-01`, `IN-${other.code}-01`, `IN-${one.code}-02`])
  const [entry] = (await ask('GET', `/invoice/${first.id}/history`)).json(200).data
  assert.deepEqual(entry.changes.number, { after: first.number })
  assert.deepEqual(entry.changes.branch_id, { after: one.id })
  await pool.query(`UPDATE docket.series SET next = 100 WHERE prefix = 'IN-${one.code}-'`)
  assert.equal((await create({ branch_id: one.id })).number, `IN-${one.code}-100`)
})

test('the job of a hook has the number of a new record, as the history has it', async () => {
  const { id, number } = (await ask('POST', '/ticket', {})).json(201)
  const { rows } = await pool.query(
    `SELECT payload #>> '{changes,number,after}' AS number FROM docket.job
     WHERE kind = 'message.handle' AND (payload ->> 'entity_id')::integer = $1`,
    [id],
  )
  assert.deepEqual(rows, [{ number }])
})

test('lines that are written with their record have numbers that follow from its own', async () => {
  const { id, code } = await newBranch()
  const { id: invoiceId } = await create({ branch_id: id, entries: { create: [{}, {}] } })
  const { data } = (await ask('POST', '/entry/search', { $where: { invoice: invoiceId } })).json(
    200,
  )
  const numbers = data.map((entry: { number: string }) => entry.number).sort()
  assert.deepEqual(numbers, [`IN-${code}-01.1`, `IN-${code}-01.2`])
})

test('nobody writes a number', async () => {
  const branch = await newBranch()
  const { id, number } = await create({ branch_id: branch.id })
  const message = 'is a number that the service gives, and cannot be written'
  const body = { number: 'IN-1' }
  const answers = [
    await ask('POST', '/invoice', { branch_id: branch.id, ...body }),
    await ask('PATCH', `/invoice/${id}`, body),
    await ask('POST', '/invoice/bulk', { ids: [id], do: { change: body } }),
  ]
  assert.deepEqual(
    answers.map((answer) => answer.json(400).errors),
    ['number', 'number', 'do.change.number'].map((path) => [{ path, message }]),
  )
  const inForm = (await proceed(id, body)).json(400).errors
  assert.equal(inForm[0].path, 'values.number')
  assert.equal((await ask('GET', `/invoice/${id}`)).json(200).number, number)
})

test('the API says what a number follows from, as far as its caller sees that', async () => {
  const of = async (more?: AskOptions) => {
    const { data } = (await ask('GET', '/api/entities', undefined, more)).json(200)
    const { fields } = data.find(({ key }: { key: string }) => key === 'invoice')
    return fields.flatMap(({ series }: { series?: object }) => series ?? [])
  }
  const shown = [
    { format: 'IN-{branch.code}-{00}', on: 'create' },
    { format: '{0}/{branch.code}', on: { action: 'issue' } },
    { format: 'A{000}', on: { action: 'issue' } },
  ]
  assert.deepEqual(await of(), shown)
  assert.deepEqual(
    await of({ as: 'clerk@example.com' }),
    shown.map((one, at) => (at === 2 ? one : { ...one, format: null })),
  )
  const { components } = (await ask('GET', '/api/openapi.json')).json(200)
  const { invoice_create: body, invoice: record } = components.schemas
  assert.equal('number' in body.properties, false)
  assert.equal(record.properties.number.readOnly, true)
  assert.match(record.properties.number.description, /Given by the service\./)
})

test('a create that is refused takes no number, whatever refuses it', async () => {
  const branch = await newBranch()
  await create({ branch_id: branch.id, title: `of ${branch.code}` })
  const refused: readonly [body: object, status: number, more?: AskOptions][] = [
    [{ hours: 25 }, 422],
    [{ title: `of ${branch.code}` }, 409],
    [{ seller_id: 2_000_000 }, 422],
    [{ hours: 'x' }, 400],
    [{ hours: 11 }, 403, seller],
  ]
  for (const [body, status, more] of refused)
    (await ask('POST', '/invoice', { branch_id: branch.id, ...body }, more)).json(status)
  assert.equal((await create({ branch_id: branch.id })).number, `IN-${branch.code}-02`)
})

test('a request that is repeated with its key has the same number', async () => {
  const branch = await newBranch()
  const headers = { 'Idempotency-Key': `key-of-${branch.code}` }
  const first = await create({ branch_id: branch.id }, { headers })
  assert.deepEqual(await create({ branch_id: branch.id }, { headers }), first)
  assert.equal((await create({ branch_id: branch.id })).number, `IN-${branch.code}-02`)
})

test('the number of a removed record stays taken', async () => {
  const branch = await newBranch()
  const { id, number } = await create({ branch_id: branch.id })
  await ask('DELETE', `/invoice/${id}`)
  assert.notEqual((await create({ branch_id: branch.id })).number, number)
  await assert.rejects(
    pool.query('INSERT INTO records.invoice (number, branch_id) VALUES ($1, $2)', [
      number,
      branch.id,
    ]),
    { code: '23505' },
  )
  await ask('POST', `/invoice/${id}/restore`)
  assert.equal((await ask('GET', `/invoice/${id}`)).json(200).number, number)
})

test('a number that another program has written is a conflict that says what to do', async () => {
  const branch = await newBranch()
  await pool.query('INSERT INTO records.invoice (number, branch_id) VALUES ($1, $2)', [
    `IN-${branch.code}-01`,
    branch.id,
  ])
  const { errors } = (await ask('POST', '/invoice', { branch_id: branch.id })).json(409)
  assert.match(errors[0].message, /docket series --raise/)
})

describe('with an action', () => {
  test('a record gets its numbers once, of the branch that the form gives', async () => {
    const [one, other] = [await newBranch(), await newBranch()]
    const { id, issue_no } = await create({ branch_id: one.id })
    assert.equal(issue_no, null)
    const sent = { sent_on: '2026-05-04', branch_id: other.id }
    ;(await proceed(id, {})).json(422)
    const first = (await proceed(id, sent)).json(200)
    assert.equal(first.issue_no, `7/${other.code}`)
    assert.match(first.annual_no, /^A00[0-9]$/)
    const [entry] = (await ask('GET', `/invoice/${id}/history`)).json(200).data
    assert.deepEqual(entry.changes.issue_no, { before: null, after: `7/${other.code}` })
    ;(await proceed(id, {}, 'back')).json(200)
    const again = (await proceed(id, { sent_on: '2026-05-05', branch_id: one.id })).json(200)
    assert.deepEqual([again.issue_no, again.annual_no], [first.issue_no, first.annual_no])
  })

  test('many records at once have consecutive numbers; a refused one and a trial take none', async () => {
    const [one, other] = [await newBranch(), await newBranch()]
    const ids: number[] = []
    for (const { id } of [other, one, other]) ids.push((await create({ branch_id: id })).id)
    const [first = 0] = ids
    ;(await proceed(first, { sent_on: '2026-05-04' })).json(200)
    const wanted = { action: 'issue', values: { sent_on: '2026-05-04' } }
    const bulk = async (more: object) =>
      (await ask('POST', '/invoice/bulk', { ids, do: wanted, ...more })).json(200).counts
    assert.deepEqual(await bulk({ dryRun: true }), { done: 2, unchanged: 0, refused: 1 })
    assert.deepEqual(await bulk({}), { done: 2, unchanged: 0, refused: 1 })
    const { data } = (await ask('POST', '/invoice/search', { $where: { id: { $in: ids } } })).json(
      200,
    )
    assert.deepEqual(
      data.map((row: { issue_no: string }) => row.issue_no).sort(),
      [`7/${one.code}`, `7/${other.code}`, `8/${other.code}`].sort(),
    )
  })

  test('writers of many records in opposite orders do not wait for each other', async () => {
    const own = [await newBranch(), await newBranch()]
    const idsOf = async (order: typeof own) => {
      const ids: number[] = []
      for (const { id } of [...order, ...order, ...order])
        ids.push((await create({ branch_id: id })).id)
      return ids
    }
    const lists = [await idsOf(own), await idsOf(own.toReversed()), await idsOf(own)]
    const wanted = { action: 'issue', values: { sent_on: '2026-05-04' } }
    const answers = await Promise.all(
      lists.map((ids) => ask('POST', '/invoice/bulk', { ids, do: wanted })),
    )
    for (const answer of answers) assert.equal(answer.json(200).counts.done, 6)
  })

  test('new records of many requests in opposite orders have consecutive numbers, in the order of their bodies', async () => {
    const own = [await newBranch(), await newBranch()]
    const bodyOf = (order: typeof own) =>
      [...order, ...order, ...order].map(({ id }) => ({ branch_id: id }))
    const answers = await Promise.all(
      [own, own.toReversed(), own].map((order) =>
        ask('POST', '/invoice/bulk', { create: bodyOf(order) }),
      ),
    )
    for (const answer of answers) assert.equal(answer.json(200).counts.done, 6)
    const slips = Array.from({ length: 30 }, (_, hours) => ({ hours }))
    ;(await ask('POST', '/slip/bulk', { create: slips })).json(200)
    const numbers = await pool.query(
      "SELECT string_agg(number, ' ' ORDER BY hours) AS all FROM records.slip WHERE hours < 30",
    )
    const [first = 0, ...others] = numbers.rows[0].all
      .split(' ')
      .map((one: string) => Number(one.slice(2)))
    assert.deepEqual(
      others,
      slips.slice(1).map((_, at) => first + at + 1),
    )
    const invoices = await pool.query({
      text: 'SELECT number FROM records.invoice WHERE branch_id = $1 ORDER BY number',
      values: [own[0]?.id],
    })
    assert.deepEqual(
      invoices.rows.map(({ number }) => number),
      Array.from({ length: 9 }, (_, at) => `IN-${own[0]?.code}-0${at + 1}`),
    )
  })
})

test('dates are those of the zone of the project, at the moment of the record', async () => {
  const { column, series } =
    ['number'].flatMap((name) => {
      const found = getEntity(service.project.catalog, 'ticket').columnsByName.get(name)
      return found?.series ? [{ column: found, series: found.series }] : []
    })[0] ?? assert.fail()
  const at = async (moment: string, timeZone = 'Europe/Zagreb') => {
    const clock = timestamp(moment)
    const { prefix } = counterOf(series, {
      timeZone,
      linkOf: () => raw('NULL'),
      clock,
    })
    return (await queryRow<{ prefix: string }>(pool, sql`SELECT ${prefix} AS prefix`))?.prefix
  }
  assert.equal(await at('2026-12-31T22:59:59Z'), 'T2026-')
  assert.equal(await at('2026-12-31T23:00:00Z'), 'T2027-')
  assert.equal(await at('2027-01-01T04:59:59Z', 'America/New_York'), 'T2026-')
  assert.equal(await at('2027-01-01T05:00:00Z', 'America/New_York'), 'T2027-')
  const next = async (moment: string) => {
    const source = { timeZone: 'UTC', linkOf: () => raw('NULL'), clock: timestamp(moment) }
    const number = nextNumber({ entity: { key: 'moved' }, column, series }, source)
    return (await queryRow<{ number: string }>(pool, sql`SELECT ${number} AS number`))?.number
  }
  const years = ['2026', '2026', '2027', '2026', '2027']
  const numbers: unknown[] = []
  for (const year of years) numbers.push(await next(`${year}-06-01T00:00:00Z`))
  assert.deepEqual(numbers, ['T2026-1', 'T2026-2', 'T2027-1', 'T2026-3', 'T2027-2'])
})

const digitsOf = async (entity: string) => {
  const { rows } = await pool.query<{ number: number }>(
    `SELECT substring(number FROM '[0-9]+$')::integer AS number FROM records.${entity} ORDER BY 1`,
  )
  return rows.map(({ number }) => number)
}

test('64 writers of one counter leave no gap, though transactions are rolled back and connections are killed', async () => {
  await pool.query(`ALTER TABLE records.slip ADD CHECK (hours < 24) NOT VALID`)
  let isDone = false
  const killing = (async () => {
    for (let kills = 0; kills < 10 && !isDone; kills++) {
      await pool.query(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()
          AND query LIKE '%docket.next_number%'
        ORDER BY random() LIMIT 1`)
      await delay(20)
    }
  })()
  const writer = async (_: unknown, at: number) => {
    for (let made = 0; made < 8; made++) {
      const hours = (at + made) % 5 === 0 ? 30 : 8
      const { status } = await ask('POST', '/slip', { hours })
      // One whose connection was killed; a busy machine may also let some wait too long.
      if (hours < 24 && status !== 201)
        await until(
          'it is written',
          async () => (await ask('POST', '/slip', { hours })).status === 201,
        )
    }
  }
  await Promise.all(Array.from({ length: 64 }, writer))
  isDone = true
  await killing
  const numbers = await digitsOf('slip')
  assert.ok(numbers.length >= 410, String(numbers.length))
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => at + 1),
  )
})

test('without "gapFree" writers do not wait for each other, and no number is given twice', async () => {
  const take = `SELECT docket.next_number('ticket', 'number', 'T', '', 1, 1, false) AS number`
  const taken = async (on: Queryable) => (await on.query<{ number: string }>(take)).rows[0]?.number
  assert.equal(await taken(pool), 'T1')
  const others = await transaction(pool, async (connection) => [
    await taken(connection),
    await taken(pool),
  ])
  assert.deepEqual(others, ['T2', 'T3'])
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask('POST', '/ticket', {})))
  const numbers = answers.map((answer) => answer.json(201).number)
  assert.equal(new Set(numbers).size, 100)
})

test('without "gapFree" records of a set have numbers of their own, and a link that is refused takes none', async () => {
  for (const [key, print] of [
    ['label', (code: string, digits: string) => `${code}-L-${digits}`],
    ['tag', (code: string, digits: string) => `${digits}/${code}`],
  ] as const) {
    const { id, code } = await newBranch()
    const body = { branch_id: id }
    const numberOfNext = async () => (await ask('POST', `/${key}`, body)).json(201).number
    assert.equal(await numberOfNext(), print(code, '001'))
    ;(await ask('POST', `/${key}`, { ...body, seller_id: 2_000_000 })).json(422)
    ;(await ask('POST', `/${key}/bulk`, { create: [body, body, body] })).json(200)
    assert.equal(await numberOfNext(), print(code, '005'))
    const { rows } = await pool.query(`SELECT number FROM records.${key} ORDER BY number`)
    assert.deepEqual(
      rows.map(({ number }) => number),
      ['001', '002', '003', '004', '005'].map((digits) => print(code, digits)),
    )
  }
})
