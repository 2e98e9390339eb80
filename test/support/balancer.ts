/**
 * A balancer in front of several processes, as strict as one can be: it asks each for `ready`, sends every request
 * once, over connections that it keeps, and tells its client of whatever went wrong.
 */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterwards } from './afterwards.ts'
import { until } from './wait.ts'

export type Balancer = {
  readonly url: string
  /** Resolves when a process gets requests. */
  readonly untilTaken: (url: string) => Promise<void>
  readonly close: () => Promise<void>
}

type Member = { readonly url: URL; readonly agent: Agent; isTaken: boolean; failures: number }

const intervalMs = 100
// A process that has ended refuses at once; one that lives answers, however busy the machine is.
const answerMs = 30_000
const failuresUntilOut = 2

/** Listens on a free port, in a test until it ends. */
export const startBalancer = async (urls: readonly string[]): Promise<Balancer> => {
  const members = urls.map(
    (url): Member => ({
      url: new URL(url),
      agent: new Agent({ keepAlive: true }),
      isTaken: false,
      failures: 0,
    }),
  )
  const server = createServer(passOn(members))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closing = new AbortController()
  const looking = members.map((member) => lookOn(member, closing.signal))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    untilTaken: async (url) => {
      const { port } = new URL(url)
      await until(
        `${url} gets requests`,
        () => members.find((one) => one.url.port === port)?.isTaken,
      )
    },
    close: afterwards(async () => {
      closing.abort()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const { agent } of members) agent.destroy()
      await Promise.all([closed, ...looking])
    }),
  }
}

/** Each look begins some time after the one before has ended. */
const lookOn = async (member: Member, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await look(member, signal)
    await delay(intervalMs, undefined, { signal }).catch(() => undefined)
  }
}

const look = async (member: Member, signal: AbortSignal): Promise<void> => {
  const isReady = await fetch(new URL('/api/health/ready', member.url), {
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  }).then(
    async (answer) => {
      await answer.text()
      return answer.ok
    },
    () => false,
  )
  member.failures = isReady ? 0 : member.failures + 1
  if (isReady) member.isTaken = true
  else if (member.failures >= failuresUntilOut) member.isTaken = false
}

/** To one after the other; nothing is sent twice. */
const passOn = (members: readonly Member[]) => {
  let turn = 0
  return (incoming: IncomingMessage, answer: ServerResponse): void => {
    const taken = members.filter(({ isTaken }) => isTaken)
    const member = taken[turn++ % taken.length]
    if (!member) {
      answer.writeHead(503).end('No process is ready.')
      return
    }
    const { method, url: path, headers } = incoming
    const { hostname, port } = member.url
    // Connections are kept from one end to the balancer, and from there to the other.
    const { connection: _, ...passed } = headers
    const options = { agent: member.agent, hostname, port, method, path, headers: passed }
    const sent = request(options, (given) => {
      const { connection: _own, 'keep-alive': _kept, ...fields } = given.headers
      answer.writeHead(given.statusCode ?? 502, fields)
      given.on('error', () => answer.destroy())
      given.pipe(answer)
    })
    sent.on('error', (error) => {
      if (answer.headersSent) answer.destroy()
      else answer.writeHead(502).end(`${member.url.origin}: ${error.message}`)
    })
    incoming.pipe(sent)
  }
}
