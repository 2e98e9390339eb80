/** Entities, fields, steps and enum values are renamed with everything that depends on them, forward and back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { keyPlaces } from '../../../src/schema-sync/renames/follow-renames.ts'
import { planSync } from '../../../src/schema-sync/sync-schema.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import { assertRejected, database, define, insert, rows, shareSchema } from './a-schema.ts'

shareSchema()

const query = (text: string) => database.pool.query(text)
const phone = { key: 'phone', type: 'string', unique: true } as const
const telephone = { key: 'telephone', type: 'string', unique: true, was: 'phone' } as const
const country: EntityDefinition = { key: 'country', fields: [] }

const addHistory = (entityKey: string, changes: object, taskId?: number) =>
  database.pool.query(
    `INSERT INTO docket.history (entity_key, entity_id, operation, changes, part_id, part_key)
     VALUES ($1, 1, 'change', $2, $3, 'task')`,
    [entityKey, JSON.stringify(changes), taskId],
  )
const historyFields = async () =>
  (await rows('SELECT changes::text AS changes FROM docket.history ORDER BY id')).map(
    ({ changes }) => Object.keys(JSON.parse(changes)),
  )

test('a field is renamed once with its values, index and history, and a version with the earlier key renames it back', async () => {
  await define(anItem(phone))
  await insert(`(phone) VALUES ('1')`)
  await addHistory('item', { phone: { after: '1' }, other: { after: null } })
  await addHistory('item', { phone: { after: 'of a task' } }, 7)
  await addHistory('other', { phone: { after: '2' } })

  const { statements, left } = await define(anItem(telephone))
  assert.deepEqual(statements.slice(0, 2), [
    'ALTER TABLE "records"."item" RENAME COLUMN "phone" TO "telephone"',
    'ALTER INDEX "records"."item.phone.key" RENAME TO "item.telephone.key"',
  ])
  assert.deepEqual(left, [])
  assert.deepEqual(await rows('SELECT telephone FROM records.item'), [{ telephone: '1' }])
  assert.deepEqual(await historyFields(), [['telephone', 'other'], ['phone'], ['phone']])
  assert.deepEqual((await define(anItem(telephone))).statements, [])

  await define(anItem(phone))
  assert.deepEqual(await rows('SELECT phone FROM records.item'), [{ phone: '1' }])
  assert.deepEqual(await historyFields(), [['phone', 'other'], ['phone'], ['phone']])
  await assert.rejects(insert(`(phone) VALUES ('1')`), { constraint: 'item.phone.key' })

  await define(anItem({ ...telephone, key: 'mobile', was: ['telephone', 'phone'] }))
  assert.deepEqual(await rows('SELECT mobile FROM records.item'), [{ mobile: '1' }])
})

test('changes in queued jobs get the new names of entity and field, and the earlier names when renamed back', async () => {
  const add = (payload: object) =>
    database.pool.query(`SELECT FROM docket.add_job('message.handle', $1::json)`, [
      JSON.stringify(payload),
    ])
  const changes = (name: string) => ({ [name]: { before: '1', after: '2' }, id: { after: 1 } })
  await define(anItem(phone))
  await insert(`(phone) VALUES ('1')`)
  await add({ entity_key: 'item', handler: 'h', changes: changes('phone') })
  await add({ entity_key: 'other', handler: 'h', changes: changes('phone') })
  await add({ entity_key: 'item', operation: 'create' })
  const queuedChanges = async () =>
    (await rows('SELECT payload FROM docket.job ORDER BY id')).map(
      ({ payload }) => (typeof payload === 'string' ? JSON.parse(payload) : payload).changes,
    )

  const renamed = { ...anItem(telephone), key: 'thing', was: 'item' }
  await define(renamed)
  assert.deepEqual(await queuedChanges(), [changes('telephone'), changes('phone'), undefined])
  assert.deepEqual((await define(renamed)).statements, [])
  await define(anItem(phone))
  assert.deepEqual(await queuedChanges(), [changes('phone'), changes('phone'), undefined])
  assert.deepEqual(await rows('SELECT phone FROM records.item'), [{ phone: '1' }])
})

test('a link is renamed with its index and its foreign key', async () => {
  const link = (key: string, more: object = {}) =>
    anItem({ key, type: 'manyToOne', entity: 'country', ...more })
  await define(link('home'), country)
  const { statements } = await define(link('origin', { was: 'home' }), country)
  assert.deepEqual(statements.slice(0, 3), [
    'ALTER TABLE "records"."item" RENAME COLUMN "home_id" TO "origin_id"',
    'ALTER INDEX "records"."item.home_id.idx" RENAME TO "item.origin_id.idx"',
    'ALTER TABLE "records"."item" RENAME CONSTRAINT "item.home_id.fkey" TO "item.origin_id.fkey"',
  ])
  assert.deepEqual((await define(link('origin', { was: 'home' }), country)).statements, [])
})

test('an entity is renamed with its records and everything that depends on it, and back', async () => {
  const customer = (key: string, more: object = {}): EntityDefinition => ({
    key,
    fields: [{ key: 'name', type: 'string', unique: true }],
    ...more,
  })
  const orderOf = (entity: string): EntityDefinition => ({
    key: 'order',
    fields: [{ key: 'buyer', type: 'manyToOne', entity }],
  })
  const task: EntityDefinition = { key: 'task', fields: [{ key: 'key', type: 'string' }] }
  const others = [task]
  await define(customer('customer'), orderOf('customer'), ...others)
  await query(`INSERT INTO records.customer (name) VALUES ('a')`)
  await query(`INSERT INTO records."order" (buyer_id) VALUES (1)`)
  await query(`INSERT INTO records.task (key) VALUES ('customer')`)
  await addHistory('customer', { name: { after: 'a' } })
  await query(`INSERT INTO docket.task_link VALUES (1, 'customer', 1), (2, 'customer', 1)`)
  await query(
    `INSERT INTO docket.delivery_choice VALUES (1, 'customer', 'create'), (1, 'client', 'create')`,
  )
  await query(`SELECT FROM docket.add_job('x', '{"entity_key":"customer","event":"e"}'::json)`)

  const client = customer('client', { was: 'customer' })
  const { statements, left } = await define(client, orderOf('client'), ...others)
  assert.deepEqual(statements.slice(0, 2), [
    'ALTER TABLE "records"."customer" RENAME TO "client"',
    'ALTER INDEX "records"."customer.name.key" RENAME TO "client.name.key"',
  ])
  assert.ok(!statements.some((sql) => /DROP|CREATE|FOREIGN KEY/.test(sql)))
  assert.deepEqual(left, [])
  const keys = () =>
    rows(`SELECT (SELECT entity_key FROM docket.history) AS history,
      (SELECT string_agg(key, ' ') FROM docket.task_link) AS links,
      (SELECT key FROM records.task) AS task,
      (SELECT payload->>'entity_key' FROM docket.job) AS job`)
  const all = (key: string) => [{ history: key, links: `${key} ${key}`, task: key, job: key }]
  assert.deepEqual(await keys(), all('client'))
  assert.deepEqual((await define(client, orderOf('client'), ...others)).statements, [])

  await define(customer('customer'), orderOf('customer'), ...others)
  assert.deepEqual(await keys(), all('customer'))
  assert.deepEqual(await rows('SELECT name FROM records.customer'), [{ name: 'a' }])
})

test('when dates are due is stored with their rule, kept when entity and field are renamed, and forgotten without it', async () => {
  const hooks = [
    { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
  ] as const
  const dated = (key: string, field: string, more: object = {}, was?: string) =>
    ({
      key,
      fields: [{ key: field, type: 'date', ...(was && { was }) }],
      hooks: [...hooks],
      notifications: [
        { operation: 'date', field, offset: '-3 days', recipient: { userFields: ['_created_by'] } },
        {
          operation: 'date',
          field,
          offset: '-3 day',
          at: '08:00',
          recipient: { userGroups: ['x'] },
        },
      ],
      ...more,
    }) as const satisfies EntityDefinition
  const schedules = () =>
    rows(`SELECT id, concat_ws(' ', entity_key, column_name, shift, at) AS schedule
      FROM docket.date_schedule`)
  await define(dated('item', 'due_on'))
  const [first] = await schedules()
  assert.equal(first.schedule, 'item due_on -3 day 08:00')
  await query(
    `INSERT INTO docket.date_notice (schedule_id, record_id, value) SELECT id, 1, '2026-01-01' FROM docket.date_schedule`,
  )
  await database.pool.query(`SELECT FROM docket.add_job('notification.send', $1::json)`, [
    JSON.stringify({ entity_key: 'item', due: { column: 'due_on' } }),
  ])
  await define(dated('item', 'ends_on', {}, 'due_on'))
  await define(dated('thing', 'ends_on', { was: 'item' }, 'due_on'))
  assert.deepEqual(await schedules(), [{ id: first.id, schedule: 'thing ends_on -3 day 08:00' }])
  assert.deepEqual(
    await rows(
      `SELECT payload->>'entity_key' AS entity, payload->'due'->>'column' AS due FROM docket.job`,
    ),
    [{ entity: 'thing', due: 'ends_on' }],
  )
  await define(dated('thing', 'ends_on', { was: 'item', notifications: [] }, 'due_on'))
  assert.deepEqual(await schedules(), [])
  assert.deepEqual(await rows('SELECT FROM docket.date_notice'), [])
})

test('renames cover every column of the schema docket that holds an entity key', async () => {
  await define(anItem())
  // A partition is written through its table.
  const columns = await rows(`SELECT c.relname AS name
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'docket'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attname = 'entity_key' ORDER BY 1`)
  assert.deepEqual(
    columns.map(({ name }) => `docket.${name}`),
    keyPlaces.flatMap(({ table, column }) => (column === 'entity_key' ? [table] : [])).sort(),
  )
})

test('files follow the field and the entity that are renamed, and no other value becomes one', async () => {
  const scan = { key: 'scan', type: 'file' } as const
  await define(anItem(scan))
  await query(`INSERT INTO docket.blob (sha256, bytes) VALUES ('a', 1)`)
  await query(`INSERT INTO docket.file (
      entity_key, entity_id, column_name, sha256, filename, mimetype, bytes, user_id
    ) VALUES ('item', 1, 'scan', 'a', 'a.png', 'image/png', 1, 1)`)
  const photos = { key: 'photos', type: 'files', was: 'scan' } as const
  await insert(`(scan) VALUES ('[{"id": 1}]')`)
  await define({ ...anItem(photos), key: 'thing', was: 'item' })
  assert.deepEqual(await rows('SELECT entity_key, column_name FROM docket.file'), [
    { entity_key: 'thing', column_name: 'photos' },
  ])
  assert.deepEqual(await rows('SELECT photos::text FROM records.thing'), [
    { photos: '[{"id": 1}]' },
  ])
  await define(anItem(scan, { key: 'note', type: 'text' }))
  await query(`UPDATE records.item SET note = '[{"id": 1}]'`)
  await assertRejected(
    { definitions: [anItem(scan, { key: 'note', type: 'file' })], allowDestructive: true },
    '1 value does not fit',
  )
})

test('a text that becomes a link, and a link that becomes a text, say how to fill the new column until it is done', async () => {
  const city: EntityDefinition = {
    key: 'city',
    displayField: 'name',
    fields: [{ key: 'name', type: 'string' }],
  }
  const asText = anItem({ key: 'city', type: 'string' })
  const asLink = anItem({ key: 'town', type: 'manyToOne', entity: 'city', was: 'city' })
  await define(asText, city)
  await query(`INSERT INTO records.city (name) VALUES ('Linz'), ('Graz')`)
  await insert(`(city) VALUES ('Graz'), ('Wien'), (NULL)`)
  const warned = async (definition: EntityDefinition) => {
    const catalog = aCatalog(definition, city)
    const find = async () =>
      (await planSync({ pool: database.pool, catalog })).find(({ reason }) =>
        reason.includes('this statement fills it'),
      )
    const planned = await find()
    const { left } = await define(definition, city)
    assert.ok(planned === undefined || left.includes(planned.reason), left.join())
    if (planned) await query(planned.sql)
    return { reason: planned?.reason, later: (await find())?.reason }
  }
  assert.deepEqual(await warned(asLink), {
    reason:
      'item.town was a text and is a link to city now: 2 records have a value in the column city, which is kept, and none in town_id; this statement fills it, where a city of that name exists',
    later:
      'item.town was a text and is a link to city now: 1 record has a value in the column city, which is kept, and none in town_id; this statement fills it, where a city of that name exists',
  })
  assert.deepEqual(await rows('SELECT town_id FROM records.item ORDER BY id'), [
    ...[{ town_id: 2 }, { town_id: null }, { town_id: null }],
  ])
  await query('ALTER TABLE records.item DROP COLUMN city')
  assert.deepEqual(await warned(anItem({ key: 'town', type: 'string' })), {
    reason:
      'item.town was a link to city and is a text now: 1 record has a value in the column town_id, which is kept, and none in town; this statement fills it, with the name of what is linked',
    later: undefined,
  })
  assert.deepEqual(await rows('SELECT town FROM records.item ORDER BY id'), [
    ...[{ town: 'Graz' }, { town: null }, { town: null }],
  ])
})

test('a rename that was interrupted is completed by the next sync', async () => {
  await define(anItem(phone))
  await addHistory('item', { phone: { after: '1' } })
  await query('ALTER TABLE docket.history RENAME TO hidden')
  await assert.rejects(define(anItem(telephone)), /earlier changes stay/)
  await query('ALTER TABLE docket.hidden RENAME TO history')
  assert.deepEqual(await historyFields(), [['phone']])
  await define(anItem(telephone))
  assert.deepEqual(await historyFields(), [['telephone']])
  assert.deepEqual((await define(anItem(telephone))).statements, [])
})

test('an empty column with the new key is replaced by the renamed one', async () => {
  await define(anItem(phone))
  await insert(`(phone) VALUES ('1'), ('2')`)
  const withoutWas = await define(anItem({ key: 'telephone', type: 'string', unique: true }))
  assert.deepEqual(withoutWas.left, [
    'no field is left for it: item.phone with its values',
    'item.telephone is new, while no field is left for phone; if it was renamed, add "was": "phone" to keep its data',
  ])
  await define(anItem(telephone))
  assert.deepEqual(await rows('SELECT telephone FROM records.item ORDER BY id'), [
    { telephone: '1' },
    { telephone: '2' },
  ])
})

test('a rename is rejected when both columns hold values or both tables exist', async () => {
  await define(anItem(phone), country)
  await insert(`(phone) VALUES ('1'), ('2')`)
  await define(anItem({ key: 'telephone', type: 'string', unique: true }), country)
  await query(`UPDATE records.item SET telephone = '3' WHERE id = 1`)
  await assertRejected(
    { definitions: [anItem(telephone), country] },
    'item.telephone was phone, but both columns hold values; remove "was", or merge the values',
  )
  const catalog = aCatalog(anItem(telephone), country)
  for (const { kind, sql } of await planSync({ pool: database.pool, catalog }))
    if (kind === 'blocked') await query(sql)
  await define(anItem(telephone), country)
  assert.deepEqual(await rows('SELECT telephone FROM records.item ORDER BY id'), [
    { telephone: '3' },
    { telephone: '2' },
  ])
  await define({ key: 'land', fields: [] }, country, anItem(telephone))
  await assertRejected(
    { definitions: [{ key: 'land', fields: [], was: 'country' }, anItem(telephone)] },
    'land was country, but both tables exist',
  )
})

test('the plan combines renames with other changes of the same table, using the current names', async () => {
  await define(anItem({ key: 'phone', type: 'string' }))
  await insert(`(phone) VALUES ('1'), ('1')`)
  await assertRejected(
    { definitions: [anItem(telephone)] },
    '1 value occurs more than once, for example "1" in the records 1 and 2',
  )
  await query(`UPDATE records.item SET phone = id::text`)
  const desired = anItem(
    { ...telephone, required: true },
    { key: 'fresh', type: 'string', indexed: true },
  )
  const catalog = aCatalog({ ...desired, key: 'thing', was: 'item' })
  const plan = await planSync({ pool: database.pool, catalog })
  assert.ok(plan.every(({ kind }) => kind === 'safe'))
  await define({ ...desired, key: 'thing', was: 'item' })
  assert.deepEqual(await rows('SELECT telephone FROM records.thing ORDER BY id'), [
    { telephone: '1' },
    { telephone: '2' },
  ])
})

test('steps and enum values are renamed once, and a version with the earlier ones renames them back', async () => {
  const itemWith = (
    step: { key: string; was?: string },
    values: string[],
    earlierValues?: Record<string, string[]>,
  ): EntityDefinition => ({
    ...anItem({ key: 'urgency', type: 'enum', values, ...(earlierValues && { earlierValues }) }),
    workflow: { initialStep: step.key, steps: [step] },
  })
  const first = itemWith({ key: 'check' }, ['low', 'high'])
  const second = itemWith({ key: 'inspection', was: 'check' }, ['usual', 'high'], {
    usual: ['low'],
  })
  const stored = () =>
    rows('SELECT _step AS s, urgency AS u, _version AS v FROM records.item ORDER BY id')
  await define(first)
  await insert(`(urgency) VALUES ('low'), ('high')`)
  await query(
    `SELECT FROM docket.add_job('x', '{"entity_key":"item","action":{"from":"check","to":"check"},"changes":{"_step":{"after":"check"},"urgency":{"before":"low","after":"high"}}}'::json)`,
  )
  await define(second)
  assert.deepEqual(await stored(), [
    { s: 'inspection', u: 'usual', v: 3 },
    { s: 'inspection', u: 'high', v: 2 },
  ])
  assert.deepEqual(
    await rows(`SELECT payload->>'action' AS a, payload->>'changes' AS c FROM docket.job`),
    [
      {
        a: '{"to": "inspection", "from": "inspection"}',
        c: '{"_step": {"after": "inspection"}, "urgency": {"after": "high", "before": "usual"}}',
      },
    ],
  )
  assert.deepEqual((await define(second)).statements, [])
  await define(first)
  const back = (await stored()).map(({ s, u }) => `${s} ${u}`)
  assert.deepEqual(back, ['check low', 'check high'])
  await define(second)
  assert.equal((await stored())[0]?.u, 'usual')
})

test('enum values named like properties of every object are compared and renamed', async () => {
  const kindField = (...values: string[]) => ({ key: 'kind', type: 'enum', values }) as const
  await define(anItem(kindField('constructor', 'a')))
  await insert(`(kind) VALUES ('constructor'), ('a')`)
  const earlierValues = { valueOf: ['a'] }
  await define(anItem({ ...kindField('constructor', 'valueOf'), earlierValues }))
  assert.deepEqual(await rows('SELECT kind FROM records.item ORDER BY id'), [
    { kind: 'constructor' },
    { kind: 'valueOf' },
  ])
})
