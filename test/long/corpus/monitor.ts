/**
 * A program that sends small requests to a service continually and measures each response time. It runs in
 * its own process; its parent sends it messages that begin and end a measurement.
 */
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { watchThread } from '../../support/watch-process.ts'

export type ResponseTimes = {
  readonly count: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly longest: number
  /** The number of responses other than 200, by status; 0 stands for no response. */
  readonly failed: Readonly<Record<number, number>>
  /** The longest delay of this process by the machine. */
  readonly machineMs: number
}

export type MonitorTask = {
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

let durations: number[] = []
let failed: Record<number, number> = {}

const sendContinually = async ({ url, paths, token }: MonitorTask): Promise<void> => {
  for (let turn = 0; ; turn++) {
    const begun = performance.now()
    const status = await ask(`${url}${paths[turn % paths.length]}`, token)
    durations.push(performance.now() - begun)
    if (status !== 200) failed[status] = (failed[status] ?? 0) + 1
    await delay(Math.max(1, intervalMs - (performance.now() - begun)))
  }
}

const summary = (machineMs: number): ResponseTimes => {
  const sorted = durations.toSorted((a, b) => a - b)
  const at = (quantile: number) => sorted[Math.floor(quantile * (sorted.length - 1))] ?? 0
  return {
    count: sorted.length,
    p50: at(0.5),
    p99: at(0.99),
    longest: at(1),
    failed,
    machineMs,
  }
}

if (import.meta.main) {
  const read = watchThread()
  process.on('disconnect', () => process.exit())
  process.on('message', (message: MonitorTask | 'begin' | 'end') => {
    if (message === 'end') process.send?.(summary(read().waitedMs))
    else if (message === 'begin') {
      read()
      durations = []
      failed = {}
    } else sendContinually(message).catch(() => process.exit(1))
  })
}
