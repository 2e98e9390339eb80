/** Steps of workflows and values of enums are renamed in records and queued jobs, forward and back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { prepareJobs } from '../../../src/jobs/prepare-jobs.ts'
import { anItem } from '../../support/schema-sync/a-catalog.ts'
import { database, define, insert, rows, shareSchema } from './a-schema.ts'

shareSchema()

const query = (text: string) => database.pool.query(text)

test('steps and enum values are renamed once, and a version with the earlier ones renames them back', async () => {
  await prepareJobs(database.pool)
  const itemWith = (
    step: { key: string; was?: string },
    ...values: unknown[]
  ): EntityDefinition => ({
    ...anItem({
      key: 'urgency',
      type: 'enum',
      values: values.map(currentValue),
      ...earlierOf(values),
    }),
    workflow: { initialStep: step.key, steps: [step] },
  })
  const currentValue = (value: unknown) => (typeof value === 'string' ? value : Object(value).value)
  const earlierOf = (values: unknown[]) => {
    const earlier = values.filter((value) => typeof value !== 'string')
    return earlier.length === 0
      ? {}
      : {
          earlierValues: Object.fromEntries(
            earlier.map((one) => [Object(one).value, [Object(one).was]]),
          ),
        }
  }
  const first = itemWith({ key: 'check' }, 'low', 'high')
  const second = itemWith(
    { key: 'inspection', was: 'check' },
    { value: 'usual', was: 'low' },
    'high',
  )
  const stored = () =>
    rows('SELECT _step AS s, urgency AS u, _version AS v FROM records.item ORDER BY id')
  await define(first)
  await insert(`(urgency) VALUES ('low'), ('high')`)
  await query('DELETE FROM graphile_worker._private_jobs')
  await query(
    `SELECT graphile_worker.add_job('x', '{"entity_key":"item","action":{"from":"check","to":"check"},"changes":{"_step":{"after":"check"},"urgency":{"before":"low","after":"high"}}}'::json)`,
  )
  await define(second)
  assert.deepEqual(await stored(), [
    { s: 'inspection', u: 'usual', v: 3 },
    { s: 'inspection', u: 'high', v: 2 },
  ])
  assert.deepEqual(
    await rows(
      `SELECT payload->>'action' AS a, payload->>'changes' AS c FROM graphile_worker._private_jobs`,
    ),
    [
      {
        a: '{"to": "inspection", "from": "inspection"}',
        c: '{"_step": {"after": "inspection"}, "urgency": {"after": "high", "before": "usual"}}',
      },
    ],
  )
  assert.deepEqual((await define(second)).statements, [])
  await define(first)
  assert.deepEqual(
    (await stored()).map(({ s, u }) => [s, u]),
    [
      ['check', 'low'],
      ['check', 'high'],
    ],
  )
  await define(second)
  assert.equal((await stored())[0]?.u, 'usual')
})

test('enum values named like properties of every object are compared and renamed', async () => {
  await prepareJobs(database.pool)
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
