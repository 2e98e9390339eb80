/** E-mails through the API of Postmark, as its API reference describes it. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { EmailProvider } from '../../../../src/email/provider.ts'
import { postmarkProvider } from '../../../../src/email/providers/postmark-provider.ts'
import {
  allBytes,
  attachment,
  hostileTexts,
  neverAborted,
  sender,
} from '../../../support/email/an-email.ts'
import {
  type Api,
  requestFor,
  startApi,
  templateData,
  testErrors,
} from '../../../support/email/providers/an-api.ts'

const token = 's3cret-server-token'
const start = async () => {
  const api = await startApi({ status: 200, body: { ErrorCode: 0, Message: 'OK' } })
  return { api, provider: await postmarkProvider({ token, apiUrl: api.url, sender }) }
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

// SHA-256 of the message id.
const docketId = createHash('sha256').update('<event-1.0.7@docket.example.com>').digest('hex')
const idHeaders = [
  { Name: 'Message-ID', Value: '<event-1.0.7@docket.example.com>' },
  { Name: 'X-PM-KeepID', Value: 'true' },
]

test('an e-mail is sent with both parts, its message id and its reply address', async () => {
  const { method, path, headers, body } = await requestFor(api, provider)
  assert.deepEqual([method, path], ['POST', '/email'])
  assert.equal(headers['x-postmark-server-token'], token)
  assert.deepEqual(JSON.parse(String(body)), {
    From: `"Docket \\"of\\" Žagreb" <${sender.address}>`,
    To: '"Anna Example" <anna@example.com>',
    ReplyTo: sender.replyTo,
    Subject: 'Order PO-1',
    TextBody: 'Dear Anna,\n\nPO-1 was approved.',
    HtmlBody: '<p>Dear Anna,</p><p>PO-1 was approved.</p>',
    Headers: idHeaders,
    Metadata: { docket_id: docketId },
    Attachments: [],
  })
})

test('hasTaken looks for the message id in the list of messages', async (t) => {
  const { api, provider } = await start()
  t.after(api.stop)
  const answers = []
  for (const TotalCount of [1, 0]) {
    api.next = { status: 200, body: { TotalCount, Messages: [] } }
    answers.push(await provider.hasTaken?.('<event-1.0.7@docket.example.com>', neverAborted))
  }
  assert.deepEqual(answers, [true, false])
  const { pathname, searchParams } = new URL(api.asked[0]?.path ?? '', api.url)
  assert.equal(pathname, '/messages/outbound')
  assert.equal(searchParams.get('metadata_docket_id'), docketId)
})

test('a Postmark template is named by number or alias and gets its data unchanged', async () => {
  for (const [templateId, name] of [
    ['1234', { TemplateId: 1234 }],
    ['approved-1', { TemplateAlias: 'approved-1' }],
  ] as const) {
    const { path, body } = await requestFor(api, provider, { templateId, templateData })
    assert.equal(path, '/email/withTemplate')
    const { From, To, ReplyTo, Headers, Metadata, Attachments, ...rest } = JSON.parse(String(body))
    assert.deepEqual(rest, { ...name, TemplateModel: templateData })
  }
})

test('attachments and the unsubscribe link are sent', async () => {
  const { Attachments, Headers } = await bodyOf({
    attachments: [attachment('narudžba.bin', allBytes)],
    unsubscribeUrl: 'https://d.example/u?token=a.b',
  })
  const [{ Content, ...rest }] = Attachments
  assert.deepEqual(rest, {
    Name: 'narudžba.bin',
    ContentType: 'application/octet-stream',
    ContentID: null,
  })
  assert.ok(Buffer.from(Content, 'base64').equals(allBytes))
  assert.deepEqual(Headers, [
    { Name: 'List-Unsubscribe', Value: '<https://d.example/u?token=a.b>' },
    { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
    ...idHeaders,
  ])
})

test('hostile texts add no recipient', async () => {
  for (const text of hostileTexts) {
    const { To, Subject, Attachments } = await bodyOf({
      to: { name: text, address: 'anna@example.com' },
      subject: text,
      attachments: [attachment(text)],
    })
    assert.match(To, /^"(?:[^"\\\r\n]|\\.)*" <anna@example\.com>$/)
    assert.deepEqual([Subject, Attachments[0].Name], [text, text])
  }
})

const errorBody = (ErrorCode: number, Message: string) => ({ ErrorCode, Message })
testErrors({
  start,
  secret: token,
  errors: [
    [
      'a bad request (422, code 300) is not retried',
      { status: 422, body: errorBody(300, "Invalid 'To' address") },
      { retryable: false, message: "Postmark: 422 Invalid 'To' address" },
    ],
    [
      'an address that has bounced before (422, code 406) is not retried',
      { status: 422, body: errorBody(406, 'Inactive recipient') },
      { retryable: false, message: 'Postmark: 422 Inactive recipient' },
    ],
    [
      'an unknown template (422, code 1101) is not retried',
      { status: 422, body: errorBody(1101, 'No such template') },
      { retryable: false, message: 'Postmark: 422 No such template' },
    ],
    [
      'a sender that is not confirmed (422, code 400) is retried',
      { status: 422, body: errorBody(400, 'Sender signature not found') },
      { retryable: true, message: 'Postmark: 422 Sender signature not found' },
    ],
    [
      'a wrong token (401, code 10) is retried',
      { status: 401, body: errorBody(10, 'Bad or missing API token') },
      { retryable: true, message: 'Postmark: 401 Bad or missing API token' },
    ],
    [
      'maintenance (503, code 100) is retried',
      { status: 503, body: errorBody(100, 'Maintenance') },
      { retryable: true, message: 'Postmark: 503 Maintenance' },
    ],
    [
      'too many requests (429) is retried after the time of Retry-After',
      {
        status: 429,
        headers: { 'Retry-After': '30' },
        body: errorBody(429, 'Rate limit exceeded'),
      },
      { retryable: true, message: 'Postmark: 429 Rate limit exceeded', retryAfterMs: 30_000 },
    ],
    [
      'a message that is too large (413) is not retried',
      { status: 413, body: '' },
      { retryable: false, message: 'Postmark: 413 Request returned status code 413' },
    ],
    [
      'a server error (500) is retried',
      { status: 500, body: '<html>' },
      { retryable: true, message: 'Postmark: 500 Request returned status code 500' },
    ],
  ],
})
