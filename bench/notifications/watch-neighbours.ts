/**
 * Small changes to the tables that a large event is written to: members mark what they were told, and
 * somebody outside the group is told of other changes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../figures.ts'
import type { Row } from '../report.ts'
import type { FanOutPlace } from './fan-out-place.ts'
import { memberCount } from './fan-out-project.ts'
import { followStream } from './follow-reader.ts'
import { askOn } from './operations.ts'
import { sendChanges } from './send-changes.ts'
import { untilHolds } from './until-holds.ts'

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
    ask: askOn(url, place.token, 8),
    readerId: place.outsiderId,
    everyMs: changeEveryMs,
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
      const toPush = changes.map(
        ({ id, answeredAt }) => (stream.told.get(id) ?? Number.NaN) - answeredAt,
      )
      return {
        'mark p50 (ms)': percentile(marks, 50),
        'mark longest (ms)': percentile(marks, 100),
        'push p50 (ms)': percentile(toPush, 50),
        'push longest (ms)': percentile(toPush, 100),
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
  const asks = tokens.map((token) => askOn(url, token, markers))
  const keepMarking = async (_: unknown, marker: number) => {
    for (let turn = marker; !signal.aborted; turn += markers) {
      const ask = asks[(turn * 37) % asks.length]
      const status = Math.floor(turn / asks.length) % 2 ? 'unseen' : 'seen'
      const asked = performance.now()
      await ask?.('PUT', '/api/notifications/mark', { ids: [], status, before: new Date() })
      samples.push(performance.now() - asked)
      await delay(markPauseMs)
    }
  }
  await Promise.all(Array.from({ length: markers }, keepMarking))
  return samples
}
