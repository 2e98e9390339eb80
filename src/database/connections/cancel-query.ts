/**
 * Asks PostgreSQL to cancel the statement of a connection (CancelRequest, PostgreSQL protocol 3.0,
 * 55.2.9).
 */
import { connect, type Socket } from 'node:net'
import type pg from 'pg'
import { clientOf } from './database-client.ts'

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

/**
 * Sends the request on a connection of its own; PostgreSQL never confirms it. Resolves when that connection is
 * closed.
 */
export const cancelQuery = async (connection: pg.PoolClient): Promise<void> => {
  const { host, port, processID, secretKey } = sessionOf(connection)
  if (processID === null || secretKey === null) return
  const closed = Promise.withResolvers<void>()
  const message = Buffer.alloc(messageBytes)
  message.writeInt32BE(messageBytes, 0)
  message.writeInt32BE(cancelRequestCode, 4)
  message.writeInt32BE(processID, 8)
  message.writeInt32BE(secretKey, 12)
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  const destroy = () => socket.destroy()
  socket.setTimeout(connectWithinMs, destroy)
  socket.on('error', destroy)
  socket.on('close', () => closed.resolve())
  // Kept open until the other side closes it: PgBouncer forgets the request of a client that has gone.
  socket.write(message)
  socket.resume()
  socket.unref()
  await closed.promise
}

/**
 * Cancels the statement, and closes the connection when PostgreSQL has ended it: until then the connection is taken, so that there
 * are never more statements than connections. A pooler finds the session of the statement by its client.
 */
export const releaseCancelled = async (connection: pg.PoolClient): Promise<void> => {
  void cancelQuery(connection)
  await clientOf(connection).untilIdle()
  connection.release(true)
}

/** Closes a connection immediately; a running statement fails in the driver. */
export const closeNow = (connection: pg.PoolClient): void => {
  sessionOf(connection).connection.stream.destroy()
}
