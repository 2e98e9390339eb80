/** Rows of a file that depend on each other: those that link to rows of the same file, and those of one record. */
import { type Queryable, queryOnce } from '../database/pool.ts'
import { anyOf, int, raw, ref, type Sql, sql, text } from '../database/sql.ts'
import type { ImportColumn } from './import-plan.ts'
import { sameRecordText } from './row-fault.ts'
import {
  faultRows,
  isInPart,
  isRightIn,
  isToBeDone,
  linkedValue,
  recordLine,
  resolvedRows,
  type Staged,
  stagedTable,
} from './staged-rows.ts'

/** A step of the checks; it may run again where it did not come to its end. */
export type Step = (database: Queryable, staged: Staged) => Promise<unknown>

/** The rows with what a link leads to. */
export const linkedRows = (staged: Staged, one: ImportColumn): Sql =>
  resolvedRows({ ...staged, columns: [one], plan: { ...staged.plan, match: [] } }, isRightIn([one]))

/** Of a link to the entity of the file itself: the column of the file that has what it leads to. */
export const sameFileKey = (
  { entity, columns, ofList }: Staged,
  { path }: ImportColumn,
): ImportColumn | undefined =>
  !ofList && path && path.target.key === entity.key && path.steps.length === 0
    ? columns.find((one) => one.column.name === path.column.name && !one.path)
    : undefined

/** Links to the entity of the file itself, with the columns of what they lead to. */
const ownLinks = (staged: Staged) =>
  staged.columns.flatMap((one) => {
    const key = sameFileKey(staged, one)
    return key ? [{ one, key }] : []
  })

const maxDepth = 1000

/** Puts rows behind those that they link to; rows that link to each other in a circle have a fault. */
export const orderRows: Step = async (database, staged) => {
  const { id } = staged
  const own = ownLinks(staged)
  if (own.length === 0) return
  const links = own.map(({ one }) => one)
  const rows = stagedTable(id)
  const waits = own.map(
    ({ one, key }) => sql`EXISTS (
      SELECT FROM ${rows} p
      WHERE p.level IS NULL AND ${isInPart(staged, 'p')} AND ${isRightIn(links, 'p')} AND p.n <> s.n
        AND ${linkedValue(one, raw(`p.${key.slot}`))} = ${linkedValue(one, raw(`s.${one.slot}`))}
    )`,
  )
  await queryOnce(database, sql`UPDATE ${rows} s SET level = NULL WHERE ${isToBeDone(staged)}`)
  for (let level = 0; level < maxDepth; level++) {
    const placed = await queryOnce<{ rows: number }>(
      database,
      sql`
        WITH placed AS (
          UPDATE ${rows} s SET level = ${int(level)}
          WHERE ${isToBeDone(staged)} AND s.level IS NULL AND ${isRightIn(links)} AND NOT ${anyOf(waits)}
          RETURNING s.n
        )
        SELECT count(*) AS rows FROM placed`,
    )
    if (placed[0]?.rows === 0) break
  }
  await faultRows(database, staged, {
    column: own[0]?.one.head ?? null,
    shown: raw(`s.${own[0]?.one.slot}`),
    message: text('leads to rows of the file that lead back to this one'),
    rule: 'leadsBack',
    when: sql`s.level IS NULL AND ${isRightIn(links)}`,
  })
  // They change places among themselves, by two statements, for places are unique after each row.
  const numbered = (order: Sql) => sql`
    SELECT p.n, row_number() OVER (ORDER BY ${order}) AS place
    FROM ${rows} p
    WHERE ${isToBeDone(staged, 'p')}`
  await queryOnce(
    database,
    sql`
      UPDATE ${rows} s SET n = -f.n
      FROM (${numbered(sql`p.level, p.n`)}) o JOIN (${numbered(sql`p.n`)}) f ON f.place = o.place
      WHERE s.n = o.n`,
  )
  await queryOnce(database, sql`UPDATE ${rows} s SET n = -s.n WHERE s.n < 0`)
}

/** Rows that link to rows of the file of which each has a fault: without these they are not written. It is the last one. */
export const checkFaultyTargets: Step = async (database, staged) => {
  const { id } = staged
  const follow = async ({ one, key }: ReturnType<typeof ownLinks>[number]): Promise<number> => {
    const cell = raw(`s.${one.slot}`)
    const target = linkedValue(one, raw(`p.${key.slot}`))
    return faultRows(database, staged, {
      column: one.head,
      shown: cell,
      message: sql`${text('leads to row ')} || f.line || ${text(' of the file, which has a fault')}`,
      rule: 'leadsToFault',
      otherRow: sql`f.line`,
      from: sql`FROM ${linkedRows(staged, one)} v, (
        SELECT ${target} AS target, min(p.line) AS line
        FROM ${stagedTable(id)} p
        GROUP BY 1
        HAVING bool_and(p.fault IS NOT NULL)
      ) f`,
      when: sql`v._n = s.n AND ${ref(one.name, 'v')} IS NULL AND f.target = ${linkedValue(one, cell)}`,
    })
  }
  const links = ownLinks(staged)
  for (let depth = 0; depth < maxDepth; depth++) {
    let found = 0
    for (const link of links) found += await follow(link)
    if (found === 0) return
  }
}

/** Rows of a record of which another row has a fault: a record is written with all its lines, or not at all. */
export const faultRecords: Step = async (database, { id, isRest, lists }) => {
  if (lists.length === 0) return
  const whole = { id, isRest }
  await faultRows(database, whole, {
    column: null,
    message: sql`${text(sameRecordText[0])} || f.line || ${text(sameRecordText[1])}`,
    rule: 'sameRecord',
    otherRow: sql`f.line`,
    from: sql`FROM (
      SELECT ${recordLine('p')} AS record, min(p.line) AS line
      FROM ${stagedTable(id)} p
      WHERE p.fault IS NOT NULL
      GROUP BY 1
    ) f`,
    when: sql`s.fault IS NULL AND ${recordLine('s')} = f.record`,
  })
}
