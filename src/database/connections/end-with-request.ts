/** What a connection does when the HTTP request ends that uses it, or waits for it. */
import type pg from 'pg'
import { RequestEnded } from '../database-errors.ts'
import type { EndReason, RequestContext } from '../request-context.ts'
import type { Slot } from './caller-limit.ts'
import { cancelQuery, closeNow } from './cancel-query.ts'

// PostgreSQL cannot interrupt some operators immediately.
const cancelWithinMs = 5_000

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
 * Cancels the statement of a connection when its request ends. A cancelled statement keeps its slot until
 * PostgreSQL has ended it, so that a caller who disconnects repeatedly does not exceed the limit. The
 * connection is then closed, because a late cancel could hit another caller's statement.
 */
export const endWithRequest = (
  connection: pg.PoolClient,
  request: RequestContext,
  slot: Slot,
): pg.PoolClient => {
  let timer: NodeJS.Timeout | undefined
  let isEnded = false
  const ignore = request.onEnd((reason: EndReason) => {
    isEnded = true
    // A write is never cancelled: its commit could be reported before a standby has it.
    if (request.isReadOnly) void cancelQuery(connection)
    if (reason === 'deadline') closeNow(connection)
    else timer = setTimeout(() => closeNow(connection), cancelWithinMs).unref()
  })
  const { release } = connection
  connection.release = (error) => {
    ignore()
    clearTimeout(timer)
    release(isEnded || error)
    slot.release()
  }
  return connection
}
