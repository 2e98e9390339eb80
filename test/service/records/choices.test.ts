/** Words of an enum and steps compare in the order of the definition, wherever something compares; and what the service says of names. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUser } from '../../support/console/create-user.ts'
import { roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { startTestService } from '../../support/service.ts'

const words = ['low', 'normal', 'high', 'extreme']
const levels = { type: 'enum', values: words }
const go = (key: string, to: string, condition?: object) => ({
  key,
  kind: 'proceedToStep',
  to,
  ...(condition && { condition }),
})

const service = await startTestService({
  'entities/job.json': {
    key: 'job',
    name: 'Job',
    pluralName: 'Jobs',
    fields: [
      { key: 'title', type: 'string' },
      { key: 'urgency', ...levels },
      { key: 'risk', ...levels },
      { key: 'mood', type: 'enum', values: ['good', { value: 'constructor', name: 'Builder' }] },
      { key: 'whole', type: 'manyToOne', entity: 'job' },
    ],
    indexes: [{ fields: ['urgency', 'title'] }],
    workflow: workflowOf({
      draft: [go('ask', 'check'), go('hurry', 'check', { urgency: { $gt: 'normal' } })],
      check: [go('close', 'allowed')],
      allowed: [],
    }),
  },
  'entities/staff.json': { key: 'staff', name: 'Staff', fields: [] },
  'entities/user.json': { key: 'user', extends: 'native', fields: [] },
  'entities/task.json': { key: 'task', name: 'To-do', extends: 'native', fields: [] },
  ...roleFile('clerk', {
    job: { read: true, create: true, conditions: { create: { urgency: { $lte: 'normal' } } } },
  }),
})
after(() => service.stop())
const { ask } = service

type Job = { id: number; urgency: string | null; risk: string | null; _step: string }

// Of every word with every other, and none; some in other steps.
for (const urgency of [...words.toReversed(), null])
  for (const [index, risk] of [null, ...words].entries()) {
    const body = { urgency, risk, title: `t${(index * 7) % 5}` }
    const { id } = (await ask('POST', '/job', { body })).json()
    for (const action of ['ask', 'close'].slice(0, index % 3))
      await ask('POST', `/job/${id}/proceedToStep`, { body: { action } })
  }
// A later version of the definition may have had other words.
await service.database.pool.query(`
  UPDATE records.job SET urgency = 'always' WHERE id % 11 = 0;
  UPDATE records.job SET whole_id = 1 + id % 3;`)
const all: Job[] = (await ask('GET', '/job?limit=1000')).json().data

const steps = ['draft', 'check', 'allowed']
const placeIn = (list: readonly string[], word: string | null): number => {
  if (word === null) return list.length + 1
  const place = list.indexOf(word)
  return place === -1 ? list.length : place
}
const keys = { urgency: words, risk: words, _step: steps } as const

/** The order that is expected, by the places of the words. */
const expectedOf = (order: string): readonly number[] => {
  const by = order.split(' ').map((name) => ({
    name: name.replace('-', '') as keyof typeof keys | 'id',
    sign: name.startsWith('-') ? -1 : 1,
  }))
  const keyOf = (job: Job, name: keyof typeof keys | 'id') =>
    name === 'id' ? job.id : placeIn(keys[name], job[name])
  return all
    .toSorted((one, other) => {
      for (const { name, sign } of [...by, { name: 'id' as const, sign: 1 }]) {
        const difference = sign * (keyOf(one, name) - keyOf(other, name))
        if (difference !== 0) return difference
      }
      return 0
    })
    .map(({ id }) => id)
}

const search = async (body: object, query = '') =>
  (await ask('POST', `/job/search${query}`, { body })).json(200)
type Page = Record<'next' | 'previous', string | null> & { data: Job[] }
const idsOf = ({ data }: Pick<Page, 'data'>) => data.map(({ id }) => id)

for (const order of ['urgency', '-_step -urgency', '-risk urgency'])
  test(`the order ${order} is that of the definition, in a list, its pages, an export and by cursors`, async () => {
    const criteria = { $orderBy: order.split(' ') }
    const expected = expectedOf(order)
    assert.deepEqual(idsOf(await search(criteria, '?limit=1000')), expected)
    assert.deepEqual(idsOf(await search(criteria, '?limit=7&page=2')), expected.slice(7, 14))
    const { text } = await ask('POST', '/job/export', { body: { ...criteria, $select: ['id'] } })
    assert.deepEqual(text.trim().split(/\s+/).slice(1).map(Number), expected)
    for (const [key, next] of [
      ['$after', 'next'],
      ['$before', 'previous'],
    ] as const) {
      const found: number[][] = []
      let cursor: string | null = null
      do {
        const page: Page = await search({ ...criteria, [key]: cursor }, '?limit=4')
        found.push(idsOf(page))
        cursor = page[next]
      } while (cursor !== null && found.length < 100)
      assert.deepEqual((key === '$after' ? found : found.toReversed()).flat(), expected)
    }
  })

for (const [operator, holds] of [
  ['$gt', (difference: number) => difference > 0],
  ['$gte', (difference: number) => difference >= 0],
  ['$lt', (difference: number) => difference < 0],
  ['$lte', (difference: number) => difference <= 0],
] as const) {
  const idsWhere = async (where: object) =>
    new Set(idsOf(await search({ $where: where }, '?limit=1000')))
  const those = (isThere: (job: Job) => boolean) => new Set(all.filter(isThere).map(({ id }) => id))

  test(`${operator} compares with a word by its place`, async () => {
    for (const word of words)
      assert.deepEqual(
        await idsWhere({ urgency: { [operator]: word } }),
        those(
          ({ urgency }) =>
            words.includes(urgency ?? '') && holds(placeIn(words, urgency) - words.indexOf(word)),
        ),
      )
    assert.deepEqual(
      await idsWhere({ _step: { [operator]: 'check' } }),
      those(({ _step }) => holds(steps.indexOf(_step) - 1)),
    )
  })

  test(`${operator} compares two fields with the same words by their places`, async () => {
    assert.deepEqual(
      await idsWhere({ urgency: { [operator]: { $field: 'risk' } } }),
      those(
        ({ urgency, risk }) =>
          words.includes(urgency ?? '') &&
          risk !== null &&
          holds(placeIn(words, urgency) - placeIn(words, risk)),
      ),
    )
    const body = { $where: { urgency: { [operator]: { $field: 'mood' } } } }
    assert.equal((await ask('POST', '/job/search', { body })).status, 400)
  })
}

test('groups come in the order of the definition, others behind them, then the empty one', async () => {
  const keysOf = async (path: string) =>
    (await search({ $group: [path] })).groups.map(
      ({ key }: { key: Record<string, unknown> }) => key[path],
    )
  assert.deepEqual(await keysOf('urgency'), [...words, 'always', null])
  assert.deepEqual(await keysOf('_step'), steps)
})

test('a linked record is sorted by its word', async () => {
  const places = new Map(all.map((job) => [job.id, placeIn(words, job.urgency)]))
  const { data } = await search(
    { $orderBy: ['whole.urgency'], $select: ['whole_id'] },
    '?limit=1000',
  )
  const found = data.map((job: { whole_id: number }) => places.get(job.whole_id) ?? 0)
  assert.deepEqual(
    found,
    found.toSorted((one: number, other: number) => one - other),
  )
})

test('conditions of actions and of permissions compare by the place', async () => {
  const as = 'clerk@example.com'
  await createUser(service, 'clerk')
  for (const [urgency, action, create] of [
    ['normal', ['ask'], 201],
    ['high', ['ask', 'hurry'], 403],
  ] as const) {
    const { id } = (await ask('POST', '/job', { body: { urgency } })).json()
    const { data } = (await ask('GET', `/job/${id}/actions`)).json()
    assert.deepEqual(
      data.map(({ key }: { key: string }) => key),
      action,
      urgency,
    )
    assert.equal((await ask('POST', '/job', { body: { urgency }, as })).status, create)
  }
})

test('the least and the greatest choice of totals are the ends of that order, of the words that the definition has', async () => {
  const body = {
    $aggregate: { min: ['urgency', '_step', 'whole.risk'], max: ['urgency', '_step'] },
    $group: ['mood'],
  }
  const ends = (jobs: readonly Job[], name: 'urgency' | '_step') => {
    const places = jobs
      .map((job) => placeIn(keys[name], job[name]))
      .filter((place) => place < keys[name].length)
    return [keys[name][Math.min(...places)], keys[name][Math.max(...places)]]
  }
  for (const $where of [{}, { urgency: { $ne: 'low' } }, { _step: { $gt: 'draft' } }]) {
    const found = await ask('POST', '/job/search?limit=1000', { body: { ...body, $where } })
    const { data, aggregate, groups } = found.json()
    for (const { min, max } of [aggregate, ...groups])
      for (const name of ['urgency', '_step'] as const)
        assert.deepEqual([min[name], max[name]], ends(data, name), found.text)
    assert.ok(words.includes(aggregate.min['whole.risk']))
  }
  const none = { ...body, $where: { title: 'nobody' } }
  const { aggregate } = (await ask('POST', '/job/search', { body: none })).json()
  assert.deepEqual(aggregate.max, { urgency: null, _step: null })
  const sum = await ask('POST', '/job/search', { body: { $aggregate: { sum: ['urgency'] } } })
  assert.equal(sum.status, 400)
})

test('a choice is its value in the API, and its name stands next to it', async () => {
  const { fields } = (await ask('GET', '/api/entities/job')).json()
  assert.deepEqual(
    fields.find(({ key }: { key: string }) => key === 'mood'),
    {
      key: 'mood',
      type: 'enum',
      column: 'mood',
      isSystem: false,
      isCalculated: false,
      values: ['good', 'constructor'],
      valueNames: { constructor: 'Builder' },
    },
  )
  assert.equal((await ask('POST', '/job', { body: { mood: 'Builder' } })).status, 422)
  const created = await ask('POST', '/job', { body: { mood: 'constructor' } })
  assert.equal(created.json().mood, 'constructor')
})

test('a plural name is the name where the definition has no other, and goes with the name of a native entity', async () => {
  const { data } = (await ask('GET', '/api/entities')).json()
  const names = new Map(
    data.map(({ key, pluralName }: { key: string; pluralName: string }) => [key, pluralName]),
  )
  assert.deepEqual(
    ['job', 'staff', 'user', 'task'].map((key) => names.get(key)),
    ['Jobs', 'Staff', 'Users', 'To-do'],
  )
})
