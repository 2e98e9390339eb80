/**
 * Whether the service can do its work: the database answers, accepts changes, and has the columns of the
 * definitions.
 */

import type { Pool } from '../database/pool.ts'
import { runOutsideRequest } from '../database/request-context.ts'
import type { Project } from '../definitions/load-project.ts'
import type { Observation } from '../observations.ts'
import { findMissing } from '../schema-sync/current-schema.ts'

type HealthStatus =
  | 'ready'
  | 'database unavailable'
  | 'database read-only'
  | 'database of another version'

export type Health = {
  readonly check: () => Promise<HealthStatus>
  /** Receives responses that report missing columns. */
  readonly observe: (observation: Observation) => void
}

type Options = {
  /** A separate pool, so that requests that wait for connections do not make the service unready. */
  readonly pool: Pool
  readonly project: Project
}

/** Concurrent checks share one result. */
export const createHealth = ({ pool, project }: Options): Health => {
  let running: Promise<HealthStatus> | undefined
  let mayLackColumns = false
  const look = async (): Promise<HealthStatus> => {
    try {
      if (await isReadOnly(pool)) return 'database read-only'
      if (mayLackColumns && (await findMissing(pool, project.catalog)).length > 0)
        return 'database of another version'
      mayLackColumns = false
      return 'ready'
    } catch {
      return 'database unavailable'
    } finally {
      running = undefined
    }
  }
  return {
    check: () => {
      running ??= runOutsideRequest(look)
      return running
    },
    observe: (observation) => {
      if (observation.kind === 'requestRefused' && observation.code === 'database.changed')
        mayLackColumns = true
    },
  }
}

/** A connection keeps the settings of its start, so a read-only one is reopened. */
const isReadOnly = async (pool: Pool): Promise<boolean> => {
  const connection = await pool.connect()
  let mayWrite = false
  try {
    const { rows } = await connection.query<{ transaction_read_only: string }>(
      'SHOW transaction_read_only',
    )
    mayWrite = rows[0]?.transaction_read_only === 'off'
    return !mayWrite
  } finally {
    connection.release(!mayWrite)
  }
}
