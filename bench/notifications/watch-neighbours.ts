/**
 * Small changes to the tables that a large event is written to: members mark what they were told, and
 * somebody outside the group is told of other changes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { spreadOf } from '../figures.ts'
import { openClient } from '../http-client.ts'
import type { Row } from '../report.ts'
import { untilHolds } from '../until-holds.ts'
import type { FanOutPlace } from './fan-out-place.ts'
import { memberCount } from './fan-out-project.ts'
import { followStream } from './follow-reader.ts'
import { sendChanges } from './send-changes.ts'

const markers = 2
const markingMembers = 200
const markPauseMs = 5
const changeEveryMs = 50

export type Neighbours = {
  /** Works on until the signal comes; answers how long each had to wait. */
  readonly work: (signal: AbortSignal) => Promise<Row>
  readonly stop: () => Promise<void>
}

/** Gets them ready. */
export const openNeighbours = async (place: FanOutPlace, url: string): Promise<Neighbours> => {
  const every = Math.floor(memberCount / markingMembers)
  const numbers = Array.from({ length: markingMembers }, (_, index) => 1 + index * every)
  const tokens = await Promise.all(numbers.map(place.tokenOf))
  const stream = await followStream(url, await place.tokenOf(0))
  const changing = {
    ask: openClient({ url, token: place.token, connections: 8 }),
    readerId: place.outsiderId,
    intervalMs: changeEveryMs,
    most: Number.POSITIVE_INFINITY,
  }
  return {
    work: async (signal) => {
      const [marks, changes] = await Promise.all([
        markOn(url, tokens, signal),
        sendChanges({ ...changing, signal }),
      ])
      await untilHolds('the other changes are told', () =>
        changes.every(({ id }) => stream.told.has(id)),
      )
      const marking = spreadOf(marks)
      const push = spreadOf(
        changes.map(({ id, answeredAt }) => (stream.told.get(id) ?? Number.NaN) - answeredAt),
      )
      return {
        'mark p50 (ms)': marking.p50,
        'mark longest (ms)': marking.max,
        'push p50 (ms)': push.p50,
        'push longest (ms)': push.max,
      }
    },
    stop: stream.stop,
  }
}

/** Marks all of one member after the other, a few at a time; answers how long each took. */
const markOn = async (
  url: string,
  tokens: readonly string[],
  signal: AbortSignal,
): Promise<number[]> => {
  const samples: number[] = []
  const asks = tokens.map((token) => openClient({ url, token, connections: markers }))
  const keepMarking = async (_: unknown, marker: number) => {
    for (let turn = marker; !signal.aborted; turn += markers) {
      const ask = asks[(turn * 37) % asks.length]
      const status = Math.floor(turn / asks.length) % 2 ? 'unseen' : 'seen'
      const asked = performance.now()
      const body = { ids: [], status, before: new Date() }
      await ask?.({ method: 'PUT', path: '/api/notifications/mark', body })
      samples.push(performance.now() - asked)
      await delay(markPauseMs)
    }
  }
  await Promise.all(Array.from({ length: markers }, keepMarking))
  return samples
}
