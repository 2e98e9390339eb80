/**
 * `GET` of one order after the other at a fixed rate, in a process of its own: the next one is asked
 * for on time, whether or not the last one is answered. Takes a RateWish and prints a LoadResult.
 */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../figures.ts'
import type { LoadResult } from '../records/load.ts'
import { orderCount } from './fill.ts'

export type RateWish = {
  readonly url: string
  readonly token: string
  readonly perSecond: number
  readonly ms: number
}

const wish = JSON.parse(process.argv[2] ?? '') as RateWish
const { hostname, port } = new URL(wish.url)
const agent = new Agent({ keepAlive: true })
const headers = { Authorization: `Bearer ${wish.token}` }

const ask = (id: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const path = `/purchase_order/${id}`
    const begun = performance.now()
    const asked = request({ agent, hostname, port, path, headers }, (answer) => {
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - begun)
        else reject(new Error(`GET ${path} was answered ${answer.statusCode}`))
      })
      answer.resume()
    })
    asked.on('error', reject)
    asked.end()
  })

const begun = performance.now()
const asked: Promise<number>[] = []
const due = () => Math.floor(((performance.now() - begun) / 1000) * wish.perSecond)
while (performance.now() - begun < wish.ms) {
  while (asked.length < due()) asked.push(ask(1 + (asked.length % orderCount)))
  await delay(1)
}
const samples = await Promise.all(asked)
const result: LoadResult = {
  requests: samples.length,
  perSecond: (samples.length / (performance.now() - begun)) * 1000,
  p50: percentile(samples, 50),
  p99: percentile(samples, 99),
  most: percentile(samples, 100),
}
process.stdout.write(JSON.stringify(result))
agent.destroy()
