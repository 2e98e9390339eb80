/**
 * Load on an HTTP server, in a process of its own: so many connections, each asking again as soon as
 * it is answered. Takes a LoadWish as its one argument and prints a LoadResult, both JSON.
 */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../figures.ts'
import { operations } from './operations.ts'

export type LoadWish = {
  readonly url: string
  readonly token: string
  readonly operation: keyof typeof operations
  readonly rows: number
  readonly connections: number
  readonly ms: number
  /** Rest of a connection between two requests. */
  readonly pauseMs: number
}

export type LoadResult = {
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const wish = JSON.parse(process.argv[2] ?? '') as LoadWish
const { hostname, port } = new URL(wish.url)
const agent = new Agent({ keepAlive: true, maxSockets: wish.connections })
const operation = operations[wish.operation]

const ask = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const { method, path, body } = operation(wish.rows)
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      Authorization: `Bearer ${wish.token}`,
      ...(text && {
        'Content-Type': 'application/json',
        'Content-Length': `${Buffer.byteLength(text)}`,
      }),
    }
    const asked = request({ agent, hostname, port, method, path, headers }, (answer) => {
      answer.on('error', reject)
      answer.on('end', () =>
        answer.statusCode === 200 || answer.statusCode === 201
          ? resolve()
          : reject(new Error(`${method} ${path} was answered ${answer.statusCode}`)),
      )
      answer.resume()
    })
    asked.on('error', reject)
    asked.end(text)
  })

const samples: number[] = []
const begun = performance.now()
const keepAsking = async (): Promise<void> => {
  while (performance.now() - begun < wish.ms) {
    const asked = performance.now()
    await ask()
    samples.push(performance.now() - asked)
    if (wish.pauseMs > 0) await delay(wish.pauseMs)
  }
}

await Promise.all(Array.from({ length: wish.connections }, keepAsking))
const result: LoadResult = {
  requests: samples.length,
  perSecond: (samples.length / (performance.now() - begun)) * 1000,
  p50: percentile(samples, 50),
  p99: percentile(samples, 99),
  most: percentile(samples, 100),
}
process.stdout.write(JSON.stringify(result))
agent.destroy()
