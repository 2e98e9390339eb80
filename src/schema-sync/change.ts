/** One step from the schema that is there to the one that is wished for. */
import { tableName } from '../database/sql.ts'

export type Change = {
  readonly sql: string
  /** Why it is needed, for the person who reads the plan. */
  readonly reason: string
  /** It could lose data or fail on what is there; applied only when asked for. */
  readonly isDestructive: boolean
  /** What has to be done first, where it cannot run even when allowed. */
  readonly blocked?: string
}

/** A change that loses nothing. */
export const safe = (sql: string, reason: string): Change => ({ sql, reason, isDestructive: false })

/** A change that somebody has to allow. */
export const destructive = (sql: string, reason: string): Change => ({
  sql,
  reason,
  isDestructive: true,
})

/** A change that the rows stand in the way of. */
export const blocked = (sql: string, reason: string, first: string): Change => ({
  sql,
  reason,
  isDestructive: true,
  blocked: first,
})

/** The start of a statement on an entity's table. */
export const alterTable = (table: string, what: string): string =>
  `ALTER TABLE ${tableName(table)} ${what}`

/** A count with its words: `counted(1, ['record exists', 'records exist'])` is "1 record exists". */
export const counted = (count: number, [one, many]: readonly [string, string]): string =>
  `${count} ${count === 1 ? one : many}`
