/** An address of its own that leads to a PostgreSQL of the tests, as a proxy before a cluster does. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterwards } from './afterwards.ts'

/** Connects to a server by its folder or its host. */
export const connectTo = ({ searchParams, hostname, port }: URL): Socket => {
  const folder = searchParams.get('host')
  return folder?.startsWith('/')
    ? connect(`${folder}/.s.PGSQL.${port || 5432}`)
    : connect(Number(port || 5432), folder ?? hostname)
}

type Pair = readonly [client: Socket, upstream: Socket]

const pass = ([client, upstream]: Pair) => client.pipe(upstream).pipe(client)

/** Listens on a port of its own until the test ends. */
export const startAddress = async (first: string) => {
  let to = new URL(first)
  const pairs = new Set<Pair>()
  let isStalled = false
  const server = createServer((client) => {
    const pair: Pair = [client, connectTo(to)]
    pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        pairs.delete(pair)
        for (const one of pair) one.destroy()
      })
    }
    if (!isStalled) pass(pair)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of [...pairs].flat()) socket.destroy()
  }
  const close = afterwards(async () => {
    cut()
    server.close()
    await once(server, 'close')
  })
  const url = new URL(first)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    connectionString: url.href,
    /** Leads elsewhere from now on, and cuts every connection. */
    leadTo: (connectionString: string) => {
      to = new URL(connectionString)
      cut()
    },
    /** Connections stay and are accepted, and nothing passes: as if the host of the server were suspended. */
    stall: () => {
      isStalled = true
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause()
        upstream.unpipe(client).pause()
      }
    },
    /** New connections pass, and those that sent nothing meanwhile; others stay stalled, as after a lost route. */
    resume: () => {
      isStalled = false
      for (const pair of pairs) if (pair.every((one) => one.readableLength === 0)) pass(pair)
    },
    /** All connections pass again. */
    thaw: () => {
      isStalled = false
      pairs.forEach(pass)
    },
    close,
  }
}
