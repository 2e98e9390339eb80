/** Makes the database follow the definitions: what loses nothing by itself, the rest when asked. */
import { exclusively } from '../database/locks/exclusive.ts'
import { migrate, refuseOldServer } from '../database/migrate.ts'
import type { Connection, Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import type { Observe } from '../observations.ts'
import { applyChanges } from './apply-changes.ts'
import { currentSchema } from './current-schema.ts'
import { desiredSchema } from './desired-schema.ts'
import { type Change, isApplied } from './diff/change.ts'
import { diffSchema } from './diff/diff-schema.ts'
import { refuseChanges } from './refuse-changes.ts'
import { settleClashes } from './renames/clashes.ts'
import { hintRenames } from './renames/hint-renames.ts'
import {
  type ComparedRule,
  type Rename,
  readMemory,
  rememberDone,
  rememberRenames,
  renamedMemory,
} from './renames/memory.ts'
import { planRenames } from './renames/plan-renames.ts'
import { compareRecords } from './rows/compare-records.ts'
import { readFacts } from './rows/read-facts.ts'

// Any number will do: held by the one process that changes the schema.
const schemaLock = 7_305_114_002

type Wish = {
  readonly pool: Pool
  readonly catalog: Catalog
  /** The zone in which defaults without an offset are read. */
  readonly timeZone?: string
  /** How long locks are asked for. */
  readonly waitMs?: number
  /** What it may take to compare records with rules that changed. */
  readonly compareMs?: number
}

type Options = Wish & { readonly observe: Observe; readonly allowDestructive?: boolean }

/** What a sync did, and what it left as it is. */
export type Synced = {
  readonly applied: readonly Change[]
  /** Kept, or told as a warning. */
  readonly left: readonly Change[]
}

const defaultWaitMs = 60_000
const defaultCompareMs = 10_000

/** Applies the difference, or refuses with a SchemaRefusal before anything is written. */
export const syncSchema = (options: Options): Promise<Synced> =>
  underLock(options, async (connection) => {
    const { observe, allowDestructive = false, waitMs = defaultWaitMs } = options
    const begun = performance.now()
    await migrate(connection)
    const { changes, renames, rules, isBehind } = await difference(connection, options)
    refuseChanges(changes, allowDestructive)
    const { applied, left } = sorted(changes, allowDestructive)
    const remember = () => rememberRenames(connection, renames)
    await applyChanges(connection, applied, { waitMs, remember })
    if (isBehind) await rememberDone(connection, rules)
    if (applied.length > 0) {
      const ms = performance.now() - begun
      observe({ kind: 'schemaSynced', statements: applied.length, ms })
    }
    if (left.length > 0)
      observe({ kind: 'schemaWarning', warnings: left.map(({ reason }) => reason) })
    return { applied, left }
  })

/** Everything a sync would do, refuse or leave; writes nothing. */
export const planSync = (wish: Wish): Promise<Change[]> =>
  underLock(wish, async (connection) => {
    await refuseOldServer(connection)
    return (await difference(connection, wish)).changes
  })

/** Any number of processes may come at once: they pass one by one, all but the first with no work. */
const underLock = <T>(
  { pool, waitMs = defaultWaitMs }: Wish,
  work: (connection: Connection) => Promise<T>,
): Promise<T> =>
  exclusively({ pool, lock: schemaLock, what: 'the tables of records', waitMs }, work)

type Difference = {
  readonly changes: Change[]
  /** To be remembered beside them. */
  readonly renames: readonly Rename[]
  readonly rules: readonly ComparedRule[]
  /** Whether something is to be remembered at the end. */
  readonly isBehind: boolean
}

const difference = async (connection: Connection, wish: Wish): Promise<Difference> => {
  const { catalog, timeZone = 'UTC', compareMs = defaultCompareMs } = wish
  const memory = await readMemory(connection)
  const clashes = await settleClashes(connection, catalog, await currentSchema(connection))
  const renamed = planRenames(catalog, clashes.schema, memory)
  const { schema } = renamed
  const desired = desiredSchema(catalog, timeZone)
  const facts = await readFacts(connection, desired, schema, timeZone)
  const compared = await compareRecords(connection, {
    ...{ catalog, schema, timeZone, compareMs },
    memory: renamedMemory(memory, renamed.renames),
  })
  const renames = [...renamed.renames, ...compared.renames]
  const isFollowed = [...memory.renames, ...renames].every((one) => one.isFollowed)
  return {
    changes: [
      ...clashes.changes,
      ...renamed.changes,
      ...diffSchema(desired, schema, facts),
      ...compared.changes,
      ...hintRenames(desired, schema),
    ],
    renames,
    rules: compared.rules,
    isBehind: !isFollowed || compared.rules.length > 0,
  }
}

const sorted = (changes: readonly Change[], allowDestructive: boolean): Synced => {
  const isLeft = ({ kind }: Change): boolean =>
    kind === 'warning' || (kind === 'kept' && !allowDestructive)
  return {
    applied: changes.filter((change) => isApplied(change, allowDestructive)),
    left: changes.filter(isLeft),
  }
}
