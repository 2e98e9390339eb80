/** A local server that stands for a provider's API: keeps what it is asked, answers as a test says. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Email } from '../../../src/email/email.ts'
import type { EmailProvider } from '../../../src/email/provider.ts'
import { within } from '../../support/wait.ts'
import { anEmail, patience, refusalOf } from '../an-email.ts'

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
  /** Told at every question; `silence` and `cut` give no answer. */
  next: Answer | 'silence' | 'cut'
  /** Resolves at the next question. */
  readonly heard: () => Promise<void>
  readonly stop: () => Promise<void>
}

export const startApi = async (usual: Answer): Promise<Api> => {
  const asked: Asked[] = []
  let heard = Promise.withResolvers<void>()
  const server: Server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    asked.push({ method, path, headers, body: await buffer(request) })
    heard.resolve()
    heard = Promise.withResolvers()
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
    next: usual,
    heard: () => within('the API is asked', heard.promise),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return api
}

/** Sends and gives back what the API was asked. */
export const askedFor = async (
  api: Api,
  provider: EmailProvider,
  values: Partial<Email> = {},
): Promise<Asked> => {
  const before = api.asked.length
  await provider.send(anEmail(values), patience)
  const [asked, ...others] = api.asked.slice(before)
  assert.ok(asked)
  assert.deepEqual(others, [])
  return asked
}

type Refusal = [
  title: string,
  answer: Answer,
  expected: {
    readonly retryable: boolean
    readonly message: string
    readonly retryAfterMs?: number
  },
]

type Refusing = {
  readonly start: () => Promise<{ api: Api; provider: EmailProvider }>
  /** What must never be told. */
  readonly secret: string
  readonly refusals: readonly Refusal[]
}

/** The tests that are the same for every API: how its refusals, and the lack of an answer, are sorted. */
export const testRefusals = ({ start, secret, refusals }: Refusing): void => {
  for (const [title, answer, expected] of refusals)
    test(title, async (t) => {
      const { api, provider } = await start()
      t.after(api.stop)
      api.next = answer
      const { retryable, message, retryAfterMs } = await refusalOf(provider)
      assert.deepEqual(
        { retryable, message, retryAfterMs },
        { retryAfterMs: undefined, ...expected },
      )
      assert.ok(!message.includes(secret))
      // The client has not tried again of its own.
      assert.equal(api.asked.length, 1)
      await provider.close()
    })

  test('no answer is tried again when the patience ends', async (t) => {
    const { api, provider } = await start()
    t.after(api.stop)
    api.next = 'silence'
    const end = new AbortController()
    const refusal = refusalOf(provider, anEmail(), end.signal)
    await api.heard()
    end.abort()
    assert.equal((await refusal).retryable, true)
    await provider.close()
  })

  test('patience that ended before is tried again', async (t) => {
    const { api, provider } = await start()
    t.after(api.stop)
    assert.equal((await refusalOf(provider, anEmail(), AbortSignal.abort())).retryable, true)
    await provider.close()
  })

  test('a connection that is cut, and none at all, are tried again', async (t) => {
    const { api, provider } = await start()
    t.after(api.stop)
    api.next = 'cut'
    const cut = await refusalOf(provider)
    await api.stop()
    const none = await refusalOf(provider)
    assert.deepEqual([cut.retryable, none.retryable], [true, true])
    assert.match(none.message, /ECONNREFUSED/)
    for (const { message } of [cut, none]) assert.ok(!message.includes(secret))
    await provider.close()
  })
}

/** What every API is given to carry. */
export const templateData = {
  title: 'Order "PO-1" <b>approved</b>',
  record: { full_name: 'Žofija', someField: 1, nested: { inner_key: [1, { deep_key: null }] } },
  recipient: { id: 7, full_name: 'Anna Example', email: 'anna@example.com' },
  comment: null,
}
