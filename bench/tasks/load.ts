/**
 * Load on the paths of tasks, in a process of its own: so many connections, each asking again as soon
 * as it is answered. Takes a TaskWish as its argument and prints a LoadResult.
 */
import { Agent, request } from 'node:http'
import { percentile } from '../figures.ts'
import type { LoadResult } from '../records/load.ts'
import { type Operation, operations } from './operations.ts'

export type TaskWish = {
  readonly url: string
  readonly token: string
  readonly operation: Operation
  readonly rows: number
  readonly connections: number
  readonly ms: number
}

const wish = JSON.parse(process.argv[2] ?? '') as TaskWish
const { hostname, port } = new URL(wish.url)
const agent = new Agent({ keepAlive: true, maxSockets: wish.connections })

const ask = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const { method, path, body } = operations[wish.operation](wish.rows)
    const text = body && JSON.stringify(body)
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
        [200, 201, 204].includes(answer.statusCode ?? 0)
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
