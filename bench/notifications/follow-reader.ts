/** One person who is told: when each change came on their stream, and when their list had it. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { askJson, openClient } from '../http-client.ts'

/** Moments of performance.now() by the id of the record. */
export type Followed = {
  readonly told: ReadonlyMap<number, number>
  readonly stop: () => Promise<void>
}

/** Follows their stream, which is open when this answers. */
export const followStream = async (url: string, token: string): Promise<Followed> => {
  const headers = { Authorization: `Bearer ${token}` }
  const sent = request(`${url}/api/notifications/stream`, { agent: false, headers })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200)
    throw new Error(`The stream was answered ${response.statusCode}.`)
  const told = new Map<number, number>()
  const lines = createInterface({ input: response })
  const isOpen = Promise.withResolvers<void>()
  lines.on('line', (line) => {
    const at = performance.now()
    if (!line.startsWith('data: ')) return
    isOpen.resolve()
    const event = JSON.parse(line.slice('data: '.length)) as { entity_id?: number }
    if (event.entity_id !== undefined) told.set(event.entity_id, at)
  })
  // The first event is the count.
  await isOpen.promise
  return {
    told,
    stop: async () => {
      response.destroy()
    },
  }
}

/** Rest of the list's reader between two questions. */
export const listPauseMs = 5
const defaultLimit = 20
const maxLimit = 1000

/** Asks for their list again and again. */
export const followList = (url: string, token: string): Followed => {
  const ask = openClient({ url, token, connections: 1 })
  const told = new Map<number, number>()
  let isStopped = false
  const readOn = async () => {
    let limit = defaultLimit
    while (!isStopped) {
      const path = `/api/notifications?limit=${limit}`
      const found = await askJson<{ entity_id: number }[]>(ask, path)
      const at = performance.now()
      const fresh = found.filter(({ entity_id: id }) => !told.has(id))
      for (const { entity_id: id } of fresh) told.set(id, at)
      // Where every one is new there may be more.
      limit = fresh.length === defaultLimit ? maxLimit : defaultLimit
      await delay(listPauseMs)
    }
  }
  const ended = readOn()
  ended.catch(() => undefined)
  return {
    told,
    stop: () => {
      isStopped = true
      return ended
    },
  }
}
