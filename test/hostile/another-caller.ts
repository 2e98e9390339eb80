/**
 * A program: another caller of a service, in a process of its own, who asks for something small again
 * and again and notes how long each answer took. Told by its parent when to begin and to end.
 */
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { watchThread } from '../support/watch-process.ts'

export type Answers = {
  readonly count: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly longest: number
  /** How many were other than 200, by status; 0 stands for no answer. */
  readonly refused: Readonly<Record<number, number>>
  /** How long this process, which does next to nothing else, waited for the machine at most. */
  readonly machineMs: number
}

export type Errand = {
  readonly url: string
  readonly paths: readonly string[]
  readonly token: string
}

const intervalMs = 10
const agent = new Agent({ keepAlive: true })

const ask = (url: string, token: string): Promise<number> =>
  new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}` }
    const sent = get(url, { agent, headers, timeout: 60_000 }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', () => resolve(0))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(0))
  })

let took: number[] = []
let refused: Record<number, number> = {}

const askForEver = async ({ url, paths, token }: Errand): Promise<void> => {
  for (let turn = 0; ; turn++) {
    const begun = performance.now()
    const status = await ask(`${url}${paths[turn % paths.length]}`, token)
    took.push(performance.now() - begun)
    if (status !== 200) refused[status] = (refused[status] ?? 0) + 1
    await delay(Math.max(1, intervalMs - (performance.now() - begun)))
  }
}

const summary = (machineMs: number): Answers => {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0
  return {
    ...{ count: sorted.length, p50: at(0.5), p99: at(0.99), longest: at(1) },
    ...{ refused, machineMs },
  }
}

if (import.meta.main) {
  const read = watchThread()
  process.on('disconnect', () => process.exit())
  process.on('message', (message: Errand | 'begin' | 'end') => {
    if (message === 'end') process.send?.(summary(read().waitedMs))
    else if (message === 'begin') {
      read()
      took = []
      refused = {}
    } else askForEver(message).catch(() => process.exit(1))
  })
}
