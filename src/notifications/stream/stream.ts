/**
 * One open stream of server-sent events. It keeps the position of its reader and sends no more than the
 * reader takes; the rest stays in the database and is read again later.
 */
import type { ServerResponse } from 'node:http'
import { recordOf } from '../inbox/notification.ts'
import type { Updates } from './stream-updates.ts'

export type Stream = {
  readonly userId: number
  /** Timestamp of the last notification that was sent; undefined: it starts with the next one. */
  readonly position: () => string | undefined
  /** Whether it takes updates; false while its reader has not taken what was sent. */
  readonly isReady: () => boolean
  /** Sends what its reader does not have yet. */
  readonly send: (updates: Updates) => void
  /** Shows the reader and every proxy that the stream is alive; cuts a reader that takes nothing. */
  readonly sendHeartbeat: () => void
  /** Throws when the caller would be refused now. */
  readonly authenticate: () => Promise<unknown>
  readonly end: () => void
}

type Options = {
  readonly response: ServerResponse
  readonly userId: number
  readonly language: string
  /** The position to resume from (`Last-Event-ID`). */
  readonly after: string | undefined
  readonly authenticate: () => Promise<unknown>
  /** The reader has taken everything that was sent. */
  readonly onReady: (stream: Stream) => void
  readonly onEnd: (stream: Stream) => void
}

/** Opens the stream on an answer whose head was sent. */
export const openStream = (options: Options): Stream => {
  const { response, userId, language, authenticate } = options
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
      const text = eventsOf(updates, { position, unseen, language })
      const last = updates.rows.at(-1)?.timestamp
      if (position === undefined) position = updates.lastAt
      else if (last !== undefined && last > position) position = last
      unseen = updates.unseen
      if (text !== '') write(text)
    },
    sendHeartbeat: () => {
      // Two heartbeats without a byte taken: the reader resumes when it can.
      if (isWaiting && isLate) response.destroy()
      else if (isWaiting) isLate = true
      else write(': \n\n')
    },
    authenticate,
    end: () => response.end(),
  }
  response.on('drain', () => {
    isWaiting = false
    options.onReady(stream)
  })
  response.on('close', () => options.onEnd(stream))
  response.on('error', () => response.destroy())
  // After so long a reader that lost the connection tries again; not all of them at once.
  write(`retry: ${Math.round(1000 + Math.random() * 4000)}\n\n`)
  return stream
}

type ReaderState = {
  readonly position: string | undefined
  readonly unseen: number | undefined
  readonly language: string
}

/** What is new as text: notifications in their order, then the count if it is another. */
const eventsOf = (updates: Updates, { position, unseen, language }: ReaderState): string => {
  const rows = position === undefined ? [] : updates.rows.filter((row) => row.timestamp > position)
  const events = rows.map((row) =>
    eventText('notification', row.timestamp, recordOf(row, language)),
  )
  if (updates.unseen !== unseen) {
    // With the id a reader that has received nothing yet resumes here too.
    const at = rows.at(-1)?.timestamp ?? position ?? updates.lastAt
    events.push(eventText('count', at, { unseen: updates.unseen }))
  }
  return events.join('')
}

const eventText = (event: string, id: string, data: object): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
