/** Triggers and stored values of calculated fields follow the definitions, and nothing that was entered is lost. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FieldDefinition } from '../../../src/definitions/field-types.ts'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { isSynced } from '../../../src/schema-sync/desired-schema.ts'
import { connectionOf } from '../../support/database.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import {
  assertNeedsPermission,
  assertRejected,
  database,
  define,
  insert,
  rows,
  shareSchema,
  sync,
} from './a-schema.ts'

shareSchema()

const a: FieldDefinition = { key: 'a', type: 'integer' }
const product = (formula: string): FieldDefinition => ({ key: 'c', type: 'bigint', formula })
const entered: FieldDefinition = { key: 'c', type: 'bigint' }

const functions = () =>
  rows(`SELECT proname FROM pg_proc WHERE pronamespace = 'records'::regnamespace`)
const values = () => rows('SELECT a, c FROM records.item ORDER BY id')

describe('a formula', () => {
  test('that is new is calculated in all records, and a second start changes nothing', async () => {
    await define(anItem(a))
    await insert('(a) SELECT n FROM generate_series(1, 6000) n')
    const { statements } = await define(anItem(a, product('a * 2')))
    assert.match(statements.join('\n'), /CREATE TRIGGER "item\.calc"/)
    assert.deepEqual(await rows('SELECT count(*)::integer, sum(c)::integer FROM records.item'), [
      { count: 6000, sum: 36006000 },
    ])
    assert.deepEqual((await define(anItem(a, product('a * 2')))).statements, [])
  })

  test('is calculated by the database, whatever writes', async () => {
    await define(anItem(a, product('a * 2')))
    await insert('(a, c) VALUES (1, 99), (NULL, 99)')
    await database.pool.query('UPDATE records.item SET c = 7, a = 4 WHERE a = 1')
    assert.deepEqual(await values(), [
      { a: 4, c: 8 },
      { a: null, c: null },
    ])
  })

  test('that changes is calculated again, also where another one reads it', async () => {
    const half: FieldDefinition = { key: 'd', type: 'integer', formula: 'c / 2' }
    await define(anItem(half, a, product('a * 2')))
    await insert('(a) VALUES (5)')
    await define(anItem(half, a, product('a * 4')))
    assert.deepEqual(await rows('SELECT c, d FROM records.item'), [{ c: 20, d: 10 }])
  })

  test('is calculated again if the change to another one was interrupted and put back', async () => {
    const half: FieldDefinition = { key: 'd', type: 'integer', formula: 'c / 2' }
    const definitions = (formula: string) => [anItem(a, product(formula), half)]
    await define(...definitions('a * 2'))
    await insert('(a) SELECT n FROM generate_series(1, 12000) n')
    // The second part of the records cannot be written.
    await database.pool.query(`
      CREATE FUNCTION records.interrupt() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'interrupted'; END $$;
      CREATE TRIGGER a_first BEFORE UPDATE ON records.item
        FOR EACH ROW WHEN (OLD.id > 6000) EXECUTE FUNCTION records.interrupt()`)
    await assert.rejects(define(...definitions('a * 4')), /interrupted/)
    await database.pool.query('DROP FUNCTION records.interrupt CASCADE')
    const wrong = async () =>
      (await rows('SELECT count(*)::int FROM records.item WHERE c <> a * 2 OR d <> a'))[0]
    assert.deepEqual(await wrong(), { count: 5000 })
    assert.ok((await define(...definitions('a * 2'))).statements.length > 0)
    assert.deepEqual(await wrong(), { count: 0 })
    assert.deepEqual((await define(...definitions('a * 2'))).statements, [])
  })

  test('is calculated again while a writer locks records in another order', async () => {
    await define(anItem(a, product('a * 2')))
    await insert('(a) VALUES (1), (2)')
    const writer = await connectionOf(database.pool)
    // PostgreSQL ends the transaction that has waited so long: not the writer, unless it is late.
    await writer.query(`SET deadlock_timeout = '10s'`)
    await writer.query('BEGIN; SELECT FROM records.item WHERE id = 2 FOR NO KEY UPDATE')
    const syncing = define(anItem(a, product('a * 3')))
    await untilWaitingForLock(database.pool)
    await writer
      .query('SELECT FROM records.item WHERE id = 1 FOR NO KEY UPDATE')
      .catch(() => undefined)
    await writer.query('COMMIT')
    await syncing
    assert.deepEqual(await values(), [
      { a: 1, c: 3 },
      { a: 2, c: 6 },
    ])
  })

  test('takes the place of entered values only if all of them are the same', async () => {
    await define(anItem(a, entered))
    await insert('(a, c) VALUES (1, 2), (2, NULL)')
    await define(anItem(a, product('a * 2')))
    assert.deepEqual(await values(), [
      { a: 1, c: 2 },
      { a: 2, c: 4 },
    ])
  })

  test('replaces others only with permission', async () => {
    await define(anItem(a, entered))
    await insert('(a, c) VALUES (1, 2), (3, 5)')
    const wanted = [anItem(a, product('a * 2'))]
    await assertNeedsPermission(
      wanted,
      'item.c is calculated now, and 1 record has another value, which would be replaced, for example the record 2',
    )
    assert.deepEqual(await values(), [
      { a: 1, c: 2 },
      { a: 3, c: 6 },
    ])
  })

  test('of a field that is new too replaces entered values only with permission', async () => {
    await define(anItem(entered))
    await insert('(c) VALUES (2)')
    await assertRejected(
      { definitions: [anItem(a, product('a * 2'))] },
      '1 record has another value',
    )
  })

  test('that goes leaves its values, which people enter from then on', async () => {
    await define(anItem(a, product('a * 2')))
    await insert('(a) VALUES (1)')
    await define(anItem(a, entered))
    await database.pool.query('UPDATE records.item SET a = 5, c = 3')
    assert.deepEqual(await values(), [{ a: 5, c: 3 }])
    assert.deepEqual(await functions(), [])
    assert.deepEqual((await define(anItem(a, entered))).statements, [])
  })

  test('follows renamed fields and entities', async () => {
    await define(anItem(a, product('a * 2')))
    await insert('(a) VALUES (1)')
    const fields = anItem({ key: 'b', type: 'integer', was: 'a' }, product('b * 2'))
    const renamed = { ...fields, key: 'thing', was: 'item' }
    await define(renamed)
    await database.pool.query('INSERT INTO records.thing (b) VALUES (3)')
    assert.deepEqual(await rows('SELECT b, c FROM records.thing ORDER BY b'), [
      { b: 1, c: 2 },
      { b: 3, c: 6 },
    ])
    assert.deepEqual(await functions(), [{ proname: 'thing.calc' }])
    assert.deepEqual((await define(renamed)).statements, [])
  })

  test('is calculated again when the type of what it reads changes', async () => {
    const price = (scale: number): FieldDefinition => ({
      key: 'p',
      type: 'decimal',
      precision: 10,
      scale,
    })
    const doubled: FieldDefinition = {
      key: 'c',
      type: 'decimal',
      precision: 12,
      scale: 2,
      formula: 'p * 2',
    }
    await define(anItem(price(2), doubled))
    await insert('(p) VALUES (1.26)')
    await sync({ definitions: [anItem(price(1), doubled)], allowDestructive: true })
    assert.deepEqual(await rows('SELECT p, c FROM records.item'), [{ p: '1.3', c: '2.60' }])
  })

  test('that is removed from the database by hand comes back with the next start', async () => {
    const definition = anItem(a, product('a * 2'))
    await define(definition)
    const isSame = () => isSynced(database.pool, { catalog: aCatalog(definition) })
    assert.equal(await isSame(), true)
    await database.pool.query('DROP TRIGGER "item.calc" ON records.item')
    assert.equal(await isSame(), false)
    await define(definition)
    await insert('(a) VALUES (2)')
    assert.deepEqual(await values(), [{ a: 2, c: 4 }])
  })
})

describe('a rollup', () => {
  const order = (more: FieldDefinition[]): EntityDefinition => ({
    key: 'order',
    fields: [{ key: 'lines', type: 'oneToMany', entity: 'item', mappedBy: 'order' }, ...more],
  })
  const line = anItem({ key: 'order', type: 'manyToOne', entity: 'order' }, a, product('a * 2'))
  const sum: FieldDefinition = { key: 'total', type: 'bigint', rollup: { sum: 'lines.c' } }

  test('that is new is calculated in all records, removed ones left out', async () => {
    await define(order([]), line)
    await database.pool.query('INSERT INTO records."order" SELECT FROM generate_series(1, 3)')
    await insert(
      '(order_id, a, _is_deleted) VALUES (1, 1, false), (1, 2, false), (2, 3, false), (2, 4, true)',
    )
    await define(order([sum]), line)
    const totals = () => rows('SELECT total FROM records."order" ORDER BY id')
    assert.deepEqual(await totals(), [{ total: 6 }, { total: 6 }, { total: 0 }])
    const tripled = anItem(
      { key: 'order', type: 'manyToOne', entity: 'order' },
      a,
      product('a * 3'),
    )
    await define(order([sum]), tripled)
    assert.deepEqual(await totals(), [{ total: 9 }, { total: 9 }, { total: 0 }])
    assert.deepEqual((await define(order([sum]), tripled)).statements, [])
  })

  test('that SQL by hand has made wrong is right again when all are calculated again', async () => {
    await define(order([sum]), line)
    await database.pool.query('INSERT INTO records."order" SELECT FROM generate_series(1, 2)')
    await insert('(order_id, a) VALUES (1, 1), (1, 4)')
    const definitions = [order([sum]), line]
    assert.deepEqual((await sync({ definitions })).statements, [])
    await sync({ definitions, isRecalculating: true })
    assert.deepEqual(await rows('SELECT total FROM records."order" ORDER BY id'), [
      { total: 10 },
      { total: 0 },
    ])
  })

  test('waits for those who write its parts, and counts what they have written', async () => {
    await define(order([]), line)
    await database.pool.query('INSERT INTO records."order" SELECT FROM generate_series(1, 1)')
    const writer = await connectionOf(database.pool)
    await writer.query('BEGIN')
    await writer.query('SELECT FROM records."order" WHERE id = 1 FOR NO KEY UPDATE')
    await writer.query('INSERT INTO records.item (order_id, a) VALUES (1, 7)')
    const count = { key: 'total', type: 'integer', rollup: { count: 'lines' } } as const
    const definitions = [order([count]), line]
    const syncing = sync({ definitions })
    await untilWaitingForLock(database.pool)
    await writer.query('COMMIT')
    await syncing
    assert.deepEqual(await rows('SELECT total FROM records."order"'), [{ total: 1 }])
  })
})

describe('a rollup with a condition', () => {
  const openIs = (where: object): EntityDefinition => ({
    key: 'order',
    fields: [
      { key: 'lines', type: 'oneToMany', entity: 'item', mappedBy: 'order' },
      { key: 'open', type: 'bigint', rollup: { sum: 'lines.a', where } },
    ],
  })
  const line = (status: object, ...more: FieldDefinition[]) =>
    anItem(
      { key: 'order', type: 'manyToOne', entity: 'order' },
      a,
      {
        key: 'status',
        type: 'enum',
        values: ['new', 'late', 'done'],
        ...status,
      } as FieldDefinition,
      { key: 'note', type: 'string' },
      { key: 'twice', type: 'integer', formula: 'a * 2' },
      ...more,
    )
  const open = async () => (await rows('SELECT open FROM records."order" ORDER BY id'))[0]?.open
  const begin = async (where: object, ...definitions: EntityDefinition[]) => {
    await define(openIs(where), ...definitions)
    await database.pool.query('INSERT INTO records."order" DEFAULT VALUES')
    await insert(
      `(order_id, a, status) VALUES (1, 1, 'new'), (1, 2, 'late'), (1, 4, 'done'), (1, 8, NULL)`,
    )
    await sync({ definitions: [openIs(where), ...definitions], isRecalculating: true })
  }

  test('adds what matches it, and is calculated again when the condition is another one', async () => {
    const notDone = { status: { $ne: 'done' } }
    await begin(notDone, line({}))
    assert.equal(await open(), 11)
    assert.deepEqual((await define(openIs(notDone), line({}))).statements, [])
    for (const [where, expected] of [
      [{ status: { $gt: 'new' } }, 6],
      [{ $not: { status: { $gt: 'new' } } }, 9],
      [{ $or: [{ status: null }, { a: { $lt: { $field: 'twice' } }, status: ['new'] }] }, 9],
      [{ note: { $null: true, $ne: "it's $body$ and \\" } }, 15],
    ] as const) {
      assert.ok((await define(openIs(where), line({}))).statements.length > 0)
      assert.equal(await open(), expected, JSON.stringify(where))
      assert.deepEqual((await define(openIs(where), line({}))).statements, [])
    }
  })

  test('of a long text is the same to the next start, wherever its comment is cut', async () => {
    for (const start of ['', 'x']) {
      const where = { note: `${start}${'😀'.repeat(200)}` }
      await define(openIs(where), line({}))
      assert.deepEqual((await define(openIs(where), line({}))).statements, [])
    }
  })

  test('follows the order of the choices, their renamings, and a default that fills empty fields', async () => {
    const where = { status: { $gte: 'late' } }
    await begin(where, line({}))
    assert.equal(await open(), 6)
    await define(openIs(where), line({ values: ['done', 'late', 'new'] }))
    assert.equal(await open(), 3)
    const renamed = { values: ['done', 'late'], earlierValues: { late: ['new'] } }
    await sync({ definitions: [openIs(where), line(renamed)], allowDestructive: true })
    assert.equal(await open(), 3)
    const joined = { values: ['late', 'end'], earlierValues: { late: ['done'] } }
    await sync({ definitions: [openIs(where), line(joined)], allowDestructive: true })
    assert.equal(await open(), 7)
    const filled = { ...joined, required: true, default: 'end' }
    await sync({ definitions: [openIs(where), line(filled)], allowDestructive: true })
    assert.equal(await open(), 15)
  })

  test('follows texts that are in lower case from now on', async () => {
    const where = { note: 'late' }
    await begin(where, line({}))
    await database.pool.query(`UPDATE records.item SET note = 'Late' WHERE a = 2`)
    const lower = anItem(
      ...line({}).fields.map((field) =>
        field.key === 'note' ? ({ ...field, lowercase: true } as FieldDefinition) : field,
      ),
    )
    await define(openIs(where), lower)
    assert.equal(await open(), 2)
  })

  test('compares moments with the days of the zone, and follows another zone', async () => {
    const where = { at: { $lt: '2028-06-02' } }
    const definitions = [openIs(where), line({}, { key: 'at', type: 'timestamp' })]
    await begin(where, line({}, { key: 'at', type: 'timestamp' }))
    await database.pool.query(`UPDATE records.item SET at = '2028-06-01 23:00Z' WHERE a = 2`)
    await sync({ definitions, isRecalculating: true })
    assert.equal(await open(), 2)
    await sync({ definitions, timeZone: 'Europe/Zagreb' })
    assert.equal(await open(), 0)
  })
})

test('a rollup follows a default that fills the field that it adds', async () => {
  const definitions = (rules: object) => [
    {
      key: 'order',
      fields: [
        { key: 'lines', type: 'oneToMany', entity: 'item', mappedBy: 'order' },
        { key: 'sum', type: 'bigint', rollup: { sum: 'lines.a' } },
      ],
    } satisfies EntityDefinition,
    anItem({ key: 'order', type: 'manyToOne', entity: 'order' }, { ...a, ...rules }),
  ]
  await define(...definitions({}))
  await database.pool.query('INSERT INTO records."order" DEFAULT VALUES')
  await insert('(order_id) VALUES (1)')
  const filled = definitions({ required: true, default: 5 })
  await sync({ definitions: filled, allowDestructive: true })
  assert.deepEqual(await rows('SELECT sum FROM records."order"'), [{ sum: 5 }])
})
