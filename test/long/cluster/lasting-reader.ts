/** A client of the stream of notifications that opens it again after every end, with the id of its last event. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterwards } from '../../support/afterwards.ts'
import { openReader, type Reader } from '../../support/notifications/a-stream-reader.ts'

export type LastingReader = {
  /** The ids of its notifications in the order in which they came, of all streams. */
  readonly ids: () => readonly string[]
  /** How often it was opened again. */
  readonly reopened: () => number
  /** Closes the stream as a client that loses its network does. */
  readonly cut: () => void
}

export const startLastingReader = async (url: string, token: string): Promise<LastingReader> => {
  const readers: Reader[] = [await openReader(url, token)]
  let isStopped = false
  const lastId = () => readers.flatMap(({ events }) => events.map(({ id }) => id)).findLast(Boolean)
  const reopen = async (): Promise<Reader | undefined> => {
    const id = lastId()
    for (;;) {
      const headers = id === undefined ? {} : { 'Last-Event-ID': id }
      const reader = await openReader(url, token, { headers }).catch(() => undefined)
      if (reader || isStopped) return reader
      await delay(200)
    }
  }
  const closed = ({ response }: Reader) =>
    new Promise<void>((resolve) => {
      if (response.closed) resolve()
      else response.once('close', () => resolve())
    })
  const keepOpen = async () => {
    for (let reader = readers[0]; reader && !isStopped; reader = readers.at(-1)) {
      await closed(reader)
      const next = isStopped ? undefined : await reopen()
      if (next) readers.push(next)
    }
  }
  const keeping = keepOpen()
  const closeLast = () => readers.at(-1)?.close()
  afterwards(async () => {
    isStopped = true
    closeLast()
    await keeping
    closeLast()
  })
  return {
    ids: () => readers.flatMap((reader) => reader.notifications().map(({ _id }) => _id)),
    reopened: () => readers.length - 1,
    cut: closeLast,
  }
}
