/** Makes the database follow the definitions: applies changes that lose no data, and others when allowed. */
import { exclusively } from '../database/locks.ts'
import { migrate, refuseOldServer } from '../database/migrate.ts'
import { type Connection, execute, type Pool, type Queryable } from '../database/pool.ts'
import { sql, texts } from '../database/sql.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { schedulesOf } from '../definitions/date-rules.ts'
import type { Observe } from '../observations.ts'
import { applyChanges, reportingProgress } from './apply-changes.ts'
import { planCalculations, readReplaced } from './calculations/plan-calculations.ts'
import { currentSchema } from './current-schema.ts'
import { desiredSchema, storeSynced } from './desired-schema.ts'
import { type Allowed, type Change, isApplied, refuseChanges } from './diff/change.ts'
import { diffSchema } from './diff/diff-schema.ts'
import { followViews } from './renames/follow-views.ts'
import { hintLinks, hintRenames } from './renames/hint-renames.ts'
import { planRenames, resolveNameConflicts } from './renames/plan-renames.ts'
import {
  type ComparedRule,
  type Rename,
  readSyncHistory,
  renamedHistory,
  storeDone,
  storeRenames,
} from './renames/sync-history.ts'
import { compareRecords, movedWords } from './rows/compare-records.ts'
import { planSeries } from './rows/number-records.ts'
import { readTableStats } from './rows/read-table-stats.ts'
import { addSearchIndexes, dropSearchIndexes } from './search-indexes.ts'

// An arbitrary number: the advisory lock of the process that changes the schema.
const schemaLock = 7_305_114_002

type SyncOptions = {
  readonly pool: Pool
  readonly catalog: Catalog
  /** The zone of default times without an offset. */
  readonly timeZone?: string
  /** How long to try to get locks. */
  readonly waitMs?: number
  /** Time limit for comparing records with changed rules. */
  readonly compareMs?: number
  /** Also calculates fields whose calculation has not changed. */
  readonly isRecalculating?: boolean
}

type Options = SyncOptions & Allowed & { readonly observe: Observe }

type Synced = {
  readonly applied: readonly Change[]
  /** Kept, or reported as a warning. */
  readonly left: readonly Change[]
}

const defaultWaitMs = 60_000
const defaultCompareMs = 10_000

/** Applies the difference, or throws a SchemaRefusal before anything is written. */
export const syncSchema = (options: Options): Promise<Synced> =>
  underLock(options, (connection) =>
    reportingProgress({ connection, ...options }, () => syncOn(connection, options)),
  )

const syncOn = async (connection: Connection, options: Options): Promise<Synced> => {
  const { observe, allowDestructive = false, waitMs = defaultWaitMs } = options
  const begun = performance.now()
  await migrate(connection)
  const { changes, renames, rules, isBehind } = await difference(connection, options)
  refuseChanges(changes, allowDestructive)
  const { applied, left } = sorted(changes, options)
  const store = () => storeRenames(connection, renames)
  await dropSearchIndexes(connection, options.catalog)
  await applyChanges(connection, applied, { waitMs, store })
  if (isBehind) await storeDone(connection, rules)
  await storeSchedules(connection, options.catalog)
  if (applied.length > 0) {
    const ms = performance.now() - begun
    observe({ kind: 'schemaSynced', statements: applied.length, ms })
  }
  const warnings = [
    ...left.map(({ reason }) => reason),
    ...(await addSearchIndexes(connection, options.catalog)),
  ]
  if (warnings.length > 0) observe({ kind: 'schemaWarning', warnings })
  // Warnings are repeated at every start.
  await storeSynced(connection, options, warnings.length > 0)
  return { applied, left }
}

/** Every change that a sync would apply, reject or leave; writes nothing. */
export const planSync = (options: SyncOptions): Promise<Change[]> =>
  underLock(options, async (connection) => {
    await refuseOldServer(connection)
    return (await difference(connection, options)).changes
  })

/** Any number of processes may start at once: they run one by one, and only the first has changes. */
const underLock = <T>(
  { pool, waitMs = defaultWaitMs }: SyncOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> =>
  exclusively({ pool, lock: schemaLock, what: 'the tables of records', waitMs }, work)

type Difference = {
  readonly changes: Change[]
  /** To be stored with them. */
  readonly renames: readonly Rename[]
  readonly rules: readonly ComparedRule[]
  /** Whether something must be stored at the end. */
  readonly isBehind: boolean
}

const difference = async (connection: Connection, options: SyncOptions): Promise<Difference> => {
  const { catalog, timeZone = 'UTC', compareMs = defaultCompareMs } = options
  const history = await readSyncHistory(connection)
  const clashes = await resolveNameConflicts(connection, catalog, await currentSchema(connection))
  const renamed = planRenames(catalog, clashes.schema, history)
  const { schema } = renamed
  const desired = desiredSchema(catalog, timeZone)
  const later = renamedHistory(history, renamed.renames)
  const tableStats = await readTableStats(connection, desired, schema, {
    timeZone,
    movedWords: movedWords(catalog, later, 'new'),
  })
  const compared = await compareRecords(connection, {
    catalog,
    schema,
    timeZone,
    compareMs,
    history: later,
  })
  const calculations = planCalculations({
    catalog,
    timeZone,
    desired,
    schema,
    isRecalculating: options.isRecalculating === true,
    replacedBy: await readReplaced(connection, { catalog, timeZone }, schema),
  })
  const renames = [...renamed.renames, ...compared.renames]
  const isFollowed = [...history.renames, ...renames].every((one) => one.isFollowed)
  return {
    changes: [
      ...calculations.before,
      ...clashes.changes,
      ...renamed.changes,
      ...diffSchema(desired, schema, tableStats),
      ...compared.changes,
      ...(await followViews(connection, schema, {
        catalog,
        history: later,
        movedWords: movedWords(catalog, later, 'all'),
      })),
      ...calculations.after,
      ...planSeries({ catalog, timeZone, schema, tableStats }),
      ...hintRenames(desired, schema),
      ...(await hintLinks(connection, catalog, schema)),
    ],
    renames,
    rules: compared.rules,
    isBehind: !isFollowed || compared.rules.length > 0,
  }
}

const sorted = (changes: readonly Change[], allowed: Allowed): Synced => {
  const isLeft = ({ kind }: Change): boolean =>
    kind === 'warning' || (kind === 'kept' && !allowed.dropKept)
  return {
    applied: changes.filter((change) => isApplied(change, allowed)),
    left: changes.filter(isLeft),
  }
}

/**
 * Stores when dates are due, as the rules of notifications say it now: a new schedule begins now, so that users are not notified of what was
 * due before, and what no rule says any more is removed.
 */
const storeSchedules = async (database: Queryable, catalog: Catalog): Promise<void> => {
  const schedules = schedulesOf(catalog)
  const rows = sql`unnest(
    ${texts(schedules.map(({ entity }) => entity.key))},
    ${texts(schedules.map(({ column }) => column))},
    ${texts(schedules.map(({ shift }) => shift))},
    ${texts(schedules.map(({ at }) => at))}
  ) AS w (entity_key, column_name, shift, at)`
  await execute(
    database,
    sql`
DELETE FROM docket.date_schedule s
WHERE (s.entity_key, s.column_name, s.shift, s.at) NOT IN (
  SELECT w.entity_key, w.column_name, w.shift, w.at FROM ${rows}
)`,
  )
  await execute(
    database,
    sql`
INSERT INTO docket.date_schedule (entity_key, column_name, shift, at)
SELECT w.entity_key, w.column_name, w.shift, w.at FROM ${rows}
ON CONFLICT DO NOTHING`,
  )
}
