/** The reference of downloads: a server that answers every request with the file of FILE, as a stream. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

const { FILE = '' } = process.env
const { size } = await stat(FILE)
const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Length': size })
  pipeline(createReadStream(FILE), response, () => undefined)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
process.stdout.write(`The peer is ready at http://127.0.0.1:${port}\n`)
