/** A local server in place of the API of a provider: it keeps the requests and returns the given answer; and the providers. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Email, EmailProvider } from '../../../../src/outbox/email/email.ts'
import { mailgunProvider } from '../../../../src/outbox/email/providers/mailgun-provider.ts'
import { postmarkProvider } from '../../../../src/outbox/email/providers/postmark-provider.ts'
import { sendgridProvider } from '../../../../src/outbox/email/providers/sendgrid-provider.ts'
import { sesProvider } from '../../../../src/outbox/email/providers/ses-provider.ts'
import { within } from '../../wait.ts'
import { anEmail, neverAborted, sender } from '../an-email.ts'

export type Asked = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type Answer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, or as it is when it is a string. */
  readonly body?: unknown
}

export type Api = {
  readonly url: string
  readonly asked: readonly Asked[]
  /** The answer to every request; `silence` and `cut` give none. */
  next: Answer | 'silence' | 'cut'
  /** Resolves at the next request. */
  readonly nextRequest: () => Promise<void>
  readonly stop: () => Promise<void>
}

export const startApi = async (defaultAnswer: Answer): Promise<Api> => {
  const asked: Asked[] = []
  let nextRequest = Promise.withResolvers<void>()
  const server: Server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    asked.push({ method, path, headers, body: await buffer(request) })
    nextRequest.resolve()
    nextRequest = Promise.withResolvers()
    if (api.next === 'silence') return
    if (api.next === 'cut') return void request.socket.destroy()
    const { status, headers: sent, body } = api.next
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? {})
    response.writeHead(status, { 'Content-Type': 'application/json', ...sent }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const api: Api = {
    url: `http://127.0.0.1:${port}`,
    asked,
    next: defaultAnswer,
    nextRequest: () => within('the API gets a request', nextRequest.promise),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return api
}

/** Sends an e-mail and returns the request that the API got. */
export const requestFor = async (
  api: Api,
  provider: EmailProvider,
  values: Partial<Email> = {},
): Promise<Asked> => {
  const before = api.asked.length
  await provider.send(anEmail(values), neverAborted)
  const [asked, ...others] = api.asked.slice(before)
  assert.ok(asked)
  assert.deepEqual(others, [])
  return asked
}

type Started = { readonly api: Api; readonly provider: EmailProvider }

const started = async (
  answer: Answer,
  open: (apiUrl: string) => Promise<EmailProvider>,
): Promise<Started> => {
  const api = await startApi(answer)
  return { api, provider: await open(api.url) }
}

/** Never in a message, nor in an error. */
export const secret = 's3cret'

export const sesOptions = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret },
  sender,
}

/** Each provider with an API of its own that accepts everything. */
export const startProvider = {
  Mailgun: () =>
    started(
      { status: 200, body: { id: '<1@mg>', message: 'Queued. Thank you.' } },
      async (apiUrl) => mailgunProvider({ key: secret, domain: 'mg.example.com', apiUrl, sender }),
    ),
  Postmark: () =>
    started({ status: 200, body: { ErrorCode: 0, Message: 'OK' } }, async (apiUrl) =>
      postmarkProvider({ token: secret, apiUrl, sender }),
    ),
  SendGrid: () =>
    started({ status: 202, body: '' }, async (apiUrl) =>
      sendgridProvider({ key: secret, apiUrl: `${apiUrl}/`, sender }),
    ),
  SES: () =>
    started({ status: 200, body: { MessageId: '1' } }, (apiUrl) =>
      sesProvider({ ...sesOptions, apiUrl }),
    ),
} satisfies Readonly<Record<string, () => Promise<Started>>>

export type ProviderName = keyof typeof startProvider
