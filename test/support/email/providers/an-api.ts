/** A local server in place of the API of a provider: it keeps the requests and returns the given answer. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Email } from '../../../../src/email/email.ts'
import type { EmailProvider } from '../../../../src/email/provider.ts'
import { within } from '../../wait.ts'
import { anEmail, deliveryErrorOf, neverAborted } from '../an-email.ts'

export type Asked = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

type Answer = {
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

type ErrorCase = [
  title: string,
  answer: Answer,
  expected: {
    readonly retryable: boolean
    readonly message: string
    readonly retryAfterMs?: number
  },
]

type ErrorTests = {
  readonly start: () => Promise<{ api: Api; provider: EmailProvider }>
  /** Must not appear in a message. */
  readonly secret: string
  readonly errors: readonly ErrorCase[]
}

/** Tests for every API: which error answers, timeouts and lost connections are retried. */
export const testErrors = ({ start, secret, errors }: ErrorTests): void => {
  for (const [title, answer, expected] of errors)
    test(title, async (t) => {
      const { api, provider } = await start()
      t.after(api.stop)
      api.next = answer
      const { retryable, message, retryAfterMs } = await deliveryErrorOf(provider)
      assert.deepEqual(
        { retryable, message, retryAfterMs },
        { retryAfterMs: undefined, ...expected },
      )
      assert.ok(!message.includes(secret))
      // The client has not retried by itself.
      assert.equal(api.asked.length, 1)
      await provider.close()
    })

  test('an e-mail without an answer is retried after the abort', async (t) => {
    const { api, provider } = await start()
    t.after(api.stop)
    api.next = 'silence'
    const controller = new AbortController()
    const sending = deliveryErrorOf(provider, anEmail(), controller.signal)
    await api.nextRequest()
    controller.abort()
    assert.equal((await sending).retryable, true)
    await provider.close()
  })

  test('an e-mail that is aborted before the request is retried', async (t) => {
    const { api, provider } = await start()
    t.after(api.stop)
    assert.equal((await deliveryErrorOf(provider, anEmail(), AbortSignal.abort())).retryable, true)
    await provider.close()
  })

  test('a lost connection and a refused connection are retried', async (t) => {
    const { api, provider } = await start()
    t.after(api.stop)
    api.next = 'cut'
    const cut = await deliveryErrorOf(provider)
    await api.stop()
    const none = await deliveryErrorOf(provider)
    assert.deepEqual([cut.retryable, none.retryable], [true, true])
    assert.match(none.message, /ECONNREFUSED/)
    for (const { message } of [cut, none]) assert.ok(!message.includes(secret))
    await provider.close()
  })
}

/** Template data that every API has to transmit unchanged. */
export const templateData = {
  title: 'Order "PO-1" <b>approved</b>',
  record: { full_name: 'Žofija', someField: 1, nested: { inner_key: [1, { deep_key: null }] } },
  recipient: { id: 7, full_name: 'Anna Example', email: 'anna@example.com' },
  comment: null,
}
