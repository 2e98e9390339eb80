/** A proxy in front of PostgreSQL that can stall: it stays connected and forwards no bytes. */

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

export type SilentProxy = {
  /** Address of the database through the proxy. */
  readonly connectionString: string
  readonly stall: () => void
  /** Stalled connections stay stalled, as after a lost route. New ones are forwarded. */
  readonly resume: () => void
  readonly close: () => Promise<void>
}

/** Starts it in front of the server of an address. */
export const startSilentProxy = async (target: string): Promise<SilentProxy> => {
  const to = new URL(target)
  const sockets = new Set<Socket>()
  let isStalled = false
  const server = createServer((client) => {
    const host = to.searchParams.get('host') ?? to.hostname
    const port = Number(to.port || 5432)
    const upstream = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port}`)
      : connect(port, host)
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      let isLost = isStalled
      from.on('data', (bytes) => {
        isLost ||= isStalled
        if (!isLost) into.write(bytes)
      })
      from.on('close', () => {
        sockets.delete(from)
        if (!isLost && !isStalled) into.destroy()
      })
      from.on('error', () => undefined)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const own = new URL(target)
  own.searchParams.delete('host')
  own.hostname = '127.0.0.1'
  own.port = String(port)
  return {
    connectionString: own.href,
    stall: () => {
      isStalled = true
    },
    resume: () => {
      isStalled = false
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
