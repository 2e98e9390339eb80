/** Rules about changes, removals and restorations: whatever path made them, by what was before and what is after. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { until } from '../../support/wait.ts'
import { holdJobs, shareEngine } from './an-engine.ts'

const engine = await shareEngine('changes')
const { ids, send } = engine

let count = 0
const create = async (values: object = {}): Promise<number> =>
  engine.create({ number: `C-${++count}`, total: '10', approver_id: ids.anna, ...values })
const patch = (id: number, values: object) => send('PATCH', `/changes/${id}`, values)
/** The titles for a user, sorted. */
const titlesOf = async (id: number, name = 'anna'): Promise<string[]> =>
  (await engine.notificationsAbout(id))
    .flatMap((one) => (one.name === name ? [one.content.title ?? ''] : []))
    .toSorted()
const numberOf = async (id: number): Promise<string> => (await send('GET', `/changes/${id}`)).number

const crossing = async (id: number): Promise<string> =>
  `10.00 → 1500.00, 0.00 → 0.00, ${await numberOf(id)}`
const ofLines = async (id: number): Promise<string> =>
  `10.00 → 10.00, 0.00 → 1500.00, ${await numberOf(id)}`

type Titles = (id: number) => Promise<readonly string[]> | readonly string[]
type Path = readonly [name: string, change: (id: number) => Promise<unknown>, titles: Titles]

const line = { amount: '1500' }
const paths: readonly Path[] = [
  ['a change', (id) => patch(id, { total: '1500' }), async (id) => [await crossing(id)]],
  [
    'many at once',
    (id) => send('POST', '/changes/bulk', { ids: [id], do: { change: { total: '1500' } } }),
    async (id) => [await crossing(id)],
  ],
  [
    'an action with a form, which changes the step too',
    (id) => engine.act(id, 'submit', undefined, { values: { total: '1500' } }),
    async (id) => [await crossing(id), 'step'],
  ],
  ['an action that changes the step alone', (id) => engine.act(id, 'submit'), () => ['step']],
  [
    'a change that is undone: once, since it was less before',
    async (id) => {
      await patch(id, { total: '1500' })
      await patch(id, { total: '10' })
    },
    async (id) => [await crossing(id)],
  ],
  [
    'lines with the record, by what it keeps of them',
    (id) => patch(id, { lines: { create: [line] } }),
    async (id) => [await ofLines(id)],
  ],
  [
    'a record that it keeps a sum of',
    (id) => send('POST', '/changes_line', { ...line, request_id: id }),
    async (id) => [await ofLines(id)],
  ],
  [
    'an import that tells of it',
    async (id) => importTotal(id, '&notify=true'),
    async (id) => [await crossing(id)],
  ],
  ['an import as it is by default', (id) => importTotal(id, ''), () => []],
  ['a change of another field', (id) => patch(id, { topic: 'x' }), () => []],
  ['a change that was as much before', (id) => patch(id, { total: '20' }), () => []],
  [
    'a change of what was as much before',
    async (id) => {
      for (const values of [{ lines: { create: [line] } }, { total: '1500' }, { total: '2000' }]) {
        await patch(id, values)
        await engine.settled()
      }
    },
    async (id) => [await ofLines(id), `10.00 → 1500.00, 1500.00 → 1500.00, ${await numberOf(id)}`],
  ],
  ['the same value', (id) => patch(id, { total: '10' }), () => []],
  ['an action of the owner', (id) => engine.takeOwnership(id, 'bruno'), () => []],
  ['a removal', (id) => send('DELETE', `/changes/${id}`), () => ['removed']],
  [
    'a removal and a restoration',
    async (id) => {
      await send('DELETE', `/changes/${id}`)
      await send('POST', `/changes/${id}/restore`)
    },
    () => ['removed', 'restored'],
  ],
]

const importTotal = async (id: number, more: string): Promise<void> => {
  const body = `number,total\n${await numberOf(id)},1500`
  const headers = { 'Content-Type': 'text/csv' }
  const path = `/changes/import?mode=update&match=number${more}`
  const { id: runId } = (await engine.ask('POST', path, { body, headers })).json(202)
  await until('the import has ended', async () => {
    const { run } = await send('GET', `/api/imports/${runId}`)
    return run.state === 'done'
  })
}

describe('a rule of changes is told by every path of what was before and is after', () => {
  for (const [name, change, titles] of paths)
    test(name, async () => {
      const id = await create()
      await change(id)
      await engine.settled()
      assert.deepEqual(await titlesOf(id), (await titles(id)).toSorted())
    })
})

test('without fields any field counts, but neither the step nor the owner, and the actor may be left out', async () => {
  const id = await create({ topic: 'any', approver_id: ids.bruno })
  await engine.takeOwnership(id)
  await patch(id, { number: `C-${++count}` })
  await engine.act(id, 'submit')
  await send('PATCH', `/changes/${id}`, { number: `C-${++count}` }, 'bruno')
  assert.deepEqual(await titlesOf(id, 'bruno'), ['any', 'step'])
})

test('what a role hides of before is empty, as what is after, and an event has one notification for each user', async () => {
  const id = await create({ approver_id: ids.kim })
  await patch(id, { total: '1500' })
  assert.deepEqual(await titlesOf(id, 'kim'), [`→ , 0.00 → 0.00, ${await numberOf(id)}`])
  const { data } = await send('GET', `/changes/${id}/notified`)
  assert.deepEqual(
    data.map(({ operation, count: told }: { operation: string; count: number }) => [
      operation,
      told,
    ]),
    [['change', 1]],
  )
})

test('each of two changes is told of with its own values, although both are made before the first job runs', async () => {
  const id = await create()
  const release = await holdJobs(engine)
  await patch(id, { total: '1500' })
  await patch(id, { total: '20' })
  await patch(id, { total: '3000' })
  await release()
  const number = await numberOf(id)
  assert.deepEqual(await titlesOf(id), [
    `10.00 → 1500.00, 0.00 → 0.00, ${number}`,
    `20.00 → 3000.00, 0.00 → 0.00, ${number}`,
  ])
})

test('who may not read the record any more when the job runs is not told', async () => {
  const id = await engine.create(
    { number: `C-${++count}`, total: '10', approver_id: ids.owen },
    'owen',
  )
  // Those who have created a record read it as well.
  await engine.database.pool.query('UPDATE records.changes SET _created_by = 1 WHERE id = $1', [id])
  const release = await holdJobs(engine)
  await patch(id, { total: '1500' })
  await engine.takeOwnership(id)
  await release()
  assert.deepEqual(await titlesOf(id, 'owen'), [])
})

test('who reads the record as a change left it, but not as the next one did, is not told', async () => {
  const reader = await insertPerson(engine.database.pool, 'under_2000', 'under_2000')
  const [id, other] = [await create({ approver_id: reader }), await create({ approver_id: reader })]
  const release = await holdJobs(engine)
  for (const one of [id, other]) await patch(one, { total: '1500' })
  await patch(id, { total: '3000' })
  await release()
  assert.deepEqual(await titlesOf(id, 'under_2000'), [])
  assert.equal((await titlesOf(other, 'under_2000')).length, 1)
})

test('the explanation lists the rules of each operation, whose condition holds as the record is', async () => {
  const id = await create({ total: '2000' })
  const explain = async (operation: string, more = {}) =>
    (
      await send('POST', '/api/notifications/explain', {
        entityKey: 'changes',
        entityId: id,
        operation,
        ...more,
      })
    ).entries.flatMap(({ matches, index }: { matches: boolean; index: number }) =>
      matches ? [index] : [],
    )
  assert.deepEqual(await explain('change'), [0, 1])
  assert.deepEqual(await explain('proceedToStep', { action: 'submit' }), [1])
  assert.deepEqual(await explain('remove'), [3])
  assert.deepEqual(await explain('restore'), [4])
})

test('the preview of an action counts whom its changes would notify', async () => {
  const id = await create()
  const body = {
    entityKey: 'changes',
    operation: 'proceedToStep',
    action: 'submit',
    entityIds: [id],
  }
  const preview = async (values: object) => {
    const { count: told, emails } = await send('POST', '/api/notifications/recipients', {
      ...body,
      values,
    })
    return [told, emails]
  }
  assert.deepEqual(await preview({}), [1, 1])
  assert.deepEqual(await preview({ total: '1500' }), [1, 2])
})
