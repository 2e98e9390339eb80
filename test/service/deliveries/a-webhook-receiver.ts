/** A server that receives webhooks and answers them as a test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

type Received = {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly url: string
}
export type Reply = { readonly status: number; readonly headers?: Record<string, string> }

export type WebhookReceiver = {
  readonly port: number
  readonly received: Received[]
  /** The answer to a request, or that its connection is closed without one. */
  reply: (request: Received) => Reply | 'hang up'
  readonly stop: () => Promise<void>
}

/** Accepts every request until the test sets another `reply`. */
export const acceptAll = (): Reply => ({ status: 204 })

export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one = {
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        url: request.url ?? '',
      }
      receiver.received.push(one)
      const answer = receiver.reply(one)
      if (answer === 'hang up') request.socket.destroy()
      else response.writeHead(answer.status, answer.headers).end('thanks')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const receiver: WebhookReceiver = {
    port: (server.address() as AddressInfo).port,
    received: [],
    reply: acceptAll,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return receiver
}
