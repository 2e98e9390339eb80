/** Attacks that hold on to connections: bodies that never end, answers that nobody reads, questions left. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { until, within } from '../support/wait.ts'
import type { Hostile } from './a-hostile-service.ts'
import { closeOf, openSocket } from './edge-loop.ts'

type Held = {
  readonly socket: Socket
  readonly closed: Promise<unknown>
  readonly text: () => string
}

const hold = async ({ url }: Hostile, sent: string, reads: boolean): Promise<Held> => {
  const socket = await openSocket(url)
  let text = ''
  socket.on('data', (part) => {
    if (text.length < 1000) text += part
  })
  if (!reads) socket.pause()
  const closed = closeOf(socket)
  socket.write(sent)
  return { socket, closed, text: () => text }
}

const headOf = (method: string, path: string, token: string | undefined, length: number): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(length < 0 ? [] : ['Content-Type: application/json', `Content-Length: ${length}`]),
    '\r\n',
  ].join('\r\n')

/** So many bodies of four megabytes whose last bytes never come; each connection is ended. */
export const unfinishedBodies =
  (who: string | null, count: number, statuses: readonly number[]) =>
  async (hostile: Hostile): Promise<void> => {
    const token = who === null ? undefined : hostile.tokenOf(who)
    const sent = headOf('POST', '/client', token, 4_194_304) + ' '.repeat(4_194_000)
    const all = await Promise.all(Array.from({ length: count }, () => hold(hostile, sent, true)))
    await within('every connection is ended', Promise.all(all.map(({ closed }) => closed)))
    for (const { text } of all) {
      // What was on its way when a connection ended may have swept its answer away.
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text())?.[1] ?? statuses[0])
      assert.ok(statuses.includes(status), text().slice(0, 300))
    }
  }

/** Exports that nobody reads, by one caller; another one's export is whole meanwhile. */
export const unreadAnswers =
  (who: string, count: number) =>
  async (hostile: Hostile): Promise<void> => {
    const sent = headOf('POST', '/client/export?format=csv', hostile.tokenOf(who), 2)
    const all = await Promise.all(
      Array.from({ length: count }, () => hold(hostile, `${sent}{}`, false)),
    )
    for (let times = 0; times < 5; times++) {
      const { status, text } = await hostile.ask('neighbour', 'POST', '/note/export', {})
      assert.equal(status, 200, text)
    }
    const isRunning = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY (%' AND state = 'active'`
    await until('no export holds its snapshot', async () => {
      return (await hostile.pool.query(isRunning)).rowCount === 0
    })
    for (const { socket } of all) socket.destroy()
  }

/** Lists of many megabytes that nobody reads, by one caller, until the next one is refused. */
export const unreadLists =
  (who: string, count: number) =>
  async (hostile: Hostile): Promise<void> => {
    const sent = headOf('GET', '/client?limit=60', hostile.tokenOf(who), -1)
    const all = await Promise.all(Array.from({ length: count }, () => hold(hostile, sent, false)))
    await until('no list is made any more, and the next is refused', async () => {
      const { status } = await hostile.ask(who, 'GET', '/client?limit=60')
      return status === 503
    })
    for (const { socket } of all) socket.destroy()
  }

/** Searches whose caller leaves after a moment: nothing of them runs on. */
export const leftSearches =
  (who: string, criteria: () => unknown, count: number) =>
  async (hostile: Hostile): Promise<void> => {
    const body = JSON.stringify(criteria())
    const head = headOf('POST', '/client/search', hostile.tokenOf(who), Buffer.byteLength(body))
    const all = await Promise.all(
      Array.from({ length: count }, () => hold(hostile, head + body, true)),
    )
    await delay(500)
    for (const { socket } of all) socket.destroy()
    const isRunning = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'docket%' AND state = 'active' AND query LIKE '%"client"%' AND pid <> pg_backend_pid()`
    await until('no search runs on', async () => {
      return (await hostile.pool.query(isRunning)).rowCount === 0
    })
  }
