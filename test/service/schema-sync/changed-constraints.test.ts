/** Constraints that existing records violate: lost enum values are rejected, other violations are reported once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planSync } from '../../../src/schema-sync/sync-schema.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import { assertRejected, database, define, insert, rows, shareSchema, sync } from './a-schema.ts'

shareSchema()

const priority = (...values: string[]) => anItem({ key: 'priority', type: 'enum', values })

test('an enum value in use cannot be removed; the message has the number of records and SQL that changes them', async () => {
  await define(priority('low', 'normal', 'urgent'))
  await insert(`(priority) SELECT 'low' FROM generate_series(1, 3)`)
  await insert(`(priority, _is_deleted) VALUES ('urgent', true), ('normal', false)`)
  const definitions = [priority('normal', 'slow')]
  const texts = [
    '3 records of item hold the priority "low", which its field no longer has; add the value again, add { "value": …, "was": "low" } for the value that replaced it, or change the records with this statement first',
    `UPDATE "records"."item" SET "priority" = 'slow'::text, _version = _version + 1 WHERE "priority" = 'low'::text;`,
  ]
  await assertRejected({ definitions }, ...texts)
  await assertRejected({ definitions, allowDestructive: true }, ...texts)
  for (const { kind, sql } of await planSync({
    pool: database.pool,
    catalog: aCatalog(...definitions),
  }))
    if (kind === 'blocked') await database.pool.query(sql)
  assert.deepEqual((await sync({ definitions })).left, [])
})

test('going back to earlier enum values is reported but not rejected', async () => {
  await define(priority('low'))
  await define(priority('low', 'high'))
  await insert(`(priority) VALUES ('high')`)
  const { left } = await define(priority('low'))
  assert.deepEqual(left, [
    '1 record of item holds the priority "high", which its field no longer has',
  ])
  assert.deepEqual((await define(priority('low'))).left, [])
  assert.deepEqual((await define(priority('low', 'high'))).left, [])
})

test('values of a text that becomes an enum are checked, and the message names the first twenty', async () => {
  await define(anItem({ key: 'priority', type: 'string' }))
  await insert(`(priority) SELECT 'w' || n FROM generate_series(1, 30) n`)
  await assertRejected(
    { definitions: [priority('w1')] },
    'records of item hold other values of priority',
    'GROUP BY 1 ORDER BY 2 DESC;',
  )
})

test('stricter constraints are reported once with counts, examples and SQL that finds the records', async () => {
  await define(
    anItem(
      { key: 'name', type: 'string' },
      { key: 'code', type: 'string' },
      { key: 'mail', type: 'string' },
      { key: 'size', type: 'integer' },
      { key: 'price', type: 'decimal' },
      { key: 'day', type: 'date' },
    ),
  )
  await insert(`(name, code, mail, size, price, day) VALUES
    ('long name', 'A1', 'a@example.com', 5, 1.5, '2026-01-01'),
    ('x', 'b', 'nobody', 50, 20, '2020-01-01'),
    ('', 'c', 'none', 500, 30, NULL)`)
  const definitions = [
    anItem(
      { key: 'name', type: 'string', maxLength: 5, required: true },
      { key: 'code', type: 'string', pattern: '[A-Z]\\d' },
      { key: 'mail', type: 'email' },
      { key: 'size', type: 'integer', min: 10, max: 100 },
      { key: 'price', type: 'decimal', max: '10.00' },
      { key: 'day', type: 'date', min: '2025-01-01' },
    ),
  ]
  const plan = await planSync({ pool: database.pool, catalog: aCatalog(...definitions) })
  const found = []
  for (const { kind, sql } of plan)
    if (kind === 'warning') found.push((await rows(sql)).map(({ id }) => id).join())
  assert.deepEqual(found, ['1,3', '2,3', '2,3', '1,3', '2,3', '2'])
  const { left } = await sync({ definitions })
  assert.deepEqual(
    left.map((reason) => reason.replace(/; nobody who changes .*/, '')),
    [
      '2 records of item hold a name that its field rejects now (not empty, at most 5 characters), for example 1 and 3',
      '2 records of item hold a code that its field rejects now (at most 255 characters, matching the pattern [A-Z]\\d), for example 2 and 3',
      '2 records of item hold a mail that its field rejects now (at most 254 characters, an e-mail address), for example 2 and 3',
      '2 records of item hold a size that its field rejects now (at least 10, at most 100), for example 1 and 3',
      '2 records of item hold a price that its field rejects now (at most 10.00), for example 2 and 3',
      '1 record of item holds a day that its field rejects now (at least 2025-01-01), for example 2',
    ],
  )
  assert.deepEqual((await sync({ definitions })).left, [])
})

test('the SQL for violations of a pattern finds the first hundred records, and the message says so', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await database.pool.query(
    `INSERT INTO records.item (code) SELECT 'a' FROM generate_series(1, 102)`,
  )
  const code = { key: 'code', type: 'string', pattern: '[b]' } as const
  const [change] = await planSync({ pool: database.pool, catalog: aCatalog(anItem(code)) })
  assert.equal((await rows(change?.sql ?? '')).length, 100)
  const [reason = ''] = (await sync({ definitions: [anItem(code)] })).left
  assert.match(reason, /^102 records of item .*; the statement finds the first 100$/)
})

test('texts that look like others are named at each start until the statement of the warning has run', async () => {
  const definition = anItem(
    { key: 'code', type: 'string', unique: true },
    { key: 'notes', type: 'text' },
    { key: 'page', type: 'url' },
  )
  await define(definition)
  await insert(`(code, notes, page) VALUES
    (U&'Cafe\\0301', U&' e\\0301', U&'https://example.com/e\\0301'),
    (U&'\\00A0a\\3000', ' b ', NULL),
    ('ok', U&'\\00E9', NULL)`)
  // As after a version that kept texts as they were given.
  await database.pool.query('DELETE FROM docket.compared_rule; DELETE FROM docket.synced_schema')
  const expected = [
    [2, 'code', '1 and 2'],
    [1, 'notes', '1'],
  ].map(
    ([count, name, ids]) =>
      `${count} ${count === 1 ? 'record of item holds' : 'records of item hold'} a ${name} that looks like another text, for example ${ids}: its characters are not composed (NFC), or it has blanks at an end; conditions and unique fields do not find ${count === 1 ? 'it' : 'them'} until this statement has run`,
  )
  for (const _start of [1, 2]) assert.deepEqual((await define(definition)).left, expected)
  const plan = await planSync({ pool: database.pool, catalog: aCatalog(definition) })
  for (const { sql } of plan) await database.pool.query(sql)
  assert.deepEqual((await define(definition)).left, [])
  assert.deepEqual(await rows('SELECT code, notes, _version FROM records.item ORDER BY id'), [
    { code: 'Caf\u00E9', notes: ' \u00E9', _version: 3 },
    { code: 'a', notes: ' b ', _version: 2 },
    { code: 'ok', notes: '\u00E9', _version: 1 },
  ])
})

test('an empty text does not violate a required field whose default is empty', async () => {
  const name = { key: 'name', type: 'string', required: true, default: '' } as const
  await define(anItem({ ...name, required: false }))
  await insert(`DEFAULT VALUES`)
  assert.deepEqual((await define(anItem(name))).left, [])
})

test('a check that runs out of time does not block the sync and is repeated by the next one', async () => {
  await define(anItem({ key: 'name', type: 'string' }))
  await insert(`(name) VALUES ('long name')`)
  const definitions = [anItem({ key: 'name', type: 'string', maxLength: 5 })]
  const { left } = await sync({ definitions, compareMs: 0 })
  assert.deepEqual(left, [
    'the records of item could not be compared with the new rule of name within 0 s; "docket migrate" has no time limit for it',
  ])
  assert.equal((await sync({ definitions })).left.length, 1)
  assert.deepEqual((await sync({ definitions })).left, [])
})

const mail = (lowercase: boolean) =>
  anItem({ key: 'mail', type: 'email', unique: true, ...(lowercase && { lowercase }) })

test('a field that is kept in lower case from now on has its values changed', async () => {
  await define(mail(false))
  await insert(`(mail, _is_deleted) VALUES ('Anna@example.com', false), ('bob@example.com', false),
    ('ANNA@example.com', true)`)
  assert.deepEqual((await define(mail(true))).left, [])
  assert.deepEqual(
    (await rows('SELECT mail FROM records.item ORDER BY id')).map((row) => row.mail),
    ['anna@example.com', 'bob@example.com', 'anna@example.com'],
  )
})

test('records that differ in case alone block it, and each of them is named', async () => {
  await define(mail(false))
  await insert(`(mail) VALUES ('Anna@example.com'), ('bob@example.com'), ('anna@example.com'),
    ('Bob@example.com'), ('eva@example.com')`)
  const definitions = [mail(true)]
  await assertRejected(
    { definitions, allowDestructive: true },
    '1 (Anna@example.com), 3 (anna@example.com); 2 (bob@example.com), 4 (Bob@example.com)',
    'give each item a value of its own',
  )
  await database.pool.query(`UPDATE records.item SET _is_deleted = true WHERE id IN (1, 4)`)
  assert.deepEqual((await sync({ definitions })).left, [])
})
