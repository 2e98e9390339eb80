/** What becomes of an e-mail by the answer of an API: whether and when it is retried, and what is said of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailProvider } from '../../../../src/email/provider.ts'
import { anEmail, deliveryErrorOf } from '../../../support/email/an-email.ts'
import {
  type Answer,
  type ProviderName,
  secret,
  startProvider,
} from '../../../support/email/providers/an-api.ts'

type Row = readonly [
  status: number,
  answer: Omit<Answer, 'status'>,
  retryable: boolean,
  message: string,
  retryAfterMs?: number,
]

const said = (message: string) => ({ body: { message } })
const postmark = (ErrorCode: number, Message: string) => ({ body: { ErrorCode, Message } })
const sendgrid = (message: string) => ({ body: { errors: [{ message, field: null, help: null }] } })
const ses = (type: string, message: string, more: Readonly<Record<string, string>> = {}) => ({
  headers: { 'x-amzn-ErrorType': type, ...more },
  body: { message },
})
const html = { headers: { 'Content-Type': 'text/html' }, body: '<html>' }
const forbidden = { headers: { 'Content-Type': 'text/plain' }, body: 'Forbidden' }

const answers: Readonly<Record<ProviderName, readonly Row[]>> = {
  Mailgun: [
    [
      400,
      said("'to' parameter is not a valid address"),
      false,
      "'to' parameter is not a valid address",
    ],
    // A wrong key.
    [401, forbidden, true, 'Forbidden'],
    [404, said('Domain not found'), false, 'Domain not found'],
    [429, said('Too many requests'), true, 'Too many requests'],
    [500, said('Internal error'), true, 'Internal error'],
    [502, html, true, '<html>'],
  ],
  Postmark: [
    [422, postmark(300, "Invalid 'To' address"), false, "Invalid 'To' address"],
    // An address that has bounced before, an unknown template, a sender that is not confirmed.
    [422, postmark(406, 'Inactive recipient'), false, 'Inactive recipient'],
    [422, postmark(1101, 'No such template'), false, 'No such template'],
    [422, postmark(400, 'Sender signature not found'), true, 'Sender signature not found'],
    [401, postmark(10, 'Bad or missing API token'), true, 'Bad or missing API token'],
    [503, postmark(100, 'Maintenance'), true, 'Maintenance'],
    [
      429,
      { ...postmark(429, 'Rate limit exceeded'), headers: { 'Retry-After': '30' } },
      true,
      'Rate limit exceeded',
      30_000,
    ],
    // A message that is too large.
    [413, { body: '' }, false, 'Request returned status code 413'],
    [500, { body: '<html>' }, true, 'Request returned status code 500'],
  ],
  SendGrid: [
    [
      400,
      { body: { errors: [{ message: 'no such template' }, { message: 'bad address' }] } },
      false,
      'no such template; bad address',
    ],
    [413, sendgrid('too large'), false, 'too large'],
    [401, sendgrid('authorization required'), true, 'authorization required'],
    [403, sendgrid('access forbidden'), true, 'access forbidden'],
    [
      429,
      { ...sendgrid('too many requests'), headers: { 'Retry-After': '120' } },
      true,
      'too many requests',
      120_000,
    ],
    // A time in the past.
    [
      429,
      { ...sendgrid('too many'), headers: { 'X-RateLimit-Reset': '1392815263' } },
      true,
      'too many',
      0,
    ],
    [500, { body: 'oops' }, true, 'Internal Server Error'],
    [502, html, true, 'Bad Gateway'],
  ],
  SES: [
    [
      400,
      ses('BadRequestException', 'Missing final @domain'),
      false,
      'BadRequestException: Missing final @domain',
    ],
    [
      400,
      ses('MessageRejected', 'Email address is not verified'),
      false,
      'MessageRejected: Email address is not verified',
    ],
    [
      404,
      ses('NotFoundException', 'Template x does not exist'),
      false,
      'NotFoundException: Template x does not exist',
    ],
    [
      400,
      ses('SendingPausedException', 'Sending is paused'),
      true,
      'SendingPausedException: Sending is paused',
    ],
    [
      403,
      ses('UnrecognizedClientException', 'The security token is invalid'),
      true,
      'UnrecognizedClientException: The security token is invalid',
    ],
    [
      429,
      ses('TooManyRequestsException', 'Too many requests', { 'Retry-After': '7' }),
      true,
      'TooManyRequestsException: Too many requests',
      7_000,
    ],
    [500, ses('InternalFailure', 'Internal failure'), true, 'InternalFailure: Internal failure'],
  ],
}

for (const [name, rows] of Object.entries(answers) as [ProviderName, readonly Row[]][]) {
  test(`${name}: an answer decides whether an e-mail is retried, and the client does not retry itself`, async (t) => {
    const { api, provider } = await startProvider[name]()
    t.after(api.stop)
    for (const [index, [status, answer, retryable, text, retryAfterMs]] of rows.entries()) {
      api.next = { status, ...answer }
      const error = await deliveryErrorOf(provider)
      assert.deepEqual(
        [error.retryable, error.message, error.retryAfterMs],
        [retryable, `${name}: ${status} ${text}`, retryAfterMs],
      )
      assert.equal(api.asked.length, index + 1)
    }
    await provider.close()
  })

  test(`${name}: an e-mail without an answer is retried`, async (t) => {
    const { api, provider } = await startProvider[name]()
    t.after(api.stop)
    const messageOf = async (by: EmailProvider, signal?: AbortSignal) => {
      const { retryable, message } = await deliveryErrorOf(by, anEmail(), signal)
      assert.equal(retryable, true, message)
      assert.ok(!message.includes(secret))
      return message
    }
    await messageOf(provider, AbortSignal.abort())
    api.next = 'silence'
    const controller = new AbortController()
    const sending = messageOf(provider, controller.signal)
    await api.nextRequest()
    controller.abort()
    await sending
    api.next = 'cut'
    await messageOf(provider)
    const unreachable = await startProvider[name]()
    await unreachable.api.stop()
    assert.match(await messageOf(unreachable.provider), /ECONNREFUSED/)
    await unreachable.provider.close()
    await provider.close()
  })
}
