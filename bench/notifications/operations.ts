/** The requests of the load, the same for the service and for the bare server. */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export type Ask = (method: string, path: string, body?: unknown) => Promise<string>

export type Asking = {
  readonly ask: Ask
  /** The latest thousand of the caller. */
  readonly ids: readonly string[]
  readonly latest: string
}

/** Asks over connections that stay open; throws on any answer but 200 and 201. */
export const askOn = (url: string, token: string, connections: number): Ask => {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        Authorization: `Bearer ${token}`,
        ...(sent && {
          'Content-Type': 'application/json',
          'Content-Length': `${Buffer.byteLength(sent)}`,
        }),
      }
      const asked = request({ agent, hostname, port, method, path, headers }, (answer) => {
        text(answer).then(
          (got) =>
            answer.statusCode === 200 || answer.statusCode === 201
              ? resolve(got)
              : reject(new Error(`${method} ${path} was answered ${answer.statusCode}: ${got}`)),
          reject,
        )
      })
      asked.on('error', reject)
      asked.end(sent)
    })
}

const turn = (round: number) => (round % 2 ? 'seen' : 'unseen')

const someOf = (ids: readonly string[], count: number): string[] => {
  const begin = Math.floor(Math.random() * (ids.length - count))
  return ids.slice(begin, begin + count)
}

/** One request of each kind; a mark changes what the one before it has changed back. */
export const operations = {
  list: ({ ask }: Asking) => ask('GET', '/api/notifications?limit=20'),
  listUnseen: ({ ask }: Asking) => ask('GET', '/api/notifications?limit=20&status=unseen'),
  count: ({ ask }: Asking) => ask('GET', '/api/notifications/count'),
  countUnseen: ({ ask }: Asking) => ask('GET', '/api/notifications/count?status=unseen'),
  mark100: ({ ask, ids }: Asking, round: number) =>
    ask('PUT', '/api/notifications/mark', { ids: someOf(ids, 100), status: turn(round) }),
  markAll: ({ ask, latest }: Asking, round: number) =>
    ask('PUT', '/api/notifications/mark', { ids: [], status: turn(round), before: latest }),
}

export type Operation = keyof typeof operations
