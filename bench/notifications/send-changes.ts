/** Changes that tell one person, at a steady pace: each goes out at its time, answered or not. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Ask } from '../http-client.ts'

/** A change with its moments of performance.now(). */
export type Change = { readonly id: number; readonly sentAt: number; readonly answeredAt: number }

type Pace = {
  readonly ask: Ask
  readonly readerId: number
  readonly intervalMs: number
  /** Ends after so many, or when it is aborted. */
  readonly most: number
  readonly signal?: AbortSignal
}

/** Makes the changes; answers when all are answered. */
export const sendChanges = async (pace: Pace): Promise<Change[]> => {
  const { ask, readerId, intervalMs, most, signal } = pace
  const begun = performance.now()
  const sent: Promise<Change>[] = []
  while (sent.length < most && !signal?.aborted) {
    const pauseMs = begun + sent.length * intervalMs - performance.now()
    if (pauseMs > 0) await delay(pauseMs)
    const change = sendChange(ask, readerId)
    // Told below, with the others.
    change.catch(() => undefined)
    sent.push(change)
  }
  return Promise.all(sent)
}

const sendChange = async (ask: Ask, readerId: number): Promise<Change> => {
  const sentAt = performance.now()
  const body = { title: 'The lift is out of order', reader_id: readerId }
  const answer = await ask({ method: 'POST', path: '/memo', body })
  const answeredAt = performance.now()
  const { id } = JSON.parse(answer.toString()) as { id: number }
  return { id, sentAt, answeredAt }
}
