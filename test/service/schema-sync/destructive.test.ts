/** Schema changes that could lose data or fail on existing records: rejected unless allowed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition, FieldOf } from '../../../src/definitions/field-types.ts'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { planSync } from '../../../src/schema-sync/sync-schema.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import { assertRejected, database, define, insert, rows, shareSchema, sync } from './a-schema.ts'

shareSchema()

type Rejected = {
  readonly name: string
  readonly before: readonly FieldDefinition[]
  /** Records, as values of an INSERT. */
  readonly records: string
  readonly desired: FieldDefinition
  /** Of the message, with and without permission. */
  readonly texts: readonly string[]
  /** What the message says to a user who has permission. */
  readonly advice?: string
  /** Without permission another message comes first. */
  readonly textsWithoutPermission?: readonly string[]
  /** SQL after which the definitions are accepted. */
  readonly remedy?: string
}

const code: FieldDefinition = { key: 'code', type: 'string' }
const supplier: EntityDefinition = { key: 'supplier', fields: [] }

const rejected: readonly Rejected[] = [
  {
    name: 'a required field without a default is rejected until the table is empty',
    before: [],
    records: 'DEFAULT VALUES',
    desired: { ...code, required: true },
    texts: ['but 1 record exists', 'ALTER TABLE "records"."item" ADD COLUMN "code" text NOT NULL;'],
    advice: 'give the field a default',
    remedy: 'DELETE FROM records.item',
  },
  {
    name: 'a type that existing values do not fit is rejected with the number of values',
    before: [code],
    records: `(code) VALUES ('abc'), ('1'), ('99999999999'), (NULL)`,
    desired: { key: 'code', type: 'integer' },
    texts: [
      'item.code changes from text to integer, but 2 values do not fit, for example in the records 1 and 3; make the values fit first',
    ],
  },
  {
    name: 'a conversion that PostgreSQL does not support is rejected with the message of PostgreSQL',
    before: [{ key: 'code', type: 'boolean' }],
    records: 'DEFAULT VALUES',
    desired: { key: 'code', type: 'date' },
    textsWithoutPermission: ['values could be cut or rejected'],
    texts: ['PostgreSQL refused a change (cannot cast type boolean to date)'],
  },
  {
    name: 'a field with null values cannot become required without a default',
    before: [code],
    records: '(code) VALUES (NULL), (NULL)',
    desired: { ...code, required: true },
    textsWithoutPermission: ['2 records have no value', 'SET NOT NULL'],
    texts: ['fill the records, or give the field a default first'],
  },
  {
    name: 'duplicates block a unique field; the message names values and records',
    before: [code],
    records: `(code) VALUES ('A1'), ('other'), ('A1'), ('A1')`,
    desired: { ...code, unique: true },
    texts: [
      'code of item is unique now, but 1 value occurs more than once, for example "A1" in the records 1 and 3',
    ],
    advice: 'make the values unique (this statement finds them) first',
  },
  {
    name: 'a new unique field with a default is rejected when more than one record exists',
    before: [],
    records: '(_is_deleted) VALUES (false), (false)',
    desired: { ...code, unique: true, default: 'x' },
    texts: ['1 value occurs more than once', '1 and 2'],
  },
  {
    name: 'null values that the default would replace count as duplicates',
    before: [code],
    records: '(code) VALUES (NULL), (NULL)',
    desired: { ...code, unique: true, required: true, default: 'x' },
    textsWithoutPermission: [],
    texts: ['1 value occurs more than once'],
  },
  {
    name: 'a number becomes an enum once every record holds one of its values',
    before: [{ key: 'floor', type: 'integer' }],
    records: '(floor) VALUES (0), (3), (NULL)',
    desired: { key: 'floor', type: 'enum', values: ['0', '1'] },
    texts: ['1 record of item holds the floor "3", which its field no longer has'],
    advice: 'add the value, add',
    remedy: 'UPDATE records.item SET floor = 1 WHERE floor = 3',
  },
  {
    name: 'a link is rejected while records reference a record that does not exist',
    before: [{ key: 'supplier_id', type: 'integer' }],
    records: '(supplier_id) VALUES (7)',
    desired: { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    texts: ['item.supplier_id links to supplier now, but 1 record names one that does not exist'],
    advice: 'correct or clear those links first',
    remedy: 'INSERT INTO records.supplier (id) VALUES (7)',
  },
]
for (const { name, before, records, desired, remedy, advice = '', ...one } of rejected)
  test(name, async () => {
    await define(anItem(...before), supplier)
    await insert(records)
    const definitions = [anItem(desired), supplier]
    await assertRejected({ definitions }, ...(one.textsWithoutPermission ?? one.texts))
    await assertRejected({ definitions, allowDestructive: true }, ...one.texts, advice)
    await assert.rejects(sync({ definitions }), (error: Error) => !error.message.includes('secret'))
    if (remedy === undefined) return
    await database.pool.query(remedy)
    await define(...definitions)
  })

const unique = { key: 'code', type: 'string', unique: true } as const
const placed = (...fields: FieldDefinition[]): EntityDefinition => ({
  ...anItem(...fields),
  indexes: [{ fields: ['place', 'code'], unique: true }],
})
const place = { key: 'place', type: 'string' } as const
const urgency = (...values: FieldOf<'enum'>['values']) =>
  ({ key: 'code', type: 'enum', values, required: true, default: 'low' }) as const
const merged = { ...urgency('low', 'high'), earlierValues: { high: ['asap'] } }

/** What records hold after a change, which `unique` rejects. */
const repeating: readonly [
  change: string,
  before: EntityDefinition,
  records: string,
  desired: EntityDefinition,
  text: string,
][] = [
  [
    'another type',
    anItem(unique),
    `(code) VALUES ('1'), ('2'), ('01')`,
    anItem({ ...unique, type: 'integer' }),
    'code of item is unique, but 1 value occurs more than once after the other changes, for example "1" in the records 1 and 3',
  ],
  [
    'rounding',
    anItem({ key: 'code', type: 'decimal', precision: 8, scale: 2 }),
    '(code) VALUES (1.1), (1.2), (7.5), (7.6)',
    anItem({ key: 'code', type: 'integer', unique: true }),
    'code of item is unique now, but 2 values occur more than once, for example "1" in the records 1 and 2; "8" in the records 3 and 4',
  ],
  [
    'the default of a required field',
    placed(place, code),
    `(place, code) VALUES ('a', NULL), ('a', 'x')`,
    placed(place, { ...code, required: true, default: 'x' }),
    'place, code of item is unique, but 1 value occurs more than once after the other changes, for example "a", "x" in the records 1 and 2',
  ],
  [
    'merged values of an enum',
    placed(place, urgency('low', 'asap', 'high')),
    `(place, code) VALUES ('a', 'asap'), ('a', 'high')`,
    placed(place, merged),
    'for example "a", "high" in the records 1 and 2',
  ],
  [
    'a new combination',
    anItem(place, code),
    `(place, code) VALUES ('a', 'x'), ('a', 'x'), ('a', NULL), ('a', NULL)`,
    placed(place, code),
    'place, code of item is unique now, but 1 value occurs more than once, for example "a", "x" in the records 1 and 2',
  ],
  [
    'a rule without case',
    anItem(unique),
    "(code) VALUES ('\u00C4b1'), ('c'), ('\u00E4B1')",
    anItem({ ...unique, unique: 'ignoreCase' }),
    'code of item is unique now, whatever the case, but 1 value occurs more than once, for example "\u00E4b1" in the records 1 and 3',
  ],
  [
    'a rule for which missing values are the same',
    placed(place, code),
    "(place, code) VALUES ('a', NULL), ('b', NULL), ('a', NULL)",
    {
      ...anItem(place, code),
      indexes: [{ fields: ['place', 'code'], unique: true, nullsNotDistinct: true }],
    },
    'place, code of item is unique now, but 1 value occurs more than once, for example "a", null in the records 1 and 3',
  ],
]
for (const [change, before, records, desired, text] of repeating)
  test(`values that are equal after ${change} are named before it, and found by the statement`, async () => {
    await define(before)
    await insert(records)
    await assertRejected({ definitions: [desired], allowDestructive: true }, text)
    const plan = await planSync({ pool: database.pool, catalog: aCatalog(desired) })
    const [found] = plan.filter(({ first }) => first?.startsWith('make the values unique'))
    assert.ok((await rows(found?.sql ?? '')).length > 0)
  })

test('everything that records break is named at once', async () => {
  await define(anItem(place, code, { key: 'size', type: 'string' }))
  await insert(`(place, code, size) VALUES ('a', 'x', '1'), ('a', NULL, 'large')`)
  await assertRejected(
    {
      definitions: [
        anItem(
          { ...place, unique: true },
          { ...code, required: true },
          { key: 'size', type: 'enum', values: ['1'] },
        ),
      ],
    },
    'place of item is unique now, but 1 value occurs more than once, for example "a"',
    'item.code is required now, but 1 record has no value',
    '1 record of item holds the size "large"',
  )
})

for (const [before, value, desired, rule] of [
  [{ type: 'integer' }, '12345', { type: 'string', maxLength: 3 }, 'at most 3 characters'],
  [{ type: 'integer' }, '7', { type: 'bigint', min: 8 }, 'at least 8'],
  [{ type: 'string' }, `'7'`, { type: 'integer', min: 8 }, 'at least 8'],
] as const)
  test(`${before.type} to ${desired.type} is compared with the new rule ${rule} at once`, async () => {
    await define(anItem({ key: 'code', ...before }))
    await insert(`(code) VALUES (${value})`)
    const { left } = await define(anItem({ key: 'code', ...desired }))
    assert.match(left.join(), /1 record of item holds a code that its field rejects now/)
    assert.ok(left.join().includes(rule), left.join())
  })

test('there and back again needs no permission where every value fits, and drops nothing else', async () => {
  const year = { key: 'year', type: 'integer' } as const
  await define(anItem(year))
  await insert('(year) VALUES (1998)')
  await define(anItem({ key: 'year', type: 'string' }, { key: 'category', type: 'string' }))
  await database.pool.query(`UPDATE records.item SET category = 'old'`)
  const { statements, left } = await define(anItem(year))
  assert.ok(
    statements.some((sql) => sql.includes('TYPE integer')),
    statements.join(),
  )
  assert.deepEqual(left, ['no field is left for it: item.category with its values'])
  assert.deepEqual(await rows('SELECT year, category FROM records.item'), [
    { year: 1998, category: 'old' },
  ])
  await insert(`(year, category) VALUES (1, 'new')`)
  const permitted = await sync({ definitions: [anItem(year)], allowDestructive: true })
  assert.deepEqual(permitted.statements, [])
  const dropped = await sync({ definitions: [anItem(year)], dropKept: true })
  assert.deepEqual(dropped.statements, ['ALTER TABLE "records"."item" DROP COLUMN "category"'])
})

test('the message says how many values would be rounded, cut or rejected', async () => {
  await define(
    anItem(
      { key: 'price', type: 'decimal', precision: 8, scale: 2 },
      { key: 'size', type: 'decimal' },
      { key: 'at', type: 'timestamp' },
      { key: 'text', type: 'string' },
    ),
  )
  await insert(`(price, size, at, text) VALUES
    (1.50, 1, '2026-01-01T23:00:00Z', '1.25'), (1.25, 2.5, '2026-01-01T12:00:00Z', '1'), (NULL, 3000000000, NULL, NULL)`)
  const narrowed = (scale: number, text: string) => [
    anItem(
      { key: 'price', type: 'decimal', precision: 8, scale: 1 },
      text === 'rejected' ? { key: 'size', type: 'integer' } : { key: 'size', type: 'bigint' },
      { key: 'at', type: 'date' },
      { key: 'text', type: 'decimal', precision: 4, scale },
    ),
  ]
  await assertRejected(
    { definitions: narrowed(1, 'rejected'), timeZone: 'Europe/Berlin' },
    'item.price changes from numeric(8,2) to numeric(8,1): 1 value would be rounded or cut, for example in the record 2',
    'item.size changes from numeric to integer, but 1 value does not fit, for example in the record 3',
    'item.at changes from timestamp(3) with time zone to date: 1 value would be rounded or cut, for example in the record 2',
    'item.text changes from text to numeric(4,1): 1 value would be rounded or cut, for example in the record 1',
  )
  const definitions = narrowed(2, 'cut')
  await assertRejected(
    { definitions, timeZone: 'Europe/Berlin' },
    'item.size changes from numeric to bigint: 1 value would be rounded or cut',
  )
  await sync({ definitions, timeZone: 'Europe/Berlin', allowDestructive: true })
  assert.deepEqual(await rows('SELECT price, size, at FROM records.item ORDER BY id'), [
    { price: '1.5', size: 1, at: '2026-01-02' },
    { price: '1.3', size: 3, at: '2026-01-01' },
    { price: null, size: 3000000000, at: null },
  ])
})

test('tables without a definition are kept, and dropped when allowed, also when they link to each other', async () => {
  await define(
    anItem(),
    { key: 'a', fields: [{ key: 'b', type: 'manyToOne', entity: 'b' }] },
    { key: 'b', fields: [{ key: 'a', type: 'manyToOne', entity: 'a' }] },
  )
  await database.pool.query('INSERT INTO records.a DEFAULT VALUES')
  const definitions = [anItem()]
  const plain = await sync({ definitions })
  assert.deepEqual(plain.left, ['no definition is left for a with 1 record, b with 0 records'])
  assert.equal((await rows('SELECT FROM records.a')).length, 1)
  const dropped = await sync({ definitions, dropKept: true })
  assert.deepEqual(dropped.statements, ['DROP TABLE "records"."a", "records"."b"'])
})

test('a table is dropped while the table that linked to it stays', async () => {
  await define(anItem({ key: 'a', type: 'manyToOne', entity: 'a' }), { key: 'a', fields: [] })
  const { statements } = await sync({ definitions: [anItem()], dropKept: true })
  assert.deepEqual(statements, [
    'ALTER TABLE "records"."item" DROP COLUMN "a_id"',
    'DROP TABLE "records"."a"',
  ])
})

test('a table that other database objects depend on is not dropped', async () => {
  await define(anItem(), { key: 'a', fields: [] })
  await database.pool.query('CREATE VIEW public.report AS SELECT id FROM records.a')
  await assertRejected({ definitions: [anItem()], dropKept: true }, 'PostgreSQL refused a change')
  await database.pool.query('DROP VIEW public.report')
})

test('columns of ownership and workflow are added without permission and dropped when allowed', async () => {
  await define(anItem())
  await insert('DEFAULT VALUES')
  const workflow = { initialStep: 'draft', steps: [{ key: 'draft' }] }
  await define({ ...anItem(), ownership: true, workflow })
  assert.deepEqual(await rows('SELECT _owned_by, _step FROM records.item'), [
    { _owned_by: null, _step: 'draft' },
  ])
  const { left } = await define(anItem())
  assert.deepEqual(left, [
    'records have no owner any more: item._owned_by with its values',
    'records have no workflow any more: item._step with its values',
  ])
  const { statements } = await sync({ definitions: [anItem()], dropKept: true })
  assert.equal(statements.length, 2)
})
