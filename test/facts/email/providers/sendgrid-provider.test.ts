/** E-mails through the API of SendGrid (v3 Mail Send), as its API reference describes it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { EmailProvider } from '../../../../src/email/provider.ts'
import { sendgridProvider } from '../../../../src/email/providers/sendgrid-provider.ts'
import {
  allBytes,
  anEmail,
  attachment,
  deliveryErrorOf,
  hostileTexts,
  sender,
} from '../../../support/email/an-email.ts'
import {
  type Api,
  requestFor,
  startApi,
  templateData,
  testErrors,
} from '../../../support/email/providers/an-api.ts'

const key = 'SG.s3cret'
const start = async () => {
  const api = await startApi({ status: 202, body: '' })
  return { api, provider: await sendgridProvider({ key, apiUrl: `${api.url}/`, sender }) }
}

let api: Api
let provider: EmailProvider
before(async () => {
  const started = await start()
  api = started.api
  provider = started.provider
})
after(() => api.stop())
const bodyOf = async (values: object = {}) =>
  JSON.parse(String((await requestFor(api, provider, values)).body))

test('an e-mail is sent with both parts, its message id and its reply address', async () => {
  const { method, path, headers, body } = await requestFor(api, provider)
  assert.deepEqual([method, path], ['POST', '/v3/mail/send'])
  assert.equal(headers.authorization, `Bearer ${key}`)
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(String(body)), {
    from: { name: sender.name, email: sender.address },
    reply_to: { email: sender.replyTo },
    personalizations: [{ to: [{ name: 'Anna Example', email: 'anna@example.com' }] }],
    subject: 'Order PO-1',
    headers: { 'Message-ID': '<event-1.0.7@docket.example.com>' },
    content: [
      { type: 'text/plain', value: 'Dear Anna,\n\nPO-1 was approved.' },
      { type: 'text/html', value: '<p>Dear Anna,</p><p>PO-1 was approved.</p>' },
    ],
  })
})

test('a SendGrid template gets its data unchanged', async () => {
  const body = await bodyOf({ templateId: 'd-1234', templateData, html: undefined })
  assert.equal(body.template_id, 'd-1234')
  assert.equal(body.content, undefined)
  assert.deepEqual(body.personalizations, [
    {
      to: [{ name: 'Anna Example', email: 'anna@example.com' }],
      dynamic_template_data: templateData,
    },
  ])
})

test('a legacy SendGrid template gets its data as substitutions by path', async () => {
  const body = await bodyOf({ templateId: '0a1b', templateData, html: undefined })
  assert.equal(body.template_id, '0a1b')
  const [{ dynamic_template_data, substitutions }] = body.personalizations
  assert.equal(dynamic_template_data, undefined)
  assert.equal(substitutions['{{title}}'], templateData.title)
  assert.equal(substitutions['{{record.full_name}}'], 'Žofija')
  assert.equal(substitutions['{{record.someField}}'], '1')
  assert.equal(substitutions['{{recipient.email}}'], 'anna@example.com')
  assert.equal(substitutions['{{comment}}'], '')
})

test('data beyond the limit of a legacy template is not retried, and the message names the alternative', async () => {
  const large = { ...templateData, title: 'x'.repeat(10_000) }
  const email = anEmail({ templateId: '0a1b', templateData: large, html: undefined })
  const { retryable, message } = await deliveryErrorOf(provider, email)
  assert.equal(retryable, false)
  assert.match(message, /legacy template takes 10000; use a dynamic template/)
})

test('attachments and the unsubscribe link are sent', async () => {
  const body = await bodyOf({
    attachments: [attachment('narudžba.bin', allBytes)],
    unsubscribeUrl: 'https://d.example/u?token=a.b',
  })
  const [{ content, ...rest }] = body.attachments
  assert.deepEqual(rest, {
    filename: 'narudžba.bin',
    type: 'application/octet-stream',
    disposition: 'attachment',
  })
  assert.ok(Buffer.from(content, 'base64').equals(allBytes))
  assert.deepEqual(body.headers, {
    'List-Unsubscribe': '<https://d.example/u?token=a.b>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Message-ID': '<event-1.0.7@docket.example.com>',
  })
})

test('hostile texts are sent as values', async () => {
  for (const text of hostileTexts) {
    const body = await bodyOf({
      to: { name: text, address: 'anna@example.com' },
      subject: text,
      attachments: [attachment(text)],
    })
    assert.deepEqual(body.personalizations, [{ to: [{ name: text, email: 'anna@example.com' }] }])
    assert.equal(body.subject, text)
    assert.equal(body.attachments[0].filename, text)
  }
})

const errorBody = (message: string) => ({ errors: [{ message, field: null, help: null }] })
testErrors({
  start,
  secret: 's3cret',
  errors: [
    [
      'a bad request (400) is not retried, and its message has every error',
      {
        status: 400,
        body: { errors: [{ message: 'no such template' }, { message: 'bad address' }] },
      },
      { retryable: false, message: 'SendGrid: 400 no such template; bad address' },
    ],
    [
      'a message that is too large (413) is not retried',
      { status: 413, body: errorBody('too large') },
      { retryable: false, message: 'SendGrid: 413 too large' },
    ],
    [
      'a wrong key (401) is retried',
      { status: 401, body: errorBody('authorization required') },
      { retryable: true, message: 'SendGrid: 401 authorization required' },
    ],
    [
      'a key that may not send (403) is retried',
      { status: 403, body: errorBody('access forbidden') },
      { retryable: true, message: 'SendGrid: 403 access forbidden' },
    ],
    [
      'too many requests (429) is retried after the time of Retry-After',
      { status: 429, headers: { 'Retry-After': '120' }, body: errorBody('too many requests') },
      { retryable: true, message: 'SendGrid: 429 too many requests', retryAfterMs: 120_000 },
    ],
    [
      'too many requests (429) with a reset time in the past are retried without a wait',
      { status: 429, headers: { 'X-RateLimit-Reset': '1392815263' }, body: errorBody('too many') },
      { retryable: true, message: 'SendGrid: 429 too many', retryAfterMs: 0 },
    ],
    [
      'a server error (500) is retried',
      { status: 500, body: 'oops' },
      { retryable: true, message: 'SendGrid: 500 Internal Server Error' },
    ],
    [
      'a gateway that answers HTML (502) is retried',
      { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<html>' },
      { retryable: true, message: 'SendGrid: 502 Bad Gateway' },
    ],
  ],
})
