/** Times that move with the clock: they are the days of the project's zone wherever conditions are asked; and defaults of new records. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { awayFromMidnight } from '../../support/away-from-midnight.ts'
import { createUser } from '../../support/console/create-user.ts'
import { findingsOf } from '../../support/project-findings.ts'
import {
  type AskOptions,
  type ProjectFiles,
  startTestService,
  writeProject,
} from '../../support/service.ts'

const timeZone = 'Pacific/Auckland'

const visit = {
  key: 'visit',
  fields: [
    { key: 'name', type: 'string', unique: true },
    { key: 'due', type: 'date' },
    { key: 'keeper', type: 'manyToOne', entity: 'user' },
    { key: 'at', type: 'timestamp' },
    { key: 'planned', type: 'date', required: true, default: { $today: 14 } },
    { key: 'asked', type: 'timestamp', default: { $now: 0 } },
    { key: 'week', type: 'date', default: { $startOf: 'week', $offset: 1 } },
  ],
  validations: [
    {
      key: 'not_far',
      condition: { due: { $lte: { $now: '2 years' } } },
      message: 'Nobody plans so far ahead.',
      field: 'due',
    },
  ],
  hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
  notifications: [
    {
      operation: 'create',
      condition: { due: { $lt: { $today: 0 } } },
      recipient: { userFields: ['keeper'] },
      content: { title: 'Overdue', message: '{{ record.name }}' },
    },
  ],
  workflow: {
    initialStep: 'open',
    steps: [
      {
        key: 'open',
        actions: [
          {
            key: 'remind',
            kind: 'proceedToStep',
            to: 'done',
            condition: { due: { $lt: { $today: 0 } } },
          },
          { key: 'close', kind: 'proceedToStep', to: 'done' },
        ],
      },
      { key: 'done', final: true },
    ],
  },
}

const files = {
  'docket.json': {
    language: 'en',
    timeZone,
    firstDayOfWeek: 'sunday',
    csv: { dialect: 'excel-en-gb', bom: false },
  },
  'entities/visit.json': visit,
  'roles/clerk.json': {
    key: 'clerk',
    permissions: {
      visit: {
        create: true,
        read: true,
        update: true,
        export: true,
        conditions: {
          update: { _created_at: { $gte: { $now: '-1 hour' } }, due: { $gte: { $today: 0 } } },
        },
      },
    },
  },
} satisfies ProjectFiles

const service = await startTestService(await writeProject(files))
after(() => service.stop())
const clerk = 'clerk@example.com'
const keeper = await createUser(service, 'clerk')

const ask = async (method: string, path: string, body?: unknown, more: AskOptions = {}) =>
  service.ask(method, path, { body, ...more })
const search = async ($where: object) => {
  const reply = await ask('POST', '/visit/search', { $where, $orderBy: ['id'] })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
type Named = { readonly id: number; readonly name: string }
const namesOf = async ($where: object) =>
  (await search($where)).data.map(({ name }: Named) => name).join(' ')

const dayIn = (days: number) => Temporal.Now.plainDateISO(timeZone).add({ days }).toString()
const make = async (name: string, values: object): Promise<Named> => {
  const reply = await ask('POST', '/visit', { name, ...values })
  assert.equal(reply.status, 201, reply.text)
  return reply.json()
}

/** At the borders of days in the zone of the project, which are at noon or one hour from it in UTC. */
const visits: Record<string, Named> = {}
before(async () => {
  await awayFromMidnight(timeZone)
  const rows: readonly [name: string, days: number, time: string][] = [
    ['before', -1, '23:59:59.999'],
    ['first', 0, '00:00:00'],
    ['last', 0, '23:30:00'],
    ['after', 1, '00:00:00'],
  ]
  for (const [name, days, time] of rows)
    visits[name] = await make(name, { due: dayIn(days), at: `${dayIn(days)} ${time}` })
})

test('a day of the clock is the day of the project, for a date and for all moments of it', async () => {
  const today = { $today: 0 }
  for (const field of ['due', 'at']) {
    assert.equal(await namesOf({ [field]: today }), 'first last')
    assert.equal(await namesOf({ [field]: { $lt: today } }), 'before')
    assert.equal(await namesOf({ [field]: { $lte: today } }), 'before first last')
    assert.equal(await namesOf({ [field]: { $gt: today } }), 'after')
    assert.equal(await namesOf({ [field]: { $gte: today } }), 'first last after')
    assert.equal(await namesOf({ [field]: { $ne: today } }), 'before after')
    assert.equal(await namesOf({ [field]: [{ $today: -1 }, { $today: 1 }] }), 'before after')
    assert.equal(await namesOf({ [field]: { $nin: [{ $today: -1 }] } }), 'first last after')
    assert.equal(await namesOf({ [field]: dayIn(0) }), 'first last')
  }
  assert.equal(
    await namesOf({ _created_at: { $gt: { $now: '-1 hour' }, $lte: { $now: 0 } } }),
    'before first last after',
  )
  assert.equal(await namesOf({ _created_at: { $lt: { $now: '-1 hour' } } }), '')
})

test('weeks begin on the first day of the project', async () => {
  const today = Temporal.Now.plainDateISO(timeZone)
  const due = today.subtract({ days: today.dayOfWeek % 7 }).toString()
  const { id } = await make('week', { due })
  assert.equal((await search({ id, due: { $eq: { $startOf: 'week' } } })).data.length, 1)
  await ask('DELETE', `/visit/${id}`)
})

test('a saved view keeps what was written', async () => {
  const criteria = { $where: { due: { $lt: { $today: 0 } } } }
  const view = { entity_key: 'visit', name: 'overdue', criteria, is_shared_with: 'all' }
  const { status, json, text } = await ask('POST', '/saved_view', view)
  assert.equal(status, 201, text)
  assert.deepEqual(json().criteria, criteria)
  const wrong = { ...view, criteria: { $where: { due: { $lt: { $today: 'x' } } } } }
  const refused = await ask('POST', '/saved_view', wrong)
  assert.match(refused.text, /must have a whole number of days/)
})

test('conditions of actions, roles, validations and rules are asked of the day on which they are', async () => {
  const actionsOf = async (name: string) => {
    const { json } = await ask('GET', `/visit/${visits[name]?.id}/actions`)
    return json().data.map(({ key }: { key: string }) => key)
  }
  assert.deepEqual(await actionsOf('before'), ['remind', 'close'])
  assert.deepEqual(await actionsOf('first'), ['close'])
  const rename = (name: string) =>
    ask('PATCH', `/visit/${visits[name]?.id}`, { due: dayIn(0) }, { as: clerk })
  assert.equal((await rename('before')).status, 403)
  assert.equal((await rename('last')).status, 200)
  const far = await ask('POST', '/visit', { name: 'far', due: dayIn(800) })
  assert.deepEqual([far.status, far.json().errors[0].validation], [422, 'not_far'])
  const notified = async (days: number) => {
    const values = { name: 'new', due: dayIn(days), keeper_id: keeper }
    const body = { entityKey: 'visit', operation: 'create', values }
    return (await ask('POST', '/api/notifications/recipients', body)).json().count
  }
  assert.deepEqual([await notified(-1), await notified(0)], [1, 0])
})

test('a default that moves is that of the day on which the record is created', async () => {
  const before = Temporal.Now.instant().epochMilliseconds
  const made = (await make('default', {})) as Named & Record<'planned' | 'asked' | 'week', string>
  const today = Temporal.Now.plainDateISO(timeZone)
  const nextSunday = today.add({ days: 7 - (today.dayOfWeek % 7) })
  assert.deepEqual([made.planned, made.week], [dayIn(14), nextSunday.toString()])
  const asked = Date.parse(made.asked)
  assert.ok(asked >= before && asked <= Temporal.Now.instant().epochMilliseconds)
  const given = await make('given', { planned: dayIn(3), week: null })
  assert.deepEqual(
    Object.entries(given).filter(([key]) => key === 'planned' || key === 'week'),
    [
      ['planned', dayIn(3)],
      ['week', null],
    ],
  )
})

test('a default or a condition that is wrong is refused with its line and what is allowed', async () => {
  const field = (fallback: unknown) => ({
    key: 'visit',
    fields: [{ key: 'due', type: 'date', default: fallback }],
  })
  const found = async (fallback: unknown) =>
    (await findingsOf({ 'entities/visit.json': field(fallback) })).join()
  assert.match(await found({ $tody: 1 }), /entities\/visit\.json:\d+:\d+ .*did you mean "\$today"/)
  assert.match(await found({ $now: '1 fortnight' }), /must have 0 or a number of minutes/)
  assert.match(await found(5), /must be a string or an object/)
  const condition = { due: { $lt: { $today: '1' } } }
  const rule = { ...visit, notifications: [{ ...visit.notifications[0], condition }] }
  assert.match(
    (await findingsOf({ ...files, 'entities/visit.json': rule })).join(),
    /\$where\.due\.\$lt: must have a whole number of days/,
  )
})

test('exports write CSV as csv of docket.json says, but for what a request says itself', async () => {
  const { id } = await make('Exported', { planned: '2026-11-06', at: '2026-11-06T12:00:00Z' })
  const csvOf = async (query: string) => {
    const body = { $select: ['planned', 'at'], $where: { id } }
    return (await ask('POST', `/visit/export${query}`, body)).text
  }
  const header = 'planned,at (Pacific/Auckland)'
  const row = '06/11/2026,07/11/2026 01:00:00'
  assert.equal(await csvOf(''), `${header}\r\n${row}\r\n`)
  assert.equal(
    await csvOf('?quoting=all&separator=semicolon'),
    `"${header}"\r\n"${row}"\r\n`.replaceAll(',', '";"'),
  )
  const standard = 'planned,at\r\n2026-11-06,2026-11-06T12:00:00.000Z\r\n'
  assert.equal(await csvOf('?dialect=standard'), standard)
})
