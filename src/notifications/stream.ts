/**
 * One open stream of server-sent events: it knows how far its reader has been told, and takes no more
 * than the reader takes. What it did not take stays in the database, and is asked for again.
 */
import type { ServerResponse } from 'node:http'
import { recordOf } from './notification.ts'
import type { News } from './stream-news.ts'

export type Stream = {
  readonly userId: number
  /** Timestamp of the last notification that was sent; undefined: it begins with what comes now. */
  readonly position: () => string | undefined
  /** Whether it can be given news; false while its reader does not take what was sent. */
  readonly isReady: () => boolean
  /** Sends what is new to its reader. */
  readonly give: (news: News) => void
  /** Shows the reader, and what stands between, that the stream lives; cuts one that takes nothing. */
  readonly beat: () => void
  /** Throws when the caller would not be let in any more. */
  readonly authenticate: () => Promise<unknown>
  readonly end: () => void
}

type Options = {
  readonly response: ServerResponse
  readonly userId: number
  readonly language: string
  /** Where to go on (`Last-Event-ID`). */
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
  const send = (text: string) => {
    isWaiting = !response.write(text)
    isLate = false
  }
  const stream: Stream = {
    userId,
    position: () => position,
    isReady: () => !isWaiting && !response.destroyed && !response.writableEnded,
    give: (news) => {
      const text = eventsOf(news, { position, unseen, language })
      const last = news.rows.at(-1)?.timestamp
      if (position === undefined) position = news.lastAt
      else if (last !== undefined && last > position) position = last
      unseen = news.unseen
      if (text !== '') send(text)
    },
    beat: () => {
      // Two beats without a byte taken: the reader resumes when it can.
      if (isWaiting && isLate) response.destroy()
      else if (isWaiting) isLate = true
      else send(': \n\n')
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
  send(`retry: ${Math.round(1000 + Math.random() * 4000)}\n\n`)
  return stream
}

type Told = {
  readonly position: string | undefined
  readonly unseen: number | undefined
  readonly language: string
}

/** What is new as text: notifications in their order, then the count if it is another. */
const eventsOf = (news: News, { position, unseen, language }: Told): string => {
  const rows = position === undefined ? [] : news.rows.filter((row) => row.timestamp > position)
  const events = rows.map((row) =>
    eventText('notification', row.timestamp, recordOf(row, language)),
  )
  if (news.unseen !== unseen) {
    // With the id a reader who was never told anything resumes here too.
    const at = rows.at(-1)?.timestamp ?? position ?? news.lastAt
    events.push(eventText('count', at, { unseen: news.unseen }))
  }
  return events.join('')
}

const eventText = (event: string, id: string, data: object): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
