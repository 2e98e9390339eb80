/** What a connection does when the HTTP request ends that uses it, or waits for it. */
import type pg from 'pg'
import { RequestEnded } from '../database-errors.ts'
import type { EndReason, RequestContext } from '../request-context.ts'
import type { Slot } from './caller-limit.ts'
import { cancelQuery, closeNow } from './cancel-query.ts'
import { clientOf } from './database-client.ts'

/** The promise's value, unless the request ends first; a connection that arrives later is released. */
export const untilEnd = (
  request: RequestContext,
  connecting: Promise<pg.PoolClient>,
): Promise<pg.PoolClient> =>
  new Promise((resolve, reject) => {
    const ignore = request.onEnd((reason) => reject(new RequestEnded(reason)))
    connecting.then(
      (connection) => {
        ignore()
        if (request.endReason) connection.release()
        else resolve(connection)
      },
      (error) => {
        ignore()
        reject(error)
      },
    )
  })

/**
 * Ends the work on a connection when its request ends: what waits for it fails at once. A write loses its connection, a read is
 * cancelled. PostgreSQL may see
 * that late, or never within one long comparison; the connection and the slot of the caller are taken until it has answered, so
 * that a caller who disconnects repeatedly never has more statements running than they have slots. The connection is then
 * closed, because a late cancel could hit another caller's statement.
 */
export const endWithRequest = (
  connection: pg.PoolClient,
  request: RequestContext,
  slot: Slot,
): pg.PoolClient => {
  const client = clientOf(connection)
  const ignore = request.onEnd((reason: EndReason) => {
    if (request.isReadOnly) {
      void cancelQuery(connection)
      client.leave(new RequestEnded(reason))
      // A write is never cancelled: its commit could be reported before a standby has it. It ends with its connection.
    } else closeNow(connection)
  })
  const { release } = connection
  const free = (error: Error | boolean | undefined) => {
    release(error)
    slot.release()
  }
  connection.release = (error) => {
    ignore()
    if (request.endReason) void client.untilIdle().then(() => free(true))
    else free(error)
  }
  return connection
}
