/** What becomes of an e-mail by the answer of an API: whether and when it is retried, and what is said of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailProvider } from '../../../../src/outbox/email/email.ts'
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
const after = (seconds: string) => ({ headers: { 'Retry-After': seconds } })
const postmark = (ErrorCode: number, Message: string) => ({ body: { ErrorCode, Message } })
const sendgrid = (...messages: string[]) => ({
  body: { errors: messages.map((message) => ({ message, field: null, help: null })) },
})
const ses = (type: string, seconds?: string) => ({
  headers: { 'x-amzn-ErrorType': type, ...(seconds !== undefined && { 'Retry-After': seconds }) },
  body: { message: 'told' },
})
const html = { headers: { 'Content-Type': 'text/html' }, body: '<html>' }
const forbidden = { headers: { 'Content-Type': 'text/plain' }, body: 'Forbidden' }

const answers: Readonly<Record<ProviderName, readonly Row[]>> = {
  Mailgun: [
    [400, said('not a valid address'), false, 'not a valid address'],
    // A wrong key.
    [401, forbidden, true, 'Forbidden'],
    [408, said('Took too long'), true, 'Took too long'],
    [502, html, true, '<html>'],
  ],
  Postmark: [
    [422, postmark(300, "Invalid 'To' address"), false, "Invalid 'To' address"],
    // A sender that is not confirmed.
    [422, postmark(400, 'Sender signature not found'), true, 'Sender signature not found'],
    [429, { ...postmark(429, 'Rate limit'), ...after('30') }, true, 'Rate limit', 30_000],
    // A message that is too large.
    [413, { body: '' }, false, 'Request returned status code 413'],
  ],
  SendGrid: [
    [400, sendgrid('no such template', 'bad address'), false, 'no such template; bad address'],
    [403, sendgrid('access forbidden'), true, 'access forbidden'],
    [429, { ...sendgrid('too many'), ...after('120') }, true, 'too many', 120_000],
    [
      429,
      { ...sendgrid('too many'), headers: { 'X-RateLimit-Reset': '1392815263' } },
      // A time in the past.
      ...([true, 'too many', 0] as const),
    ],
    [500, { body: 'oops' }, true, 'Internal Server Error'],
  ],
  SES: [
    [400, ses('MessageRejected'), false, 'MessageRejected: told'],
    [400, ses('SendingPausedException'), true, 'SendingPausedException: told'],
    [429, ses('TooManyRequestsException', '7'), true, 'TooManyRequestsException: told', 7_000],
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
