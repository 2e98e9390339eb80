/** Saved views follow what is renamed, forward and back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { planSync } from '../../../src/schema-sync/sync-schema.ts'
import { aCatalog } from '../../support/schema-sync/a-catalog.ts'
import { database, define, rows, shareSchema } from './a-schema.ts'

shareSchema()

test('saved views use the new names of entities, fields, links, steps and values, also along paths, and the earlier ones when renamed back', async () => {
  const views: EntityDefinition = {
    key: 'saved_view',
    fields: [
      { key: 'entity_key', type: 'string' },
      { key: 'criteria', type: 'json' },
      { key: 'columns', type: 'json' },
    ],
  }
  const definitions = (names: 'earlier' | 'later'): EntityDefinition[] => {
    const isLater = names === 'later'
    const named = (later: string, was: string) =>
      isLater ? { key: later, was } : ({ key: was } as const)
    const steps = [{ ...named('closed', 'done') }]
    return [
      {
        ...named('request', 'demand'),
        fields: [
          { ...named('cost', 'estimate'), type: 'integer' },
          { key: 'limit', type: 'integer' },
          {
            key: 'urgency',
            type: 'enum',
            values: isLater ? ['low', 'high'] : ['low', 'high', 'emergency', 'urgent'],
            ...(isLater && { earlierValues: { high: ['emergency', 'urgent'] } }),
          },
          {
            ...named('vendor', 'supplier'),
            type: 'manyToOne',
            entity: isLater ? 'company' : 'partner',
          },
        ],
        workflow: { initialStep: steps[0]?.key ?? '', steps },
      },
      { ...named('company', 'partner'), fields: [{ ...named('title', 'name'), type: 'string' }] },
      views,
    ]
  }
  const criteriaOf = (o: Record<string, string>, urgencies: string[]) => ({
    $where: {
      [`${o.estimate}`]: { $gte: 5000, $lt: { $field: 'limit' } },
      $or: [
        { urgency: { $in: urgencies } },
        { $not: { _step: o.done } },
        { limit: { $field: o.estimate } },
        { [`${o.supplier}.${o.name}`]: { $like: 'estimate%' } },
        { [`${o.supplier}_id`]: 7, gone: 'emergency' },
      ],
    },
    $search: 'estimate',
    $orderBy: [`-${o.estimate}`, `${o.supplier}.${o.name}`],
  })
  const columnsOf = (o: Record<string, string>) => [
    ...['id', `${o.estimate}`, `${o.supplier}.${o.name}`, `${o.supplier}.gone`],
  ]
  const before = { estimate: 'estimate', supplier: 'supplier', name: 'name', done: 'done' }
  const after = { estimate: 'cost', supplier: 'vendor', name: 'title', done: 'closed' }
  const add = (entity: string, criteria: object | null, columns: readonly string[] | null) =>
    database.pool.query(
      'INSERT INTO records.saved_view (entity_key, criteria, columns) VALUES ($1, $2, $3)',
      [entity, criteria && JSON.stringify(criteria), columns && JSON.stringify(columns)],
    )
  const stored = async () =>
    (await rows('SELECT entity_key, criteria, columns FROM records.saved_view ORDER BY id')).map(
      ({ entity_key, criteria, columns }) => ({
        entity_key,
        criteria: JSON.parse(criteria),
        columns: JSON.parse(columns),
      }),
    )
  await define(...definitions('earlier'))
  await add('demand', criteriaOf(before, ['emergency', 'high', 'urgent', 'low']), columnsOf(before))
  await add('demand', null, null)
  await add('other', { $where: { estimate: 1 } }, ['estimate'])
  const plan = await planSync({ pool: database.pool, catalog: aCatalog(...definitions('later')) })
  const planned = plan.map(({ reason }) => reason)
  assert.ok(
    planned.includes('the saved_view 1 of request uses the names of today'),
    planned.join('\n'),
  )
  await define(...definitions('later'))
  const others = [
    { entity_key: 'request', criteria: null, columns: null },
    { entity_key: 'other', criteria: { $where: { estimate: 1 } }, columns: ['estimate'] },
  ]
  assert.deepEqual(await stored(), [
    {
      entity_key: 'request',
      criteria: criteriaOf(after, ['high', 'low']),
      columns: columnsOf(after),
    },
    ...others,
  ])
  assert.deepEqual((await define(...definitions('later'))).statements, [])
  await define(...definitions('earlier'))
  const [back] = await stored()
  assert.deepEqual(back?.criteria, criteriaOf(before, ['high', 'low']))
  assert.deepEqual(back?.columns, columnsOf(before))
  await add('demand', criteriaOf(after, ['low']), columnsOf(after))
  await define(...definitions('earlier'))
  assert.deepEqual((await stored())[3]?.criteria, criteriaOf(before, ['low']))
})
