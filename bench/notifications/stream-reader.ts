/** Users who read the notification stream. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Target } from '../http-client.ts'

/** Closes the stream. */
export type CloseStream = () => void

/** Opens a stream; `onNotification` is called with the id of the record. */
export const openStream = async (
  { url, token }: Target,
  onNotification: (entityId: number) => void,
): Promise<CloseStream> => {
  const headers = { Authorization: `Bearer ${token}` }
  const sent = request(`${url}/api/notifications/stream`, { agent: false, headers })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200)
    throw new Error(`The stream was answered ${response.statusCode}.`)
  const opened = Promise.withResolvers<void>()
  let rest = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines.filter((one) => one.startsWith('data: '))) {
      // The first event is the count.
      opened.resolve()
      const event = JSON.parse(line.slice('data: '.length)) as { entity_id?: number }
      if (event.entity_id !== undefined) onNotification(event.entity_id)
    }
  })
  await opened.promise
  return () => response.destroy()
}

// A number that does not overflow the queue of new connections.
const openedAtOnce = 100

type Readers = {
  readonly url: string
  readonly tokenOf: (member: number) => Promise<string>
  /** Numbers of members: the first one, and how many. */
  readonly first: number
  readonly count: number
}

/** Opens a stream for each of some members. */
export const openStreams = async (
  { url, tokenOf, first, count }: Readers,
  onNotification: (entityId: number) => void,
): Promise<CloseStream[]> => {
  const open = async (member: number) =>
    openStream({ url, token: await tokenOf(member) }, onNotification)
  const closers: CloseStream[] = []
  while (closers.length < count) {
    const length = Math.min(openedAtOnce, count - closers.length)
    const members = Array.from({ length }, (_, index) => first + closers.length + index)
    closers.push(...(await Promise.all(members.map(open))))
  }
  return closers
}
