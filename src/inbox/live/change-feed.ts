/**
 * The changes of all records in this database, read from the history while a stream watches
 * (docs/decisions/0046-watched-changes-are-read-from-the-history.md). Ids are assigned before the commit: a missing id may belong
 * to a transaction that has not ended, so it is read again until the transaction has ended, for some minutes at most. Ids of
 * writes that were rolled back, such as dry runs, stay missing.
 */
import { type Pool, queryRow, queryRows } from '../../database/pool.ts'
import { runOutsideRequest } from '../../database/request-context.ts'
import {
  bigint,
  bound,
  int,
  join,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { isReadBelow, nativeEntity, partOfRecords } from '../../definitions/native-entities.ts'

export type ChangeFeed = {
  /** Begins with the changes that are committed after the first call. */
  readonly start: () => Promise<void>
  readonly next: () => Promise<{
    readonly changes: readonly Change[]
    /** Further changes may be missing. */
    readonly isLossy: boolean
  }>
  /** Forgets the position: the next start is a new beginning. */
  readonly stop: () => void
}

const maxChanges = 1_000
const maxMissing = 10_000
// Longer than any transaction of a request.
const missingForMs = 300_000

export const createChangeFeed = (
  pool: Pool,
  parts: readonly Entity[],
  clock: () => number = Date.now,
): ChangeFeed => {
  let started: Promise<void> | undefined
  let last = 0
  const missing = createMissing()
  const begin = async () => {
    const found = await findPosition(pool, maxChanges)
    last = found.last
    missing.restart(found.missing, clock())
  }
  return {
    start: () => {
      // It belongs to all watchers, so it does not end with the request of the first one.
      started ??= runOutsideRequest(begin).catch((error: unknown) => {
        started = undefined
        throw error
      })
      return started
    },
    stop: () => {
      started = undefined
    },
    next: async () => {
      const query = { after: last, missing: missing.ids(), limit: maxChanges + 1 }
      const { changes, horizon } = await readChanges(pool, parts, query)
      const now = clock()
      if (changes.length > maxChanges) {
        await begin()
        return { changes: [], isLossy: true }
      }
      const isLossy = missing.takeLoss(now)
      for (const { id } of changes) {
        missing.expect(id, last, now)
        last = Math.max(last, id)
      }
      missing.forgetEnded(horizon)
      missing.forgetOld(now)
      return { changes, isLossy }
    },
  }
}

/** The missing ids, and when the transactions of those that are not read any more may have ended. */
const createMissing = () => {
  /** When each of them is read for the last time. */
  const until = new Map<number, number>()
  /** The first transaction that cannot be that of the id, because it had not begun when the id was missed. */
  const before = new Map<number, number>()
  /** When the transactions of the first and the last given-up ids have ended at the latest. */
  let lossyAt: number | undefined
  let lossyUntil = 0
  const giveUp = (now: number) => {
    lossyUntil = now + missingForMs
    lossyAt ??= lossyUntil
  }
  return {
    ids: () => [...until.keys()],
    restart: (ids: readonly number[], now: number) => {
      until.clear()
      before.clear()
      for (const id of ids) until.set(id, now + missingForMs)
    },
    /** An id was read; those between the last one and it may follow later. */
    expect: (id: number, last: number, now: number) => {
      until.delete(id)
      before.delete(id)
      if (id - last > maxMissing) giveUp(now)
      else for (let gap = last + 1; gap < id; gap++) until.set(gap, now + missingForMs)
    },
    /** A write begins its transaction before it takes an id, so an id that is missing after all transactions have ended stays missing. */
    forgetEnded: ({ ended, begun }: Horizon) => {
      for (const id of until.keys()) {
        const first = before.get(id)
        if (first === undefined) before.set(id, begun)
        else if (first <= ended) {
          until.delete(id)
          before.delete(id)
        }
      }
    },
    forgetOld: (now: number) => {
      for (const [id, end] of until)
        if (end < now) {
          until.delete(id)
          before.delete(id)
        }
      if (until.size <= maxMissing) return
      until.clear()
      before.clear()
      giveUp(now)
    },
    /** Whether a transaction of a given-up id has ended since the last call. */
    takeLoss: (now: number): boolean => {
      if (lossyAt === undefined || lossyAt > now) return false
      lossyAt = lossyUntil > now ? lossyUntil : undefined
      return true
    },
  }
}

/** One entry of the history. */
export type Change = {
  readonly id: number
  readonly entityKey: string
  readonly recordId: number
  readonly operation: string
  /** The user who had to do with the record before, such as the assignee of a task, if the change took it from them. */
  readonly entitledBefore: number | null
  /** Of a part that is read below its record: that record. */
  readonly below?: ChangedBelow
}

/** A record of which a part has changed. */
type ChangedBelow = {
  readonly entityKey: string
  readonly recordId: number
  /** Whether the part is for those with a permission of its own. */
  readonly isConfined: boolean
}

/** Ids of transactions: all before `ended` have ended, and none from `begun` on had begun. */
type Horizon = { readonly ended: number; readonly begun: number }

type Row = Horizon & {
  readonly id: number | null
  readonly entity_key: string
  readonly record_id: number
  readonly operation: string
  readonly entitled: number | null
  readonly below_key: string
  readonly below_id: number
  readonly is_confined: boolean | null
}

/** Changes after an id in their order, and those of the missing ids that are there now; and when this was. */
const readChanges = async (
  pool: Pool,
  parts: readonly Entity[],
  { after, missing, limit }: { after: number; missing: readonly number[]; limit: number },
): Promise<{ readonly changes: readonly Change[]; readonly horizon: Horizon }> => {
  const list = columnsOf(parts)
  const rows = await queryRows<Row>(
    pool,
    sql`
SELECT
  c.*, pg_snapshot_xmin(s.now)::text::bigint AS ended, pg_snapshot_xmax(s.now)::text::bigint AS begun
FROM pg_current_snapshot() AS s(now)
LEFT JOIN (
  (
    SELECT ${list}
    FROM docket.history h
    WHERE h.id > ${bigint(after)}
    ORDER BY h.id
    LIMIT ${int(limit)}
  )
  UNION ALL
  SELECT ${list}
  FROM docket.history h
  WHERE h.id = ANY (${bound(missing, 'bigint[]')})
) c ON true
ORDER BY c.id`,
  )
  const { ended = 0, begun = 0 } = rows[0] ?? {}
  return { changes: rows.flatMap(toChange), horizon: { ended, begun } }
}

const toChange = ({ id, entity_key, record_id, operation, entitled, ...row }: Row): Change[] => {
  if (id === null) return []
  const change = { id, entityKey: entity_key, recordId: record_id, operation }
  if (!isReadBelow({ key: entity_key })) return [{ ...change, entitledBefore: entitled }]
  const isConfined = row.is_confined === true
  const below = { entityKey: row.below_key, recordId: row.below_id, isConfined }
  return [{ ...change, entitledBefore: entitled, below }]
}

// Only where they can be, because the changes of an entry may be megabytes.
const columnsOf = (parts: readonly Entity[]): Sql => {
  const entitled = parts.flatMap((part) =>
    entitledColumns(part)
      .slice(0, 1)
      .map((name) => {
        const before = raw(`(h.changes -> '${name}' ->> 'before')::integer`)
        return sql` WHEN h.part_id IS NOT NULL AND h.part_key = ${text(part.key)} THEN ${before}`
      }),
  )
  const before = entitled.length === 0 ? sql`NULL::integer` : sql`CASE${join(entitled, '')} END`
  return sql`h.id,
    CASE WHEN h.part_id IS NULL THEN h.entity_key ELSE h.part_key END AS entity_key,
    coalesce(h.part_id, h.entity_id) AS record_id, h.operation, ${before} AS entitled,
    h.entity_key AS below_key, h.entity_id AS below_id, ${confinedOf(parts)} AS is_confined`
}

/** Whether the part of an entry is for those with a permission of its own. */
const confinedOf = (parts: readonly Entity[]): Sql => {
  const flags = parts.flatMap((part) => {
    const flag = partOfRecords(part)?.confined?.flag
    if (flag === undefined) return []
    return [
      sql`(
      SELECT ${ref(flag, 'n')} FROM ${table(part)} n
      WHERE h.part_key = ${text(part.key)} AND n.id = h.part_id
    )`,
    ]
  })
  return sql`coalesce(${join([...flags, sql`NULL::boolean`], ', ')})`
}

/** The columns with users who have to do with a record whatever their role may read. */
export const entitledColumns = (entity: Entity): string[] =>
  (nativeEntity(entity).entitled ?? []).flatMap((key) => entity.associations.get(key)?.name ?? [])

/** The last change, and the ids before it that belong to nothing yet: of transactions that have not ended. */
const findPosition = async (
  pool: Pool,
  back: number,
): Promise<{ readonly last: number; readonly missing: readonly number[] }> => {
  const row = await queryRow<{ last: number; missing: string }>(
    pool,
    sql`
WITH newest AS (SELECT coalesce(max(id), 0) AS last FROM docket.history)
SELECT n.last, (
  SELECT coalesce(json_agg(g.id), '[]')
  FROM generate_series(greatest(1, n.last - ${bigint(back)}), n.last) AS g(id)
  WHERE NOT EXISTS (SELECT FROM docket.history h WHERE h.id = g.id)
)::text AS missing
FROM newest n`,
  )
  return { last: row?.last ?? 0, missing: JSON.parse(row?.missing ?? '[]') }
}
