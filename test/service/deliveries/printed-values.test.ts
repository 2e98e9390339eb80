/**
 * What templates print of a record is the same in notifications, in their explanation and in e-mails: names of choices,
 * linked records, JSON, and numbers and dates in the language of the project.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ParsedMail, simpleParser } from 'mailparser'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { insertUser } from '../../../src/users/user-store.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]
const link = (entity: string) => ({ key: entity, type: 'manyToOne', entity })
const json = { key: 'terms', type: 'json' }

const choices = '{{ entity.name }}: {{ names.urgency }} ({{ record.urgency }}), {{ names._step }}'
const linked = '{{ record.vehicle }}, {{ record.vehicle.plate }}, {{ record.depot }}'
const objects = [
  '{{ record.terms }}',
  '{{ record.terms | upcase }}',
  '{{ record.client.terms }}',
  '{{ record.client }}',
  '{% if record.terms < 5 %}few{% else %}no number{% endif %}',
  '{{ record.terms.days }}',
].join(' | ')
const amount =
  '{{ record.total | number: record.currency }} by {{ record.ordered_at | local_date }}'

/** An entity whose new records notify their creator, or a group, with an e-mail template of its own. */
const notifying = (
  key: string,
  fields: readonly object[],
  content?: object,
  more: object = {},
) => ({
  [`entities/${key}.json`]: {
    key,
    fields,
    hooks,
    notifications: [
      {
        operation: 'create',
        emailTemplateId: key,
        recipient: key === 'order' ? { userGroups: ['all'] } : { userFields: ['_created_by'] },
        content,
      },
    ],
    ...more,
  },
})
const template = (key: string, subject: string, text: string) => ({
  [`email-templates/${key}.mjml`]: `---
subject: "${subject}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>
`,
})
const plain = (key: string, displayField: string | undefined, ...fields: readonly object[]) => ({
  [`entities/${key}.json`]: { key, ...(displayField && { displayField }), fields },
})

const files = {
  'docket.json': { name: 'Shop', locale: 'de-AT', language: 'en', timeZone: 'Europe/Zagreb' },
  ...plain('supplier', undefined, {
    key: 'kind',
    type: 'enum',
    values: [{ value: 'near', name: 'Near' }, 'far'],
  }),
  ...notifying(
    'order',
    [
      { key: 'urgency', type: 'enum', values: [{ value: 'low', name: 'Low' }, 'high'] },
      link('supplier'),
    ],
    { title: `${choices}, {{ names.supplier.kind }}.` },
    {
      name: 'Order',
      workflow: { initialStep: 'draft', steps: [{ key: 'draft', name: 'Draft', final: true }] },
    },
  ),
  ...template('order', choices, '.'),
  'translations/de.json': {
    entities: {
      order: { name: 'Bestellung', fields: { urgency: { values: { high: 'Hoch' } } } },
      supplier: { fields: { kind: { values: { near: 'Nah' } } } },
    },
  },
  'roles/clerk.json': {
    key: 'clerk',
    permissions: { order: { read: true, hiddenFields: ['urgency'] } },
  },
  ...plain('vehicle', 'plate', { key: 'plate', type: 'string' }),
  ...plain('depot', undefined, { key: 'city', type: 'string' }),
  ...notifying('visit', [], undefined, { name: 'Visit' }),
  // Its display field is a link to another record.
  ...plain('booking', 'vehicle', link('vehicle')),
  ...notifying('repair', [link('vehicle'), link('depot'), link('booking')], {
    title: `${linked}, {{ record.booking }} by {{ actor.full_name }}`,
    message:
      '{% if record.vehicle %}a vehicle{% else %}none{% endif %}, {{ record.vehicle | upcase }}',
  }),
  ...template('repair', linked, `Of ${linked}.`),
  // Its display field has objects too.
  ...plain('client', 'terms', json),
  ...notifying('contract', [json, link('client')], { title: 'A contract', message: objects }),
  ...template('contract', objects, objects),
  ...plain('currency', 'code', { key: 'code', type: 'string' }),
  ...notifying(
    'invoice',
    [
      { key: 'total', type: 'decimal', precision: 14, scale: 2 },
      { key: 'ordered_at', type: 'timestamp' },
      { key: 'needed_by', type: 'date' },
      link('currency'),
    ],
    {
      title: amount,
      message: '{{ record.total | number }}',
      due_date: '{{ record.needed_by }}',
    },
  ),
  ...template('invoice', amount, `${amount}: {{ message }}`),
}

let service: TestService
let worker: Awaited<ReturnType<typeof createWorker>>
before(async () => {
  service = await startTestService(await writeProject(files))
  const { pool } = service.database
  const names = { first_name: 'Vera', last_name: 'Novak', full_name: 'Vera Novak' }
  const email = 'vera@example.com'
  const user = { identity_provider_user_id: email, email, role_key: 'clerk', ...names }
  const id = await insertUser(pool, user)
  await pool.query(`INSERT INTO records.user_group (code, name) VALUES ('all', 'All')`)
  await pool.query(
    'INSERT INTO records.user_group_member (user_group_id, user_id) SELECT 1, unnest($1::integer[])',
    [[1, id]],
  )
  worker = await createWorker(service.runtime, { watch: false })
})
after(async () => {
  await worker.stop()
  await service.stop()
})

const create = async (entity: string, body: object): Promise<number> => {
  const reply = await service.ask('POST', `/${entity}`, { body })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

type Told = { readonly title: string; readonly message: string; readonly due_date?: string }
type Delivery = { readonly id: number; readonly entity_id: number; readonly user: { id: number } }

/** Creates a record; returns its id, its deliveries and their e-mails, in the order of the recipients. */
const tell = async (entity: string, body: object, recipients = 1) => {
  const id = await create(entity, body)
  const deliveries = await until('the e-mails are sent', async () => {
    const { data } = (
      await service.ask('GET', `/api/deliveries?entity=${entity}&status=sent`)
    ).json()
    const own = (data as Delivery[]).filter((one) => one.entity_id === id)
    return own.length === recipients && own.toSorted((one, other) => one.user.id - other.user.id)
  })
  const { data } = (await service.ask('GET', '/api/mail')).json()
  const sent: ParsedMail[] = await Promise.all(
    (data as { name: string }[])
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .slice(-recipients)
      .map(async ({ name }) =>
        simpleParser((await service.ask('GET', `/api/mail/${encodeURIComponent(name)}`)).text),
      ),
  )
  const { rows } = await service.database.pool.query<{ content: string }>(
    'SELECT content FROM docket.notification WHERE entity_key = $1 AND entity_id = $2 ORDER BY user_id',
    [entity, id],
  )
  return { id, deliveries, mails: sent, told: rows.map(({ content }): Told => JSON.parse(content)) }
}

test('names of choices are at the places of their values, as far as the recipient may read these', async () => {
  const supplier_id = await create('supplier', { kind: 'near' })
  const { mails, told } = await tell('order', { supplier_id, urgency: 'high' }, 2)
  // A step without a translation is called what the definition says.
  assert.deepEqual(mails.map(({ subject }) => subject).toSorted(), [
    'Bestellung: (), Draft',
    'Bestellung: Hoch (high), Draft',
  ])
  assert.deepEqual(
    told.map(({ title }) => title),
    ['Bestellung: Hoch (high), Draft, Nah.', 'Bestellung:  (), Draft, .'],
  )
})

test('a record without a field is printed as its display field, or else as entity name and id', async () => {
  const vehicle_id = await create('vehicle', { plate: 'ZG-1 <b>' })
  const depot_id = await create('depot', { city: 'Split' })
  const booking_id = await create('booking', { vehicle_id })
  const full = await tell('repair', { vehicle_id, depot_id, booking_id })
  const printed = `ZG-1 <b>, ZG-1 <b>, depot ${depot_id}`
  assert.equal(full.mails[0]?.subject, printed)
  assert.equal(full.mails[0]?.text?.trim(), `Of ${printed}.`)
  const titleOf = ({ title, message }: Told) => [title, message]
  assert.deepEqual(full.told.map(titleOf), [
    [`${printed}, ZG-1 <b> by Administrator`, 'a vehicle, ZG-1 <B>'],
  ])
  const empty = await tell('repair', {})
  assert.equal(empty.mails[0]?.subject, ', ,')
  assert.deepEqual(empty.told.map(titleOf), [[', , ,  by Administrator', 'none,']])
})

const values: readonly [what: string, value: unknown, text: string, days: string][] = [
  ['an object', { days: 30 }, '{"days":30}', '30'],
  ['the names of functions', { toString: 1, valueOf: 2 }, '{"toString":1,"valueOf":2}', ''],
  ['the name of the prototype', JSON.parse('{"__proto__":null}'), '{"__proto__":null}', ''],
  ['objects in a list', [{ toString: 'x' }, [{ a: 1 }]], '{"toString":"x"}{"a":1}', ''],
  [
    'an object in an object',
    { days: { toString: 1 } },
    '{"days":{"toString":1}}',
    '{"toString":1}',
  ],
]
for (const [what, value, text, days] of values)
  test(`JSON with ${what} is printed as JSON`, async () => {
    const client_id = await create('client', { terms: value })
    const { mails, told } = await tell('contract', { client_id, terms: value })
    const display = Array.isArray(value) ? '{"toString":"x"},{"a":1}' : text
    const expected = [text, text.toUpperCase(), text, display, 'no number', days].join(' | ').trim()
    assert.deepEqual(
      [mails[0]?.subject, mails[0]?.text?.replaceAll(/\s+/g, ' ').trim(), told[0]?.message],
      [expected, expected, expected],
    )
  })

// A message is plain text: languages write spaces of several kinds.
const spaced = (text = '') => text.replaceAll(/[\u00a0\u202f]/g, ' ')

test('a stored notification, its explanation, its e-mail and the preview of this say the same', async () => {
  const body = { total: '1895.01', needed_by: '2026-11-24', ordered_at: '2026-11-24T08:00:00Z' }
  const currency_id = await create('currency', { code: 'EUR' })
  const { id, deliveries, mails, told } = await tell('invoice', { ...body, currency_id })
  const expected = 'EUR 1.895,01 by 24.11.2026, 09:00'
  assert.deepEqual([spaced(told[0]?.title), spaced(told[0]?.message)], [expected, '1 895,01'])
  assert.equal(spaced(mails[0]?.subject), expected)
  assert.match(spaced(mails[0]?.text), new RegExp(`^${expected}: 1 895,01\\s*$`))
  const event = { entityKey: 'invoice', entityId: id, operation: 'create' }
  const reply = await service.ask('POST', '/api/notifications/explain', { body: event })
  const { content } = reply.json().entries[0].recipients[0]
  assert.deepEqual([content.title, content.message], [told[0]?.title, told[0]?.message])
  // A machine reads it.
  assert.ok(content.due_date)
  // Composed again by the process that answers.
  await service.database.pool.query('DELETE FROM docket.sent_message')
  const path = `/api/deliveries/${deliveries[0]?.id}/message`
  const preview = (await service.ask('GET', path)).json()
  assert.deepEqual([preview.as_sent, spaced(preview.subject)], [false, expected])
})

test('what a rule does not say is said in the language of the project, and so is a task', async () => {
  const { id, mails, told } = await tell('visit', {})
  assert.deepEqual([told[0]?.title, mails[0]?.subject], [`Neu: Visit ${id}`, `Neu: Visit ${id}`])
  assert.match(mails[0]?.text ?? '', /Guten Tag Administrator,/)
  const task = { assigne_id: 1 }
  assert.equal((await service.ask('POST', `/visit/${id}/task`, { body: task })).status, 201)
  await until('the task is told', async () => {
    const [newest] = (await service.ask('GET', '/api/notifications?limit=1')).json()
    return newest.content.title === 'Ihnen wurde eine Aufgabe zugewiesen'
  })
})
