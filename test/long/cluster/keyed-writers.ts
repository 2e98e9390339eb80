/** Clients that create records with an Idempotency-Key, and repeat a create with its key until it is acknowledged. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterwards } from '../../support/afterwards.ts'

export type Created = {
  readonly key: string
  readonly id: number
  /** When the acknowledged request was sent (milliseconds, monotonic). */
  readonly sentAt: number
}

export type Writers = {
  readonly created: readonly Created[]
  /** Each answer other than a 201: its status and Retry-After, or what failed. */
  readonly refused: ReadonlySet<string>
  /** Ends after every create that was begun is acknowledged. */
  readonly stop: () => Promise<void>
}

type Options = {
  /** The processes, which are asked by turns: a create is repeated at another one. */
  readonly urls: readonly string[]
  readonly token: string
  readonly writers: number
  readonly pauseMs: number
  readonly bodyOf: (key: string, index: number) => object
}

export const startWriters = ({ urls, token, writers, pauseMs, bodyOf }: Options): Writers => {
  const created: Created[] = []
  const refused = new Set<string>()
  let isStopping = false
  let isGivenUp = false
  let turn = 0
  const createOnce = async (key: string, body: object): Promise<Created | undefined> => {
    const sentAt = performance.now()
    const answer = await postKeyed(urls[turn++ % urls.length] ?? '', token, key, body)
    if (typeof answer !== 'string') return { key, id: answer.id, sentAt }
    refused.add(answer)
    return undefined
  }
  const write = async (writer: number) => {
    for (let index = 0; !isStopping; index++) {
      const key = `w${writer}-${index}`
      const body = bodyOf(key, index)
      let done = await createOnce(key, body)
      // A client would wait for Retry-After; these wait less, to see when it is back.
      while (!done) {
        if (isGivenUp) return
        await delay(200)
        done = await createOnce(key, body)
      }
      created.push(done)
      await delay(pauseMs)
    }
  }
  const all = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  const stop = async () => {
    isStopping = true
    await all
  }
  // When a test fails, nobody acknowledges what is left.
  afterwards(async () => {
    isGivenUp = true
    await stop()
  })
  return { created, refused, stop }
}

/** The record, or how the request was refused. */
export const postKeyed = async (
  url: string,
  token: string,
  key: string,
  body: object,
): Promise<{ readonly id: number } | string> => {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
  }
  try {
    const response = await fetch(`${url}/request`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    if (response.status === 201) return JSON.parse(text)
    return `${response.status} ${JSON.parse(text).code}, Retry-After ${response.headers.get('retry-after')}`
  } catch (error) {
    return String(error)
  }
}
