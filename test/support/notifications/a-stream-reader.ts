/** A client that reads a stream of server-sent events, and what it has received so far. */
import { type IncomingMessage, request } from 'node:http'
import { within } from '../wait.ts'
import type { ListedNotification } from './an-inbox.ts'

type ServerSentEvent = {
  /** Empty without one. */
  readonly id: string
  readonly event: string
  readonly data: string
}

type ReaderOptions = {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Reads nothing until it is resumed. */
  readonly isPaused?: boolean
}

/** Opens the stream; throws with the text of the answer when it is rejected. */
export const openReader = async (
  url: string,
  token: string,
  { path = '/api/notifications/stream', headers = {}, isPaused = false }: ReaderOptions = {},
) => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      { agent: false, headers: { Authorization: `Bearer ${token}`, ...headers } },
      resolve,
    )
    sent.on('error', reject)
    sent.end()
  })
  response.setEncoding('utf8')
  let text = ''
  const found: ServerSentEvent[] = []
  let rest = ''
  const ended = new Promise<boolean>((resolve) => {
    response.on('close', () => resolve(response.complete))
    response.on('error', () => undefined)
  })
  const resume = () =>
    response.on('data', (chunk: string) => {
      text += chunk
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      found.push(...blocks.flatMap(readEvent))
    })
  if (!isPaused) resume()
  if (response.statusCode !== 200) {
    await ended
    throw new Error(`${response.statusCode} ${text}`)
  }
  const dataOf = (event: string) =>
    found.filter((one) => one.event === event).map(({ data }) => JSON.parse(data))
  return {
    response,
    /** Starts reading a stream that was opened paused. */
    resume,
    /** The events received so far. */
    events: found as readonly ServerSentEvent[],
    /** The notifications among them. */
    notifications: (): ListedNotification[] => dataOf('notification'),
    /** The unseen counts among them. */
    counts: (): number[] => dataOf('count').map(({ unseen }) => unseen),
    /** The text received so far. */
    text: () => text,
    /** True when the server ended the stream, false when the connection was closed. */
    get ended() {
      return within('the stream ends', ended)
    },
    close: () => void response.destroy(),
  }
}
export type Reader = Awaited<ReturnType<typeof openReader>>

const readEvent = (block: string): ServerSentEvent[] => {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const [name = '', ...value] = line.split(': ')
      return [name, value.join(': ')]
    }),
  )
  const { id, event, data } = fields
  return event && data ? [{ id: id ?? '', event, data }] : []
}
