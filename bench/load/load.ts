/**
 * Load on an HTTP server, in a process of its own: so many connections, each asking again as soon as it
 * is answered, or requests at a fixed rate. Takes a LoadTask as its argument and prints a LoadResult.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { spreadOf } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { type Choice, type Operation, operations } from './operations.ts'

export type LoadTask = Choice & {
  readonly url: string
  readonly token: string
  readonly operation: Operation
  readonly ms: number
  /** At a fixed rate as many as are needed. */
  readonly connections?: number
  /** Requests of a connection at the most; as many as the time allows where none is given. */
  readonly maxRequests?: number
  /** Pause of a connection between two requests. */
  readonly pauseMs?: number
  /** The rate: the next request is sent on time, whether or not the last one is answered. */
  readonly perSecond?: number
}

export type LoadResult = ReturnType<typeof spreadOf> & {
  readonly requests: number
  readonly perSecond: number
}

const task = JSON.parse(process.argv[2] ?? '') as LoadTask
const { ms, connections = 1, maxRequests = Infinity, pauseMs = 0, perSecond } = task
const ask = openClient(task)
const samples: number[] = []
const begun = performance.now()
const elapsed = () => performance.now() - begun

const measure = async (turn: number): Promise<void> => {
  const asked = performance.now()
  await ask(operations[task.operation](task, turn))
  samples.push(performance.now() - asked)
}

const keepAsking = async (_: unknown, connection: number): Promise<void> => {
  for (let round = 0; round < maxRequests && elapsed() < ms; round++) {
    await measure(connection + round)
    if (pauseMs > 0) await delay(pauseMs)
  }
}

const askAtRate = async (rate: number): Promise<void> => {
  const asked: Promise<void>[] = []
  while (elapsed() < ms) {
    while (asked.length < Math.floor((elapsed() / 1000) * rate)) asked.push(measure(asked.length))
    await delay(1)
  }
  await Promise.all(asked)
}

if (perSecond === undefined) await Promise.all(Array.from({ length: connections }, keepAsking))
else await askAtRate(perSecond)
const result: LoadResult = {
  requests: samples.length,
  perSecond: (samples.length / elapsed()) * 1000,
  ...spreadOf(samples),
}
// Connections stay open and would keep the process.
process.stdout.write(JSON.stringify(result), () => process.exit())
