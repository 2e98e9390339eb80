/**
 * Asks PostgreSQL to cancel the statement of a connection (CancelRequest, PostgreSQL protocol 3.0,
 * 55.2.9).
 */
import { connect, type Socket } from 'node:net'
import type pg from 'pg'

/** What the driver knows of its session, and its types leave out. */
type Session = {
  readonly host: string
  readonly port: number
  readonly processID: number | null
  readonly secretKey: number | null
  readonly connection: { readonly stream: Socket }
}

const sessionOf = (connection: pg.PoolClient): Session => connection as unknown as Session

const cancelRequestCode = 80_877_102
const messageBytes = 16
const connectWithinMs = 5_000

/** Sends the request on a connection of its own; PostgreSQL never confirms it. */
export const cancelQuery = (connection: pg.PoolClient): void => {
  const { host, port, processID, secretKey } = sessionOf(connection)
  if (processID === null || secretKey === null) return
  const message = Buffer.alloc(messageBytes)
  message.writeInt32BE(messageBytes, 0)
  message.writeInt32BE(cancelRequestCode, 4)
  message.writeInt32BE(processID, 8)
  message.writeInt32BE(secretKey, 12)
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  const destroy = () => socket.destroy()
  socket.setTimeout(connectWithinMs, destroy)
  socket.on('error', destroy)
  socket.unref()
  socket.end(message)
}

/** Closes a connection immediately; a running statement fails in the driver. */
export const closeNow = (connection: pg.PoolClient): void => {
  sessionOf(connection).connection.stream.destroy()
}
