/** A collector of traces: takes OTLP over HTTP as JSON, and keeps the spans. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterwards } from './afterwards.ts'

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> }

type SentSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly status: { readonly code?: number }
  readonly attributes: readonly Attribute[]
}

type Sent = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

export type CollectedSpan = Omit<SentSpan, 'attributes'> & {
  /** The `service.name` of the process. */
  readonly service: unknown
  readonly attributes: Readonly<Record<string, unknown>>
}

export const startCollector = async () => {
  const spans: CollectedSpan[] = []
  const take = async (request: IncomingMessage) => {
    const { resourceSpans } = (await json(request)) as Sent
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = valuesOf(resource.attributes)['service.name']
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...span, service, attributes: valuesOf(span.attributes) })
    }
  }
  const server = createServer((request, answer) => {
    const isKnown = request.method === 'POST' && request.url === '/v1/traces'
    const taken = isKnown ? take(request) : Promise.reject(new Error('Unknown path.'))
    const end = (status: number) =>
      answer.writeHead(status, { 'Content-Type': 'application/json' }).end('{}')
    taken.then(
      () => end(200),
      () => end(404),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterwards(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans }
}

/** A value is an object with one property, which names its type. */
const valuesOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
