/**
 * What templates print of a record is the same in notifications, in their explanation and in e-mails: names of choices,
 * linked records, JSON, and numbers and dates in the language of the project.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { link, roleFile } from '../../support/definitions/files.ts'
import { mailsOf, startMailing } from '../../support/deliveries/a-mailing-project.ts'
import { readPdf } from '../../support/documents/read-pdf.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { until } from '../../support/wait.ts'

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

/** An entity whose new records notify their creator, or a group; and its e-mail template. */
const notifying = (
  key: string,
  { content, subject, text, attachments, ...definition }: Readonly<Record<string, unknown>>,
) => ({
  [`entities/${key}.json`]: {
    key,
    fields: [],
    hooks,
    ...definition,
    notifications: [
      {
        operation: 'create',
        emailTemplateId: key,
        content,
        attachments,
        recipient: key === 'order' ? { userGroups: ['all'] } : { userFields: ['_created_by'] },
      },
    ],
  },
  ...(subject !== undefined && {
    [`email-templates/${key}.mjml`]: `---
subject: "${subject}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>
`,
  }),
})
const plain = (key: string, displayField: string | undefined, field: object) => ({
  [`entities/${key}.json`]: { key, ...(displayField && { displayField }), fields: [field] },
})

const files = {
  'docket.json': { name: 'Shop', locale: 'de-AT', language: 'en', timeZone: 'Europe/Zagreb' },
  ...plain('supplier', undefined, {
    key: 'kind',
    type: 'enum',
    values: [{ value: 'near', name: 'Near' }, 'far'],
  }),
  ...notifying('order', {
    name: 'Order',
    fields: [
      { key: 'urgency', type: 'enum', values: [{ value: 'low', name: 'Low' }, 'high'] },
      link('supplier'),
    ],
    workflow: { initialStep: 'draft', steps: [{ key: 'draft', name: 'Draft', final: true }] },
    content: { title: `${choices}, {{ names.supplier.kind }}.` },
    subject: choices,
    text: '.',
  }),
  'translations/de.json': {
    entities: {
      order: { name: 'Bestellung', fields: { urgency: { values: { high: 'Hoch' } } } },
      receipt: { fields: { total: { name: 'Summe' } } },
      supplier: { fields: { kind: { values: { near: 'Nah' } } } },
    },
  },
  ...roleFile('clerk', { order: { read: true, hiddenFields: ['urgency'] } }),
  ...notifying('receipt', {
    fields: [
      { key: 'total', type: 'decimal', precision: 14, scale: 2 },
      { key: 'ordered_at', type: 'timestamp' },
    ],
    attachments: { printableDocuments: ['receipt'] },
  }),
  ...plain('vehicle', 'plate', { key: 'plate', type: 'string' }),
  ...plain('depot', undefined, { key: 'city', type: 'string' }),
  ...notifying('visit', { name: 'Visit' }),
  // Its display field is a link to another record.
  ...plain('booking', 'vehicle', link('vehicle')),
  ...plain('currency', 'code', { key: 'code', type: 'string' }),
  ...notifying('repair', {
    fields: [
      ...[link('vehicle'), link('depot'), link('booking'), link('currency')],
      { key: 'total', type: 'decimal', precision: 14, scale: 2 },
      { key: 'ordered_at', type: 'timestamp' },
      { key: 'needed_by', type: 'date' },
    ],
    content: {
      title: `${linked}, {{ record.booking }}: ${amount}`,
      message: '{% if record.vehicle %}{{ record.vehicle | upcase }}{% else %}none{% endif %}',
      due_date: '{{ record.needed_by }}',
    },
    subject: linked,
    text: `${linked}: ${amount}`,
  }),
  // Its display field has objects too.
  ...plain('client', 'terms', json),
  ...notifying('contract', {
    fields: [json, link('client')],
    content: { title: 'A contract', message: objects },
    subject: objects,
    text: objects,
  }),
}

const values = { total: '1895.01', ordered_at: '2026-11-24T08:00:00Z' }

const start = () => startMailing(files, { vera: 'clerk' })

const service = opened(() => start())
before(async () => {
  await service.database.pool.query(
    `WITH g AS (INSERT INTO records.user_group (code, name) VALUES ('all', 'All') RETURNING id)
     INSERT INTO records.user_group_member (user_group_id, user_id) SELECT id, unnest($1::integer[]) FROM g`,
    [[1, service.ids.vera]],
  )
})

type Told = { readonly title: string; readonly message: string; readonly due_date?: string }
type Delivery = { readonly id: number; readonly entity_id: number; readonly user: { id: number } }

/** Creates a record; returns its id, its deliveries and their e-mails, in the order of the recipients. */
const tell = async (entity: string, body: Record<string, unknown>, recipients = 1) => {
  const id = await service.create(entity, body)
  const deliveries = await until('the e-mails are sent', async () => {
    const path = `/api/deliveries?entity=${entity}&status=sent`
    const { data } = (await service.ask('GET', path)).json()
    const own = (data as Delivery[]).filter((one) => one.entity_id === id)
    return own.length === recipients && own.toSorted((one, other) => one.user.id - other.user.id)
  })
  const mails = (await mailsOf(service)).slice(-recipients)
  const { rows } = await service.database.pool.query<{ content: string }>(
    'SELECT content FROM docket.notification WHERE entity_key = $1 AND entity_id = $2 ORDER BY user_id',
    [entity, id],
  )
  return { id, deliveries, mails, told: rows.map(({ content }): Told => JSON.parse(content)) }
}

test('names of choices are at the places of their values, as far as the recipient may read these', async () => {
  const supplier_id = await service.create('supplier', { kind: 'near' })
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

// Languages write spaces of several kinds.
const spaced = (text = '') => text.replaceAll(/[\u00a0\u202f]/g, ' ').trim()

test('links, numbers and dates are the same in a notification, its explanation, its e-mail and the preview of this', async () => {
  const vehicle_id = await service.create('vehicle', { plate: 'ZG-1 <b>' })
  const depot_id = await service.create('depot', { city: 'Split' })
  const booking_id = await service.create('booking', { vehicle_id })
  const currency_id = await service.create('currency', { code: 'EUR' })
  const values = { total: '1895.01', needed_by: '2026-11-24', ordered_at: '2026-11-24T08:00:00Z' }
  const links = { vehicle_id, depot_id, booking_id, currency_id }
  const { id, deliveries, mails, told } = await tell('repair', { ...values, ...links })
  // A record is its display field, or else what it is called and its id.
  const printed = `ZG-1 <b>, ZG-1 <b>, depot ${depot_id}`
  const costs = 'EUR 1.895,01 by 24.11.2026, 09:00'
  const [{ title, message } = assert.fail()] = told
  assert.deepEqual([spaced(title), message], [`${printed}, ZG-1 <b>: ${costs}`, 'ZG-1 <B>'])
  assert.equal(mails[0]?.subject, printed)
  assert.equal(spaced(mails[0]?.text), `${printed}: ${costs}`)
  const event = { entityKey: 'repair', entityId: id, operation: 'create' }
  const reply = await service.ask('POST', '/api/notifications/explain', { body: event })
  const { content } = reply.json().entries[0].recipients[0]
  assert.deepEqual([content.title, content.message], [title, message])
  // A machine reads it.
  assert.ok(content.due_date)
  // Composed again by the process that answers.
  await service.database.pool.query('DELETE FROM docket.sent_message')
  const path = `/api/deliveries/${deliveries[0]?.id}/message`
  const preview = (await service.ask('GET', path)).json()
  assert.deepEqual([preview.as_sent, preview.subject], [false, printed])
  const empty = await tell('repair', {})
  assert.equal(empty.mails[0]?.subject, ', ,')
  assert.deepEqual([empty.told[0]?.title, empty.told[0]?.message], [', , , :  by', 'none'])
})

test('JSON is printed as JSON', async () => {
  for (const { value, text, days } of [
    // The names of functions, and of the prototype.
    { value: { days: 30, toString: 1 }, text: '{"days":30,"toString":1}', days: '30' },
    { value: JSON.parse('{"__proto__":null}'), text: '{"__proto__":null}', days: '' },
    { value: [{ toString: 'x' }, [{ a: 1 }]], text: '{"toString":"x"}{"a":1}', days: '' },
    { value: { days: { toString: 1 } }, text: '{"days":{"toString":1}}', days: '{"toString":1}' },
  ]) {
    const client_id = await service.create('client', { terms: value })
    const { mails, told } = await tell('contract', { client_id, terms: value })
    const display = Array.isArray(value) ? '{"toString":"x"},{"a":1}' : text
    const expected = [text, text.toUpperCase(), text, display, 'no number', days].join(' | ').trim()
    assert.deepEqual(
      [mails[0]?.subject, mails[0]?.text?.replaceAll(/\s+/g, ' ').trim(), told[0]?.message],
      [expected, expected, expected],
    )
  }
})

test('the PDF of an e-mail is in the language and the zone of its recipient', async () => {
  await service.create('printable_document', {
    code: 'receipt',
    name: 'Receipt',
    entity_key: 'receipt',
    template_source: `#import "/docket.typ": date, number
#let (record, labels, language) = json("data.json")
#language #labels.receipt.total #number(record.total) #date(record.ordered_at)`,
  })
  const printedFor = async (settings: object) => {
    await service.ask('PATCH', '/console/-/settings.json', { body: settings })
    const { mails } = await tell('receipt', values)
    const { pages } = await readPdf(mails[0]?.attachments[0]?.content ?? assert.fail())
    return spaced(pages.join())
  }
  const inEnglish = { language: 'en', timeZone: 'Asia/Tokyo' }
  assert.equal(await printedFor(inEnglish), 'en Total 1,895.01 Nov 24, 2026, 5:00 PM')
  const unset = { language: null, timeZone: null }
  assert.equal(await printedFor(unset), 'de Summe 1 895,01 24.11.2026, 09:00')
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

test('a recipient reads in the language and the zone of their settings, and what they may not choose is not chosen', async () => {
  const set = async (body: object) =>
    (await service.ask('PATCH', '/console/-/settings.json', { body })).json(200)
  const costsFor = async (settings: object) => {
    await set(settings)
    const { mails, told } = await tell('repair', values)
    assert.ok(spaced(mails[0]?.text).endsWith(spaced(told[0]?.title.split(': ')[1])))
    return spaced(told[0]?.title.split(': ')[1])
  }
  assert.equal(
    await costsFor({ language: 'en', timeZone: 'Asia/Tokyo' }),
    '1,895.01 by Nov 24, 2026, 5:00 PM',
  )
  assert.equal(
    await costsFor({ language: 'xx', timeZone: 'Mars/Base' }),
    '1 895,01 by 24.11.2026, 09:00',
  )
  assert.equal(
    await costsFor({ language: ['en'], timeZone: null }),
    '1 895,01 by 24.11.2026, 09:00',
  )
  await set({ language: 'en' })
  const visit = await tell('visit', {})
  assert.deepEqual(
    [visit.told[0]?.title, visit.mails[0]?.subject],
    Array(2).fill(`New: Visit ${visit.id}`),
  )
  assert.match(visit.mails[0]?.text ?? '', /Dear Administrator,/)
  assert.match(visit.mails[0]?.html || '', /lang="en"/)
  const supplier_id = await service.create('supplier', { kind: 'near' })
  const { told } = await tell('order', { supplier_id, urgency: 'high' }, 2)
  assert.deepEqual(
    told.map(({ title }) => title),
    // A value without a name is called by its words.
    ['Order: High (high), Draft, Near.', 'Bestellung:  (), Draft, .'],
  )
  await set({ language: null })
})
