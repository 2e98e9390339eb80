/**
 * Opens a stream for every token of standard input (`{ url, tokens }`), prints a line when all are
 * open, and then the times at which notifications came.
 */
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

const { url, tokens } = JSON.parse(await text(process.stdin)) as { url: string; tokens: string[] }

let counted = 0
let times: number[] = []

const open = (token: string): Promise<void> =>
  new Promise((resolve, reject) => {
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

// So many at once that the queue of new connections does not overflow.
for (let index = 0; index < tokens.length; index += 100)
  await Promise.all(tokens.slice(index, index + 100).map(open))
while (counted < tokens.length) await new Promise((resolve) => setTimeout(resolve, 10))
process.stdout.write('open\n')
setInterval(() => {
  if (times.length === 0) return
  process.stdout.write(`${times.join(' ')}\n`)
  times = []
}, 2)
