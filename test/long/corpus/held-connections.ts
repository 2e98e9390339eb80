/** Attacks that hold connections: endless bodies, responses that are not read, aborted searches. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { closeOf, openSocket } from '../../support/hostile/raw-http.ts'
import { until, within } from '../../support/wait.ts'
import type { Hostile } from './a-hostile-service.ts'

/** An attack that is more than requests and responses, and makes its own assertions. */
type Attack = {
  readonly name: string
  readonly caller: string
  readonly attack: (hostile: Hostile) => Promise<void>
}

type OpenRequest = {
  readonly socket: Socket
  readonly closed: Promise<unknown>
  /** Resolves when the first bytes of the response are read, or the connection is closed. */
  readonly begun: Promise<unknown>
  /** The first thousand characters that were read. */
  readonly text: () => string
}

/** Sends a request; without `reads` it reads nothing after the first bytes of the response. */
const openRequest = async (
  { url }: Hostile,
  sent: string,
  reads: boolean,
): Promise<OpenRequest> => {
  const socket = await openSocket(url)
  let text = ''
  socket.on('data', (chunk) => {
    if (text.length < 1000) text += chunk
  })
  const closed = closeOf(socket)
  const first = new Promise<void>((resolve) => {
    socket.once('data', () => {
      if (!reads) socket.pause()
      resolve()
    })
  })
  socket.write(sent)
  return { socket, closed, begun: Promise.race([first, closed]), text: () => text }
}

const headOf = (method: string, path: string, token: string | undefined, length: number): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(length < 0 ? [] : ['Content-Type: application/json', `Content-Length: ${length}`]),
    '\r\n',
  ].join('\r\n')

/** Sends bodies of four megabytes without their last bytes; asserts that each connection is closed. */
const unfinishedBodies =
  (caller: string | null, count: number, statuses: readonly number[]) =>
  async (hostile: Hostile): Promise<void> => {
    const token = caller === null ? undefined : hostile.tokenOf(caller)
    const sent = headOf('POST', '/client', token, 4_194_304) + ' '.repeat(4_194_000)
    const requests = await Promise.all(
      Array.from({ length: count }, () => openRequest(hostile, sent, true)),
    )
    await within('every connection is closed', Promise.all(requests.map(({ closed }) => closed)))
    for (const { text } of requests) {
      // The response may be lost when a connection is closed while bytes are received.
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text())?.[1] ?? statuses[0])
      assert.ok(statuses.includes(status), text().slice(0, 300))
    }
  }

/** Opens exports without reading them; asserts that exports of another caller complete meanwhile. */
const unreadAnswers =
  (caller: string, count: number) =>
  async (hostile: Hostile): Promise<void> => {
    const sent = headOf('POST', '/client/export?format=csv', hostile.tokenOf(caller), 2)
    const requests = await Promise.all(
      Array.from({ length: count }, () => openRequest(hostile, `${sent}{}`, false)),
    )
    for (let times = 0; times < 5; times++) {
      const { status, text } = await hostile.ask('monitor', 'POST', '/note/export', {})
      assert.equal(status, 200, text)
    }
    const isRunning = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY (%' AND state = 'active'`
    await until('no export holds its snapshot', async () => {
      return (await hostile.pool.query(isRunning)).rowCount === 0
    })
    for (const { socket } of requests) socket.destroy()
  }

/** Opens lists of many megabytes without reading them, until one is rejected because of the others. */
const unreadLists =
  (caller: string, count: number) =>
  async (hostile: Hostile): Promise<void> => {
    const sent = headOf('GET', '/client?limit=60', hostile.tokenOf(caller), -1)
    const requests: OpenRequest[] = []
    await until('a list is rejected because others are not read', async () => {
      const opened = Array.from({ length: count }, () => openRequest(hostile, sent, false))
      const more = await Promise.all(opened)
      requests.push(...more)
      await Promise.all(more.map(({ begun }) => begun))
      return more.some(({ text }) => /^HTTP\/1\.1 503 .*have not read/s.test(text()))
    })
    for (const { socket } of requests) socket.destroy()
  }

/** Aborts searches shortly after their start; asserts that no statement continues. */
const abortedSearches =
  (caller: string, criteria: () => unknown, count: number) =>
  async (hostile: Hostile): Promise<void> => {
    const body = JSON.stringify(criteria())
    const head = headOf('POST', '/client/search', hostile.tokenOf(caller), Buffer.byteLength(body))
    const requests = await Promise.all(
      Array.from({ length: count }, () => openRequest(hostile, head + body, true)),
    )
    await delay(500)
    for (const { socket } of requests) socket.destroy()
    const isRunning = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'docket%' AND state = 'active' AND query LIKE '%"client"%' AND pid <> pg_backend_pid()`
    await until('no search is running', async () => {
      return (await hostile.pool.query(isRunning)).rowCount === 0
    })
  }

/** Connections that are held open. */
export const heldConnections: readonly Attack[] = [
  {
    name: 'incomplete bodies without credentials',
    caller: 'anonymous',
    attack: unfinishedBodies(null, 250, [401]),
  },
  {
    name: 'incomplete bodies of a known caller',
    caller: 'creator',
    attack: unfinishedBodies('creator', 250, [408, 503]),
  },
  {
    name: 'exports that are not read',
    caller: 'reader',
    attack: unreadAnswers('reader', 16),
  },
  {
    name: 'lists that are not read',
    caller: 'reader',
    attack: unreadLists('reader', 30),
  },
  {
    name: 'aborted long searches',
    caller: 'clerk',
    attack: abortedSearches(
      'clerk',
      () => ({ $where: { notes: { $like: `%${'a%'.repeat(80)}b` } } }),
      10,
    ),
  },
]
