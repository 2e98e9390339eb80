/** E-mails through the API of Amazon SES (v2 SendEmail), as its API reference describes it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { simpleParser } from 'mailparser'
import type { EmailProvider } from '../../../../src/email/provider.ts'
import { sesProvider } from '../../../../src/email/providers/ses-provider.ts'
import {
  allBytes,
  anEmail,
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

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 's3cret' }
const options = { region: 'eu-central-1', credentials, sender }
const start = async () => {
  const api = await startApi({ status: 200, body: { MessageId: '1' } })
  return { api, provider: await sesProvider({ ...options, apiUrl: api.url }) }
}

let api: Api
let provider: EmailProvider
before(async () => {
  const started = await start()
  api = started.api
  provider = started.provider
})
after(async () => {
  await provider.close()
  await api.stop()
})
const bodyOf = async (values: object = {}) =>
  JSON.parse(String((await requestFor(api, provider, values)).body))
const parsed = async (values: object) =>
  simpleParser(Buffer.from((await bodyOf(values)).Content.Raw.Data, 'base64'))

test('an e-mail is sent as raw MIME, signed for its region', async () => {
  const { method, path, headers, body } = await requestFor(api, provider)
  assert.deepEqual([method, path], ['POST', '/v2/email/outbound-emails'])
  assert.match(
    headers.authorization ?? '',
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/ses\/aws4_request, /,
  )
  const { Content, ...rest } = JSON.parse(String(body))
  assert.deepEqual(rest, {
    FromEmailAddress: `=?UTF-8?B?${Buffer.from(sender.name).toString('base64')}?= <${sender.address}>`,
    Destination: { ToAddresses: ['anna@example.com'] },
    ReplyToAddresses: [sender.replyTo],
  })
  assert.deepEqual(Object.keys(Content), ['Raw'])
  const mail = await simpleParser(Buffer.from(Content.Raw.Data, 'base64'))
  assert.equal(mail.messageId, '<event-1.0.7@docket.example.com>')
  assert.deepEqual(mail.from?.value, [{ name: sender.name, address: sender.address }])
  assert.equal(mail.subject, 'Order PO-1')
  assert.equal(mail.text?.trim(), 'Dear Anna,\n\nPO-1 was approved.')
  assert.equal(String(mail.html).trim(), anEmail().html)
})

test('the MIME message has the attachments and the unsubscribe link', async () => {
  const mail = await parsed({
    attachments: [attachment('narudžba.bin', allBytes)],
    unsubscribeUrl: 'https://d.example/u?token=a.b',
  })
  assert.equal(mail.attachments[0]?.filename, 'narudžba.bin')
  assert.ok(mail.attachments[0]?.content.equals(allBytes))
  assert.deepEqual(
    mail.headerLines.filter(({ key }) => key.startsWith('list-')).map(({ line }) => line),
    [
      'List-Unsubscribe: <https://d.example/u?token=a.b>',
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ],
  )
})

test('an SES template gets its data, the attachments and the unsubscribe link', async () => {
  const { Content } = await bodyOf({
    templateId: 'approved',
    templateData,
    html: undefined,
    attachments: [attachment('narudžba.bin', allBytes)],
    unsubscribeUrl: 'https://d.example/u?token=a.b',
  })
  assert.deepEqual(Object.keys(Content), ['Template'])
  const { TemplateName, TemplateData, Headers, Attachments } = Content.Template
  assert.equal(TemplateName, 'approved')
  assert.deepEqual(JSON.parse(TemplateData), templateData)
  assert.deepEqual(Headers, [
    { Name: 'List-Unsubscribe', Value: '<https://d.example/u?token=a.b>' },
    { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
  ])
  const [{ RawContent, ...rest }] = Attachments
  assert.deepEqual(rest, { FileName: 'narudžba.bin', ContentType: 'application/octet-stream' })
  assert.ok(Buffer.from(RawContent, 'base64').equals(allBytes))
})

test('hostile texts add no header and no recipient', async () => {
  const keysOf = (mail: Awaited<ReturnType<typeof parsed>>) =>
    mail.headerLines.map(({ key }) => key).sort()
  const known = keysOf(await parsed({ attachments: [attachment('a')] }))
  for (const text of hostileTexts)
    assert.deepEqual(
      keysOf(
        await parsed({
          to: { name: text, address: 'anna@example.com' },
          subject: text,
          attachments: [attachment(text)],
        }),
      ),
      known,
    )
})

test('a long sender name is encoded in several words, a name with quotes is quoted', async (t) => {
  for (const [name, expected] of [
    ['株式会社'.repeat(9), /^(=\?UTF-8\?B\?[\w+/=]{1,63}\?= )+<docket@example\.com>$/],
    ['Docket\r\nBcc: eve', /^"Docket Bcc: eve" <docket@example\.com>$/],
    ['"D" \\', /^"\\"D\\" \\\\" <docket@example\.com>$/],
  ] as const) {
    const from = { ...sender, name }
    const other = await sesProvider({ ...options, apiUrl: api.url, sender: from })
    t.after(other.close)
    const { body } = await requestFor(api, other, { templateId: 'approved' })
    assert.match(JSON.parse(String(body)).FromEmailAddress, expected)
  }
})

test('missing credentials are retried', async (t) => {
  // Credentials of this machine must not be found.
  const names = ['AWS_EC2_METADATA_DISABLED', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']
  const before = names.map((name) => process.env[name])
  names.forEach((name, index) => {
    process.env[name] = index === 0 ? 'true' : '/dev/null'
  })
  t.after(() => {
    names.forEach((name, index) => {
      const value = before[index]
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    })
  })
  const other = await sesProvider({ ...options, credentials: undefined, apiUrl: api.url })
  t.after(other.close)
  await assert.rejects(other.send(anEmail(), neverAborted), {
    retryable: true,
    message: /^SES: CredentialsProviderError/,
  })
})

const errorAnswer = (type: string, message: string) => ({
  headers: { 'x-amzn-ErrorType': type },
  body: { message },
})
testErrors({
  start,
  secret: 's3cret',
  errors: [
    [
      'a bad request (400) is not retried',
      { status: 400, ...errorAnswer('BadRequestException', 'Missing final @domain') },
      { retryable: false, message: 'SES: 400 BadRequestException: Missing final @domain' },
    ],
    [
      'a rejected message (400) is not retried',
      { status: 400, ...errorAnswer('MessageRejected', 'Email address is not verified') },
      { retryable: false, message: 'SES: 400 MessageRejected: Email address is not verified' },
    ],
    [
      'an unknown template (404) is not retried',
      { status: 404, ...errorAnswer('NotFoundException', 'Template x does not exist') },
      { retryable: false, message: 'SES: 404 NotFoundException: Template x does not exist' },
    ],
    [
      'a paused account (400) is retried',
      { status: 400, ...errorAnswer('SendingPausedException', 'Sending is paused') },
      { retryable: true, message: 'SES: 400 SendingPausedException: Sending is paused' },
    ],
    [
      'a wrong key (403) is retried',
      {
        status: 403,
        ...errorAnswer('UnrecognizedClientException', 'The security token is invalid'),
      },
      {
        retryable: true,
        message: 'SES: 403 UnrecognizedClientException: The security token is invalid',
      },
    ],
    [
      'too many requests (429) is retried after the time of Retry-After',
      {
        status: 429,
        headers: { 'x-amzn-ErrorType': 'TooManyRequestsException', 'Retry-After': '7' },
        body: { message: 'Too many requests' },
      },
      {
        retryable: true,
        message: 'SES: 429 TooManyRequestsException: Too many requests',
        retryAfterMs: 7_000,
      },
    ],
    [
      'a server error (500) is retried',
      { status: 500, ...errorAnswer('InternalFailure', 'Internal failure') },
      { retryable: true, message: 'SES: 500 InternalFailure: Internal failure' },
    ],
  ],
})
