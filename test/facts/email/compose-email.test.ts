/** composeEmail: the template, its data and the attachments of the e-mail of a delivery. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TakenDelivery } from '../../../src/outbox/delivery.ts'
import {
  type ComposeDeps,
  composeEmail,
  type EmailAttachments,
} from '../../../src/outbox/email/compose-email.ts'
import { builtInTemplate, compileEmailTemplate } from '../../../src/outbox/email/email-template.ts'
import type { TemplateLibrary } from '../../../src/outbox/email/template-library.ts'
import { attachment, hostileTexts } from '../../support/email/an-email.ts'

const mjml = (text: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`
const compiled = (subject: string, text: string, locale?: string) =>
  compileEmailTemplate(`---\nsubject: ${subject}\n---\n${mjml(text)}`, locale)

const compiledOnce = await compileEmailTemplate(builtInTemplate())
const builtIn = async () => compiledOnce
const own = await compiled('Own {{ record.number }}', 'Own: {{ record.notes }} {{ url }}')

const plain = { icon: 'plus', due_at: null, title: '', message: '', url: null }
const aDelivery = (values: Partial<TakenDelivery> = {}): TakenDelivery => ({
  id: 1,
  mailing_id: 2,
  event: '4d4c1a9c-5f7e-4c0a-9d53-0b7f3f0a0001',
  entry: '0',
  tries: 1,
  entity_key: 'order',
  entity_id: 1,
  operation: 'create',
  template_id: null,
  target: null,
  shared: null,
  webhook_body: null,
  data: {
    record: { id: 12, number: 'PO-1', notes: 'first' },
    actor: { full_name: 'Boris' },
    entity: { key: 'order', name: 'Order' },
    action: {},
    comment: null,
  },
  user_id: 7,
  address: 'anna@example.com',
  full_name: 'Anna Example',
  role_key: 'buyer',
  has_documents: true,
  has_printed: false,
  audience: '',
  is_active: true,
  traceparent: null,
  language: null,
  time_zone: null,
  notification_id: '019df21b-c740-7a17-b6c0-93a1905f2457',
  notified_at: '2026-05-04T08:30:00.000Z',
  content: { ...plain, title: 'New: Order PO-1', message: 'Boris created\nOrder PO-1.' },
  ...values,
})

/** A library with these templates of a project. */
const libraryWith =
  (templates: Record<string, typeof own>, broken = new Map<string, string>()) =>
  async (): Promise<TemplateLibrary> => {
    const library = { templates: new Map(Object.entries(templates)), broken, builtIn }
    return { ...library, digest: builtIn, inLanguage: libraryWith(templates, broken) }
  }

/** Composes the e-mail of a delivery with the given values, by default with the templates of a project. */
const compose = (
  delivery: Partial<TakenDelivery> = {},
  {
    templates = 'project',
    documents = { attachments: [], links: [], missing: [] },
    ...deps
  }: Partial<ComposeDeps> & { documents?: EmailAttachments } = {},
) =>
  composeEmail(
    {
      templates,
      libraryOf: libraryWith({ own }),
      defaultTemplateId: undefined,
      reading: { locale: undefined, timeZone: 'UTC' },
      replyTo: undefined,
      publicUrl: 'https://docket.example.com/base',
      attachmentsOf: async () => documents,
      unsubscribeUrlOf: () => 'https://docket.example.com/base/u?token=a.b',
      ...deps,
    },
    aDelivery(delivery),
  )

test('without a template the e-mail has the title and the message of the notification', async () => {
  const { html = '', text, ...email } = await compose()
  assert.partialDeepStrictEqual(email, {
    subject: 'New: Order PO-1',
    templateId: undefined,
    to: { name: 'Anna Example', address: 'anna@example.com' },
  })
  assert.match(html, /Dear Anna Example,.*Boris created<br ?\/>\s*Order PO-1\./s)
  assert.match(text, /Dear Anna Example,\s+Boris created\s+Order PO-1\./)
  assert.match(html, /<a href="https:\/\/docket\.example\.com\/base\/u\?token=a\.b"[^>]*>No more/)
})

test('the message id is derived from the event, the rule and the recipient', async () => {
  const { messageId } = await compose()
  assert.equal(messageId, '<4d4c1a9c-5f7e-4c0a-9d53-0b7f3f0a0001.0.7@docket.example.com>')
  assert.equal((await compose({ tries: 5, id: 99 })).messageId, messageId)
  for (const other of [{ event: 'x' }, { entry: '1' }, { user_id: 8 }])
    assert.notEqual((await compose(other)).messageId, messageId)
  for (const text of hostileTexts)
    assert.match((await compose({ event: text })).messageId, /^<[\w.+-]+@docket\.example\.com>$/)
})

test('the template of the rule is used, else the default template, else the built-in one', async () => {
  const subjects = [
    await compose({ template_id: 'own' }, { defaultTemplateId: 'none' }),
    await compose({}, { defaultTemplateId: 'own' }),
    await compose(),
  ].map(({ subject }) => subject)
  assert.deepEqual(subjects, ['Own PO-1', 'Own PO-1', 'New: Order PO-1'])
  // Unknown ones are not looked for elsewhere.
  for (const id of ['d-123', '../../etc/passwd', '__proto__', ''])
    assert.equal((await compose({ template_id: id })).subject, 'New: Order PO-1')
})

test('an e-mail with an invalid template is retried, and other templates still work', async () => {
  const broken = new Map([['new', 'email-templates/new.mjml:3:1 is not valid MJML']])
  const libraryOf = libraryWith({ own }, broken)
  await assert.rejects(compose({ template_id: 'new' }, { libraryOf }), {
    name: 'DeliveryError',
    retryable: true,
    message: broken.get('new'),
  })
  assert.ok(await compose({ template_id: 'own' }, { libraryOf }))
})

test('a template of the provider gets all data, and the service renders nothing', async () => {
  const email = await compose({ template_id: 'd-1' }, { templates: 'provider' })
  assert.deepEqual([email.templateId, email.html], ['d-1', undefined])
  assert.deepEqual(email.templateData, {
    ...aDelivery().data,
    recipient: { id: 7, full_name: 'Anna Example', email: 'anna@example.com' },
    title: 'New: Order PO-1',
    message: 'Boris created\nOrder PO-1.',
    message_has_comment: false,
    url: null,
    attachments: [],
    links: [],
    missing: [],
    unsubscribe_url: 'https://docket.example.com/base/u?token=a.b',
  })
  const without = await compose({}, { templates: 'provider' })
  assert.deepEqual([without.templateId, typeof without.html], [undefined, 'string'])
})

test('texts of a record, of the notification and of people are escaped as HTML and not evaluated as Liquid', async () => {
  const notes = '{{ 7 | times: 6 }} {% assign x = 1 %}<b>x</b> "&\''
  const record = { number: `{{ 7 }}\r\n${notes}`, notes }
  const own = await compose({ template_id: 'own', data: { ...aDelivery().data, record } })
  assert.ok(own.html?.includes('Own: {{ 7 | times: 6 }} {% assign x = 1 %}&lt;b&gt;x&lt;/b&gt;'))
  assert.ok(own.text.includes(notes))
  assert.equal(own.subject, `Own {{ 7 }} ${notes}`)
  const markup = '{{ 7 | times: 6 }}<b>x</b>'
  const { html, subject } = await compose({
    full_name: markup,
    content: { ...plain, title: markup, message: markup },
    data: { ...aDelivery().data, comment: markup },
  })
  assert.equal(subject, markup)
  assert.equal(html?.includes('<b>x</b>'), false)
  // The title three times, twice of them outside of the text; the name, the message, the comment.
  assert.equal(html?.split('{{ 7 | times: 6 }}&lt;b&gt;x&lt;/b&gt;').length, 1 + 3 + 3)
})

test('a subject is one line, whatever the record contains', async () => {
  for (const title of ['a\r\nb', 'a\n\n\nb', ' a\tb ', 'a\u2028b'])
    assert.equal((await compose({ content: { ...plain, title } })).subject, 'a b')
})

test('a path of the service becomes an absolute URL, and other schemes are not linked', async () => {
  const urlOf = async (url: string | null) => {
    const email = await compose({ content: { ...plain, url } })
    assert.equal(/>\s*Open\s*</.test(email.html ?? ''), email.templateData.url !== null)
    return email.templateData.url
  }
  assert.equal(await urlOf('/console/order/12'), 'https://docket.example.com/base/console/order/12')
  const elsewhere = 'https://elsewhere.example/x?y=1&z="'
  assert.equal(await urlOf(elsewhere), elsewhere)
  for (const url of [null, '', 'javascript:alert(1)', '//attacker.example', 'console/order'])
    assert.equal(await urlOf(url), null)
})

test('documents are attached, large ones are linked, and failed ones are listed', async () => {
  const documents = {
    attachments: [attachment('a.pdf')],
    links: [{ filename: 'large "1".pdf', url: 'https://d.example/a?t=1&u=2', until: '2026-02-01' }],
    missing: ['PO <1>'],
  }
  // With a template that prints them and with one that does not.
  for (const template_id of [null, 'own']) {
    const { attachments, html, text, templateData } = await compose({ template_id }, { documents })
    assert.deepEqual(attachments, documents.attachments)
    assert.deepEqual(templateData.attachments, [
      { filename: 'a.pdf', mimetype: 'application/octet-stream' },
    ])
    assert.ok(html?.includes('href="https://d.example/a?t=1&amp;u=2">large &#34;1&#34;.pdf</a>'))
    assert.ok(html?.includes('The attachment PO &lt;1&gt; could not be created'))
    assert.match(text, /large "1"\.pdf/)
    assert.match(text, /The attachment PO <1> could not be created; it is missing\s+here\./)
  }
  assert.doesNotMatch((await compose({ template_id: 'own' })).html ?? '', /attachment|until/)
  // They are not appended to what prints them.
  const printing = await compiled('x', 'Lacks {{ missing | join: ", " }}, {{ links | size }} links')
  const libraryOf = libraryWith({ printing })
  const { html = '' } = await compose({ template_id: 'printing' }, { libraryOf, documents })
  assert.match(html, /Lacks PO &lt;1&gt;, 1 links/)
  assert.doesNotMatch(html, /could not be created|d\.example/)
})

test('what is appended to a template of the project is in its language', async () => {
  const links = [{ filename: 'large.pdf', url: 'https://d.example/a', until: '2026-02-01' }]
  const documents = { attachments: [], links, missing: ['PO-1'] }
  for (const [locale, link, missing] of [
    ['de-AT', 'bis 01.02.2026', 'Der Anhang PO-1 konnte nicht'],
    ['fr', 'jusqu’au 1 févr. 2026', 'La pièce jointe PO-1 n’a pas pu'],
    // Without texts of its language it is English.
    ['it', 'until 1 feb 2026', 'The attachment PO-1 could not'],
  ] as const) {
    const libraryOf = libraryWith({ own: await compiled('x', 'Own', locale) })
    const reading = { locale, timeZone: 'UTC' }
    const { text } = await compose({ template_id: 'own' }, { libraryOf, reading, documents })
    const said = text.replaceAll(/\s+/g, ' ')
    assert.ok(said.includes(`(${link})`), said)
    assert.ok(said.includes(missing), said)
  }
})

test('a recipient who is not active any more gets no e-mail', async () => {
  await assert.rejects(compose({ is_active: false }), { name: 'DeliveryError', retryable: false })
})
