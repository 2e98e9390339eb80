/** Validations of an entity: what a record must match once it is written, by whichever way. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUser } from '../../support/console/create-user.ts'
import { connectionOf } from '../../support/database.ts'
import { entityFile, link, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { findingsOf } from '../../support/project-findings.ts'
import { type AskOptions, type ProjectFiles, startTestService } from '../../support/service.ts'

// Of a link, with the key of its field.
const inBuilding = { key: 'flat', message: 'The flat is in another building.' }
const inItsBuilding = {
  ...link('flat'),
  where: { building: { $field: 'building' } },
  message: inBuilding.message,
}
const inOrder = {
  key: 'ends_after_start',
  condition: { ends_on: { $gte: { $field: 'starts_on' } } },
  message: 'The end is before the start.',
}
const notLarge = {
  key: 'not_large',
  condition: { twice: { $lte: '200' } },
  message: 'More than 100 needs a contract.',
  field: 'twice',
}

const endsWithReason = {
  key: 'ends_with_reason',
  condition: { $or: [{ _step: 'open' }, { reason: { $ne: null } }] },
  message: 'Say why it ends.',
  field: 'reason',
}

const lease = {
  key: 'lease',
  fields: [
    { key: 'number', type: 'string', unique: true },
    ...[link('building'), inItsBuilding],
    { key: 'starts_on', type: 'date' },
    { key: 'ends_on', type: 'date' },
    { key: 'reason', type: 'string' },
    { key: 'price', type: 'decimal', precision: 8, scale: 2 },
    { key: 'twice', type: 'decimal', precision: 8, scale: 2, formula: 'price * 2' },
    { key: 'payments', type: 'oneToMany', entity: 'payment', mappedBy: 'lease' },
  ],
  validations: [inOrder, notLarge, endsWithReason],
  workflow: workflowOf(
    { open: [{ key: 'end', kind: 'proceedToStep', to: 'ended', form: 'end' }], ended: [] },
    { forms: [{ key: 'end', fields: ['ends_on', 'reason'] }] },
  ),
}

const forATime = {
  key: 'for_a_time',
  condition: { until: { $gte: { $field: 'since' } } },
  message: 'The payment ends before it begins.',
  field: 'until',
}
const payment = {
  key: 'payment',
  fields: [
    link('lease'),
    { key: 'amount', type: 'decimal', precision: 8, scale: 2, required: true },
    { key: 'since', type: 'date' },
    { key: 'until', type: 'date' },
  ],
  validations: [forATime],
}

const files = {
  'entities/payment.json': payment,
  'docket.json': { language: 'en' },
  ...entityFile('building', [{ key: 'name', type: 'string', unique: true }]),
  ...entityFile('flat', [{ key: 'name', type: 'string', unique: true }, link('building')]),
  'entities/lease.json': lease,
  ...roleFile('clerk', {
    '*': { read: true, create: true, update: true },
    lease: { read: true, create: true, update: true, hiddenFields: ['flat'] },
  }),
  'translations/de.json': {
    entities: {
      lease: { validations: { flat: 'Die Wohnung liegt in einem anderen Gebäude.' } },
    },
  },
} satisfies ProjectFiles

const service = await startTestService(files)
after(() => service.stop())

const clerk = 'clerk@example.com'
await createUser(service, 'clerk')

const ask = (method: string, path: string, body?: unknown, more: AskOptions = {}) =>
  service.ask(method, path, { body, ...more })

const create = async (path: string, body: object): Promise<number> =>
  (await ask('POST', path, body)).json(201).id

const one = await create('/building', { name: 'one' })
const other = await create('/building', { name: 'other' })
const flat = await create('/flat', { name: 'flat', building_id: one })

const unmet = ({ key: validation, message }: { key: string; message: string }, path: string) => ({
  path,
  message,
  validation,
})

/** Asserts that a write is refused with these issues. */
const refused = async (
  asked: ReturnType<typeof ask>,
  ...issues: readonly ReturnType<typeof unmet>[]
) => {
  const reply = await asked
  assert.equal(reply.status, 422, reply.text)
  assert.deepEqual([reply.json().code, reply.json().errors], ['record.invalid', issues])
}

test('a create is refused with the messages of all that the record does not meet, and writes nothing', async () => {
  const body = { building_id: other, flat_id: flat, starts_on: '2026-05-02', ends_on: '2026-05-01' }
  await refused(
    ask('POST', '/lease', { number: 'none', ...body }),
    unmet(inOrder, ''),
    unmet(inBuilding, 'flat_id'),
  )
  const { json } = await ask('POST', '/lease/search', { $where: { number: 'none' } })
  assert.deepEqual(json().data, [])
  await refused(ask('POST', '/lease', { price: '100.01' }), unmet(notLarge, 'twice'))
  await create('/lease', { ...body, building_id: one, ends_on: '2026-05-02', price: '100' })
})

test('a change is asked what it may break, after all of it is written', async () => {
  const id = await create('/lease', { building_id: one, flat_id: flat, price: '1' })
  const path = `/lease/${id}`
  await refused(ask('PATCH', path, { building_id: other }), unmet(inBuilding, 'flat_id'))
  await refused(ask('PATCH', path, { price: '1000' }), unmet(notLarge, 'twice'))
  const both = await ask('PATCH', path, { building_id: other, flat_id: null })
  assert.equal(both.status, 200, both.text)
})

test('an empty value breaks only what names it with null', async () => {
  await create('/lease', { flat_id: flat, ends_on: '2026-05-01', price: null })
  // What a link may lead to matches its criteria.
  const nowhere = await create('/flat', { name: 'nowhere' })
  await refused(
    ask('POST', '/lease', { building_id: one, flat_id: nowhere }),
    unmet(inBuilding, 'flat_id'),
  )
})

test('a record that does not meet one, because another changed, can be changed elsewhere', async () => {
  const moved = await create('/flat', { name: 'moved', building_id: one })
  const id = await create('/lease', { building_id: one, flat_id: moved })
  assert.equal((await ask('PATCH', `/flat/${moved}`, { building_id: other })).status, 200)
  assert.equal((await ask('PATCH', `/lease/${id}`, { price: '2' })).status, 200)
  await refused(ask('PATCH', `/lease/${id}`, { flat_id: flat, building_id: other }), {
    ...unmet(inBuilding, 'flat_id'),
  })
})

test('an action is asked, and its issue stands at the field of the form', async () => {
  const id = await create('/lease', { starts_on: '2026-05-02' })
  const end = (values: object) =>
    ask('POST', `/lease/${id}/proceedToStep`, { action: 'end', values })
  await refused(
    end({ ends_on: '2026-05-01', reason: null }),
    unmet(inOrder, ''),
    unmet(endsWithReason, 'values.reason'),
  )
  await refused(end({ ends_on: '2026-05-03' }), unmet(endsWithReason, ''))
  const done = await end({ ends_on: '2026-05-03', reason: 'sold' })
  assert.equal(done.status, 200, done.text)
})

/** Asserts that a write is refused at these paths: a `:` stands before the key of a validation. */
const refusedAt = async (asked: ReturnType<typeof ask>, ...paths: readonly string[]) => {
  const errors: readonly { path: string; validation?: string }[] = (await asked).json().errors
  const told = errors.map(({ path, validation }) =>
    validation === undefined ? path : `${path}:${validation}`,
  )
  assert.deepEqual(told, paths)
}

test('what its valid values break is told with what is wrong with other values and with lines', async () => {
  const reversed = { starts_on: '2026-05-02', ends_on: '2026-05-01' }
  const payments = (...create: readonly object[]) => ({ payments: { create } })
  const [good, empty] = [{ amount: '1.00' }, { amount: null }]
  const late = { ...good, since: '2026-05-02', until: '2026-05-01' }
  const of = '/lease'
  await refusedAt(ask('POST', of, { ...reversed, price: 'x' }), 'price', ':ends_after_start')
  await refusedAt(
    ask('POST', of, { ...reversed, ...payments(good, empty, late) }),
    ':ends_after_start',
    'payments.create[1].amount',
    'payments.create[2].until:for_a_time',
  )
  // A value that is not valid breaks nothing.
  await refusedAt(ask('POST', of, { ...reversed, ends_on: 'x' }), 'ends_on')
  const id = await create(of, { starts_on: '2026-05-02', building_id: one })
  const changed = { ends_on: '2026-05-01' }
  await refusedAt(
    ask('PATCH', `${of}/${id}`, { ...changed, ...payments(empty) }),
    ':ends_after_start',
    'payments.create[0].amount',
  )
  await refusedAt(
    ask('PATCH', `${of}/${id}`, { ...changed, price: 'x' }),
    'price',
    ':ends_after_start',
  )
  // What is not written is not asked, and what leads to other records only with the write.
  await refusedAt(ask('PATCH', `${of}/${id}`, { price: 'x', flat_id: flat }), 'price')
  const values = { ...changed, reason: 1 }
  const action = { action: 'end', values }
  await refusedAt(
    ask('POST', `${of}/${id}/proceedToStep`, action),
    'values.reason',
    ':ends_after_start',
  )
})

test('a bulk write leaves out the records that would not meet them', async () => {
  const early = await create('/lease', { starts_on: '2026-05-01' })
  const late = await create('/lease', { starts_on: '2026-06-01' })
  const reply = await ask('POST', '/lease/bulk', {
    ids: [early, late],
    do: { change: { ends_on: '2026-05-15' } },
  })
  const endOf = async (id: number) => (await ask('GET', `/lease/${id}`)).json().ends_on
  assert.deepEqual([await endOf(early), await endOf(late)], ['2026-05-15', null], reply.text)
  assert.match(reply.text, /The end is before the start\./)
})

test('what a validation reads of other records is locked until the write has ended', async () => {
  const moving = await create('/flat', { name: 'moving', building_id: one })
  const { pool } = service.database
  const holder = await connectionOf(pool)
  await holder.query('BEGIN')
  await holder.query('UPDATE records.flat SET building_id = $1 WHERE id = $2', [other, moving])
  const asked = ask('POST', '/lease', { building_id: one, flat_id: moving })
  await untilWaitingForLock(pool)
  await holder.query('COMMIT')
  await refused(asked, unmet(inBuilding, 'flat_id'))
})

test('a role that a field is hidden from gets the message without its name, and no condition that reads it', async () => {
  const id = await create('/lease', { building_id: one, flat_id: flat })
  await refused(
    ask('PATCH', `/lease/${id}`, { building_id: other }, { as: clerk }),
    unmet(inBuilding, ''),
  )
  const { json } = await ask('GET', '/api/entities/lease', undefined, { as: clerk })
  const { validations } = json()
  assert.deepEqual(validations.at(-1), {
    key: inBuilding.key,
    message: inBuilding.message,
    field: null,
    condition: null,
  })
  assert.deepEqual(validations[0].condition, inOrder.condition)
})

test('messages have translations, by key', async () => {
  const { json } = await ask('GET', '/api/entities/lease', undefined, {
    headers: { 'Accept-Language': 'de' },
  })
  assert.equal(json().validations.at(-1).message, 'Die Wohnung liegt in einem anderen Gebäude.')
})

const { 'translations/de.json': _, ...definitions } = files
const withValidation = (validation: object) => ({
  'entities/lease.json': { ...lease, validations: [validation] },
})
const rows: readonly (readonly [what: string, files: ProjectFiles, finding: RegExp])[] = [
  [
    'an unknown field in the condition',
    withValidation({ ...inOrder, condition: { ends_at: null } }),
    /ends_at: "ends_at" is not a field of lease/,
  ],
  [
    'a condition on the caller',
    withValidation({ ...inOrder, condition: { building: { $caller: 'id' } } }),
    /\$caller/,
  ],
  [
    'an unknown field of the message',
    withValidation({ ...inOrder, field: 'ends_n' }),
    /"ends_n" is not a field of lease; did you mean "ends_on"\?/,
  ],
  [
    'what a link compares of a record, at its field',
    {
      'entities/lease.json': {
        ...lease,
        fields: [...lease.fields, { ...link('building'), key: 'b', where: { nam: 'x' } }],
      },
    },
    /fields\[9\]\.where .*"nam" is not a field of building; did you mean "name"\?/,
  ],
]
for (const [what, changed, finding] of rows)
  test(`docket check reports ${what}`, async () => {
    const found = await findingsOf({ ...definitions, ...changed })
    assert.ok(
      found.some((line) => finding.test(line)),
      found.join('\n'),
    )
  })
