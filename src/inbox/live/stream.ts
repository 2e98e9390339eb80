/**
 * One open stream of server-sent events. It keeps the position of its client and sends no more than the
 * client reads; the rest stays in the database and is read again later.
 */
import type { ServerResponse } from 'node:http'
import { type NotificationRow, recordOf } from '../notification.ts'
import type { Wording } from '../relative-time.ts'

/** What a user is sent: the rows after a position, and the counter. */
export type Updates = {
  readonly unseen: number
  /** Timestamp of the user's latest notification; every earlier one is in the table. */
  readonly lastAt: string
  readonly rows: NotificationRow[]
  /** Whether there may be more rows than these. */
  readonly isCut: boolean
}

export type Stream = {
  readonly userId: number
  /** Timestamp of the last notification that was sent; undefined: it starts with the next one. */
  readonly position: () => string | undefined
  /** Whether it accepts updates; false while its client has not read what was sent. */
  readonly isReady: () => boolean
  /** Sends what its client does not have yet. */
  readonly send: (updates: Updates) => void
  /** Sends events that are no part of its position; only while it is ready. */
  readonly sendText: (text: string) => void
  /** Shows the client and every proxy that the stream is alive; disconnects a client that reads nothing. */
  readonly sendHeartbeat: () => void
  /** Throws if the caller would be rejected now. */
  readonly authenticate: () => Promise<unknown>
  readonly end: () => void
}

type Options = {
  readonly response: ServerResponse
  readonly userId: number
  readonly wording: Wording
  /** The position to resume from (`Last-Event-ID`). */
  readonly after: string | undefined
  readonly authenticate: () => Promise<unknown>
  /** The client has read everything that was sent. */
  readonly onReady: (stream: Stream) => void
  readonly onEnd: (stream: Stream) => void
}

/** Opens the stream on a response whose head was sent. */
export const openStream = (options: Options): Stream => {
  const { response, userId, wording, authenticate } = options
  let position = options.after
  let unseen: number | undefined
  let isWaiting = false
  let isLate = false
  const write = (text: string) => {
    isWaiting = !response.write(text)
    isLate = false
  }
  const stream: Stream = {
    userId,
    position: () => position,
    isReady: () => !isWaiting && !response.destroyed && !response.writableEnded,
    send: (updates) => {
      const text = eventsOf(updates, { position, unseen, wording })
      const last = updates.rows.at(-1)?.timestamp
      if (position === undefined) position = updates.lastAt
      else if (last !== undefined && last > position) position = last
      unseen = updates.unseen
      if (text !== '') write(text)
    },
    sendText: write,
    sendHeartbeat: () => {
      // The client has read nothing for two heartbeats; it can resume later.
      if (isWaiting && isLate) response.destroy()
      else if (isWaiting) isLate = true
      else write(': \n\n')
    },
    authenticate,
    end: () => void response.end(),
  }
  response.on('drain', () => {
    isWaiting = false
    options.onReady(stream)
  })
  response.on('close', () => options.onEnd(stream))
  response.on('error', () => response.destroy())
  // After this time a disconnected client reconnects; random, so that not all do at the same time.
  write(`retry: ${Math.round(1000 + Math.random() * 4000)}\n\n`)
  return stream
}

type ReaderState = {
  readonly position: string | undefined
  readonly unseen: number | undefined
  readonly wording: Wording
}

/** New events as text: notifications in order, then the count if it has changed. */
const eventsOf = (updates: Updates, { position, unseen, wording }: ReaderState): string => {
  const rows = position === undefined ? [] : updates.rows.filter((row) => row.timestamp > position)
  const events = rows.map((row) => eventText('notification', row.timestamp, recordOf(row, wording)))
  if (updates.unseen !== unseen) {
    // With the id, a client that has received nothing yet can resume too.
    const at = rows.at(-1)?.timestamp ?? position ?? updates.lastAt
    events.push(eventText('count', at, { unseen: updates.unseen }))
  }
  return events.join('')
}

const eventText = (event: string, id: string, data: object): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
