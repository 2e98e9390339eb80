/**
 * Opens as many streams as STREAMS tells at the service of URL, each of another reader, prints a line
 * when all are open, and then the times at which notifications came.
 */
import { type IncomingMessage, request } from 'node:http'
import { openDevelopmentIssuer } from '../../src/auth/tokens/development-issuer.ts'

const { URL: url, PROJECT = '', STREAMS } = process.env
const streams = Number(STREAMS)
const issuer = await openDevelopmentIssuer(PROJECT)

let counted = 0
let times: number[] = []

const open = async (reader: number): Promise<void> => {
  const token = await issuer.signToken(`reader-${reader}`)
  await new Promise<void>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` }
    const path = `${url}/api/notifications/stream`
    const sent = request(path, { agent: false, headers }, (response: IncomingMessage) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`))
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        if (chunk.includes('event: count')) counted++
        if (!chunk.includes('event: notification')) return
        times.push(performance.timeOrigin + performance.now())
      })
      resolve()
    })
    sent.on('error', reject)
    sent.end()
  })
}

// So many at once that the queue of new connections does not overflow.
const readers = Array.from({ length: streams }, (_, index) => 1 + index)
for (let index = 0; index < streams; index += 100)
  await Promise.all(readers.slice(index, index + 100).map(open))
while (counted < streams) await new Promise((resolve) => setTimeout(resolve, 10))
process.stdout.write('The streams are open.\n')
setInterval(() => {
  if (times.length === 0) return
  process.stdout.write(`${times.join(' ')}\n`)
  times = []
}, 2)
