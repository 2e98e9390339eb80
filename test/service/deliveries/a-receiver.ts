/** A server that webhooks or messages to rooms are sent to, and a service with a worker whose records cause them. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeEach } from 'node:test'
import { createAs } from '../../support/a-project.ts'
import { afterwards, opened } from '../../support/afterwards.ts'
import { startSenders } from '../../support/deliveries/a-mailing.ts'
import { type ProjectFiles, startTestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker } from '../../support/worker.ts'

export type Received = {
  readonly headers: Record<string, string>
  readonly body: string
  readonly url: string | undefined
}
type Answer = { readonly status: number; readonly headers?: IncomingHttpHeaders } | 'hang up'
type Delivery = {
  id: number
  channel: 'slack' | 'teams' | 'webhook'
  status: string
  last_error: string | null
  entity_id: number
}
type Settings = Readonly<Record<string, string>>

type Options = {
  readonly channels: readonly ('slack' | 'teams' | 'webhook')[]
  /** Of the address that requests are sent to. */
  readonly path: string
  /** Creating its records sends one request each. */
  readonly project: ProjectFiles
  /** The settings for this address. */
  readonly settingsOf: (url: string) => Settings
}

/** For a file: opens both before its tests. Each test begins without deliveries and starts its own senders. */
export const openReceiver = ({ channels, path, project, settingsOf }: Options) => {
  const received: Received[] = []
  /** The answers to the next requests; then all are accepted. */
  const answers: Answer[] = []
  const receiver = createServer(async (request, response) => {
    const headers = request.headers as Record<string, string>
    received.push({ url: request.url, headers, body: await text(request) })
    const answer = answers.shift() ?? { status: 200 }
    if (answer === 'hang up') request.socket.destroy()
    else response.writeHead(answer.status, answer.headers).end('ok')
  })
  const close = () => {
    receiver.closeAllConnections()
    return new Promise((done) => receiver.close(done))
  }
  const address = (scheme = 'http', host = '127.0.0.1') =>
    `${scheme}://${host}:${(receiver.address() as AddressInfo).port}${path}`
  const settings = (url = address(), allowsPrivate = true): Settings => ({
    ...settingsOf(url),
    WEBHOOK_PRIVATE_ADDRESSES: String(allowsPrivate),
  })
  const service = opened(async () => {
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    afterwards(close)
    return startTestService(project, settings())
  })
  const worker = opened(() => startTestWorker(service))
  beforeEach(async () => {
    received.splice(0)
    answers.splice(0)
    await service.database.pool.query('TRUNCATE docket.mailing CASCADE')
  })
  const deliveriesOf = async (entityId: number): Promise<Delivery[]> => {
    const { data } = (await service.ask('GET', '/api/deliveries?limit=100')).json()
    return data.filter(
      (one: Delivery) => one.entity_id === entityId && channels.includes(one.channel),
    )
  }
  return {
    received,
    answers,
    address,
    settings,
    service,
    deliveriesOf,
    /** Starts senders with the settings of the test; returns how to stop them. */
    startOwnSenders: (environment: Settings = {}) =>
      startSenders(service, { ...settings(), ...environment }),
    /** Creates a record, and queues what it causes. */
    create: async (key: string, values: Record<string, unknown>): Promise<number> => {
      const { id } = await createAs(service, key, values)
      await worker.settled()
      return id
    },
    settledAs: (entityId: number, status: string) =>
      until(`the delivery is ${status}`, async () => {
        const [delivery] = await deliveriesOf(entityId)
        return delivery?.status === status && delivery
      }),
  }
}
