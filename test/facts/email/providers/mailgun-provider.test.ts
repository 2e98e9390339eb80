/** E-mails through the API of Mailgun (v3 Messages), as its API reference describes it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { EmailProvider } from '../../../../src/email/provider.ts'
import { mailgunProvider } from '../../../../src/email/providers/mailgun-provider.ts'
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

const key = 's3cret'
const start = async () => {
  const api = await startApi({ status: 200, body: { id: '<1@mg>', message: 'Queued. Thank you.' } })
  const options = { key, domain: 'mg.example.com', apiUrl: api.url, sender }
  return { api, provider: await mailgunProvider(options) }
}

let api: Api
let provider: EmailProvider
before(async () => {
  const started = await start()
  api = started.api
  provider = started.provider
})
after(() => api.stop())

const formOf = async (values: object = {}) => {
  const { headers, body } = await requestFor(api, provider, values)
  const type = headers['content-type'] ?? ''
  return new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData()
}

const from = `"Docket \\"of\\" Žagreb" <${sender.address}>`

test('an e-mail is sent with both parts, its message id and its reply address', async () => {
  const { method, path, headers } = await requestFor(api, provider)
  assert.deepEqual([method, path], ['POST', '/v3/mg.example.com/messages'])
  assert.equal(headers.authorization, `Basic ${Buffer.from(`api:${key}`).toString('base64')}`)
  assert.match(headers['content-type'] ?? '', /^multipart\/form-data/)
  assert.deepEqual(Object.fromEntries(await formOf()), {
    from,
    to: '"Anna Example" <anna@example.com>',
    subject: 'Order PO-1',
    text: 'Dear Anna,\r\n\r\nPO-1 was approved.',
    html: '<p>Dear Anna,</p><p>PO-1 was approved.</p>',
    'h:Reply-To': sender.replyTo,
    'h:Message-Id': '<event-1.0.7@docket.example.com>',
  })
})

test('hasTaken looks for the message id in the events', async (t) => {
  const { api, provider } = await start()
  t.after(api.stop)
  const answers = []
  for (const items of [[{ event: 'accepted' }], []]) {
    api.next = { status: 200, body: { items, paging: {} } }
    answers.push(await provider.hasTaken?.('<event-1.0.7@docket.example.com>', neverAborted))
  }
  assert.deepEqual(answers, [true, false])
  const [asked] = api.asked
  assert.equal(asked?.method, 'GET')
  const { pathname, searchParams } = new URL(asked?.path ?? '', api.url)
  assert.equal(pathname, '/v3/mg.example.com/events')
  assert.equal(searchParams.get('message-id'), 'event-1.0.7@docket.example.com')
})

test('a Mailgun template gets its data unchanged', async () => {
  const form = await formOf({ templateId: 'approved', templateData, html: undefined })
  assert.equal(form.get('template'), 'approved')
  assert.deepEqual(JSON.parse(String(form.get('t:variables'))), templateData)
  assert.deepEqual([form.get('text'), form.get('html')], [null, null])
})

test('attachments and the unsubscribe link are sent', async () => {
  const form = await formOf({
    attachments: [
      attachment('narudžba.bin', allBytes),
      { filename: 'a.pdf', mimetype: 'application/pdf', data: allBytes.subarray(5, 50) },
    ],
    unsubscribeUrl: 'https://d.example/u?token=a.b',
  })
  const files = form.getAll('attachment').map((file) => file as File)
  assert.deepEqual(
    files.map(({ name, type }) => [name, type]),
    [
      ['narudžba.bin', 'application/octet-stream'],
      ['a.pdf', 'application/pdf'],
    ],
  )
  const [first, second] = await Promise.all(files.map((file) => file.arrayBuffer()))
  assert.ok(allBytes.equals(Buffer.from(first ?? assert.fail())))
  assert.ok(allBytes.subarray(5, 50).equals(Buffer.from(second ?? assert.fail())))
  assert.equal(form.get('h:List-Unsubscribe'), '<https://d.example/u?token=a.b>')
  assert.equal(form.get('h:List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
})

test('hostile texts add no field and no recipient', async () => {
  const known = [...(await formOf({ attachments: [attachment('a')] })).keys()]
  for (const text of hostileTexts) {
    const form = await formOf({
      to: { name: text, address: 'anna@example.com' },
      subject: text,
      attachments: [attachment(text)],
    })
    assert.deepEqual([...form.keys()], known)
    const to = String(form.get('to'))
    // Only the address is outside of the quotes, and there is no line break.
    assert.match(to, /^"(?:[^"\\\r\n]|\\.)*" <anna@example\.com>$/)
  }
})

testErrors({
  start,
  secret: key,
  errors: [
    [
      'a bad request (400) is not retried',
      { status: 400, body: { message: "'to' parameter is not a valid address" } },
      { retryable: false, message: "Mailgun: 400 'to' parameter is not a valid address" },
    ],
    [
      'a wrong key (401) is retried',
      { status: 401, headers: { 'Content-Type': 'text/plain' }, body: 'Forbidden' },
      { retryable: true, message: 'Mailgun: 401 Forbidden' },
    ],
    [
      'an unknown domain (404) is not retried',
      { status: 404, body: { message: 'Domain not found' } },
      { retryable: false, message: 'Mailgun: 404 Domain not found' },
    ],
    [
      'too many requests (429) is retried',
      { status: 429, body: { message: 'Too many requests' } },
      { retryable: true, message: 'Mailgun: 429 Too many requests' },
    ],
    [
      'a server error (500) is retried',
      { status: 500, body: { message: 'Internal error' } },
      { retryable: true, message: 'Mailgun: 500 Internal error' },
    ],
    [
      'a gateway that answers HTML (502) is retried',
      { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<html>' },
      { retryable: true, message: 'Mailgun: 502 <html>' },
    ],
  ],
})
