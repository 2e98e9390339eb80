/**
 * A pooler in transaction mode: a few sessions of the server, each assigned to a client for one
 * transaction. It implements the part of the protocol (PostgreSQL, chapter 55) that statements need.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { connectTo } from './database-address.ts'

type Session = { readonly socket: Socket; client: Client | undefined }
type Client = { readonly socket: Socket; readonly waiting: Buffer[]; session: Session | undefined }

/** Starts it in front of the server of an address. Returns its own address. */
export const startTransactionPooler = async (target: string) => {
  const to = new URL(target)
  const sessions: Session[] = []
  const clients = new Set<Client>()
  const take = (client: Client): Session => {
    const free = sessions.find((session) => session.client === undefined)
    const session = free ?? newSession()
    session.client = client
    client.session = session
    return session
  }
  const newSession = (): Session => {
    const socket = connectTo(to)
    const session: Session = { socket, client: undefined }
    sessions.push(session)
    socket.write(startup(decodeURIComponent(to.username), to.pathname.slice(1)))
    let isReady = false
    splitMessages(socket, (message) => {
      const isEnd = message[0] === 'Z'.charCodeAt(0)
      // The client has already got the initial parameters of the session.
      if (isReady) session.client?.socket.write(message)
      if (isEnd && isReady && message[5] === 'I'.charCodeAt(0)) {
        if (session.client) session.client.session = undefined
        session.client = undefined
      }
      isReady ||= isEnd
    })
    socket.on('error', () => undefined)
    return session
  }
  const server = createServer((socket) => {
    const client: Client = { socket, waiting: [], session: undefined }
    clients.add(client)
    let isStarted = false
    socket.on('data', (bytes) => {
      if (isStarted) (client.session ?? take(client)).socket.write(bytes)
      // Sends its own greeting: AuthenticationOk, BackendKeyData, ReadyForQuery.
      else
        socket.write(
          Buffer.from('520000000800000000' + '4b0000000c0000000100000001' + '5a0000000549', 'hex'),
        )
      isStarted = true
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clients.delete(client)
      // Of a client that is gone within a transaction.
      const { session } = client
      if (!session) return
      sessions.splice(sessions.indexOf(session), 1)
      session.socket.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(target)
  own.search = ''
  own.hostname = '127.0.0.1'
  own.port = String((server.address() as AddressInfo).port)
  return {
    connectionString: own.href,
    close: async () => {
      for (const { socket } of [...clients, ...sessions]) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const startup = (user: string, database: string): Buffer => {
  const words = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + words.length, 0)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, words])
}

const splitMessages = (socket: Socket, onMessage: (message: Buffer) => void): void => {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1)
      onMessage(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  })
}
