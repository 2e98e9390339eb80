/**
 * The checks of a file that set statements decide: one statement for all rows, each of which adds the faults that it finds. It leaves out
 * the rows that have a fault already in the columns that it is about, and no others: all faults of a row are reported at once. What depends on
 * more than values of the file and of one record is decided when rows are written, or tried to be.
 */
import { indexedValue, sameIndexed } from '../database/compared-values.ts'
import { type Queryable, queryOnce } from '../database/pool.ts'
import {
  allOf,
  anyOf,
  int,
  join,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../database/sql.ts'
import { type Index, uniqueIndexes, writableColumns } from '../definitions/catalog.ts'
import { isRequired } from '../definitions/values/field-defaults.ts'
import { isCounted, takenText } from '../records/write/write-rejected.ts'
import { anyDiffersBetween } from '../records/write/write-statements.ts'
import { checkNumbers } from './given-numbers.ts'
import type { ImportColumn } from './import-plan.ts'
import { afterLacking, lackingText, unmatchedText } from './row-fault.ts'
import {
  defaultSql,
  faultRows,
  isChangedBy,
  isRightIn,
  isToBeDone,
  linkedValue,
  longestShown,
  resolvedRows,
  type Staged,
  stagedTable,
  valueOfMatched,
  valueOfNew,
} from './staged-rows.ts'

/** A step of the checks; it may run again where it did not come to its end. */
type Step = (database: Queryable, staged: Staged) => Promise<unknown>

/** The columns by which a record is found. */
const matchColumns = ({ columns, plan }: Staged): readonly ImportColumn[] =>
  columns.filter(({ name }) => plan.match.includes(name))

/**
 * The rows that are right in some columns and in those that are matched, with these columns alone: a link that is not asked is not
 * followed.
 */
const rightRows = (staged: Staged, of: readonly ImportColumn[]): Sql => {
  const asked = new Set([...of, ...matchColumns(staged)])
  const columns = staged.columns.filter((one) => asked.has(one))
  return resolvedRows({ ...staged, columns }, isRightIn(columns))
}

/** The rows with what a link leads to. */
const linkedRows = (staged: Staged, one: ImportColumn): Sql =>
  resolvedRows({ ...staged, columns: [one], plan: { ...staged.plan, match: [] } }, isRightIn([one]))

/** What reading found stays; what earlier checks found is found again. */
const forgetChecks: Step = (database, { id }) =>
  queryOnce(
    database,
    sql`
      UPDATE ${stagedTable(id)} s
      SET fault = (
        SELECT jsonb_agg(f.value) FROM jsonb_array_elements(s.fault) f WHERE f.value ? 'isRead'
      )
      WHERE s.fault @? '$[*] ? (!exists(@.isRead))'`,
  )

/** Rows whose links lead nowhere, unless to a row of the same file. */
const checkLinks: Step = async (database, staged) => {
  const { id, columns } = staged
  for (const one of columns.filter(({ path }) => path)) {
    const cell = raw(`s.${one.slot}`)
    const inFile = sameFileKey(staged, one)
    const notInFile = inFile
      ? sql` AND NOT EXISTS (
          SELECT FROM ${stagedTable(id)} p
          WHERE ${linkedValue(one, raw(`p.${inFile.slot}`))} = ${linkedValue(one, cell)}
        )`
      : nothing
    await faultRows(database, staged, {
      column: one.head,
      shown: cell,
      message: sql`${text(lackingText(staged, one))} || left(${cell}::text, ${int(longestShown)}) || ${text(afterLacking(one))}`,
      rule: 'link',
      from: sql`FROM ${linkedRows(staged, one)} v`,
      when: sql`v._n = s.n AND ${cell} IS NOT NULL AND ${ref(one.name, 'v')} IS NULL${notInFile}`,
    })
  }
}

/** Of a link to the entity of the file itself: the column of the file that has what it leads to. */
const sameFileKey = (
  { entity, columns }: Staged,
  { path }: ImportColumn,
): ImportColumn | undefined =>
  path && path.target.key === entity.key && path.steps.length === 0
    ? columns.find((one) => one.column.name === path.column.name && !one.path)
    : undefined

/** Columns of the file whose values together are unique, by their index; of `id` there is none. */
type Key = { readonly index: Index | undefined; readonly columns: readonly ImportColumn[] }

/** Those of each index that the file gives as a whole, and those that it is matched by. */
const keysOf = (staged: Staged): readonly Key[] => {
  const { entity, columns, plan } = staged
  const all = uniqueIndexes(entity).map((index) => ({ index, names: index.columns }))
  const isId = plan.match.join() === 'id'
  return [...(isId ? [{ index: undefined, names: plan.match }] : []), ...all].flatMap(
    ({ index, names }) => {
      const found = names.flatMap((name) => columns.find((one) => one.name === name) ?? [])
      return found.length === names.length ? [{ index, columns: found }] : []
    },
  )
}

/** Rows with the unique values of an earlier row. */
const checkDoubles: Step = async (database, staged) => {
  const { id, isRest } = staged
  const writtenFirst = isRest ? sql`d.is_left, ` : nothing
  for (const { index, columns: key } of keysOf(staged)) {
    // What is compared in lower case is a text, also where it is that of a link.
    const slots = key.map(({ slot, name }) => indexedValue(index, name, raw(`d.${slot}`)))
    const filled = index?.nullsNotDistinct
      ? sql`true`
      : allOf(slots.map((slot) => sql`${slot} IS NOT NULL`))
    const names = key.map(({ name }) => name).join(' and ')
    await faultRows(database, staged, {
      column: key.at(-1)?.head ?? null,
      shown: raw(`s.${key.at(-1)?.slot}`),
      message: sql`${text(`${names} must be unique, and row `)} || f.first || ${text(' of the file has the same')}`,
      rule: 'repeated',
      columns: key,
      otherRow: sql`f.first`,
      from: sql`FROM (
        SELECT d.n, first_value(d.line) OVER same AS first, row_number() OVER same AS number
        FROM ${stagedTable(id)} d
        WHERE ${isRightIn(key, 'd')} AND ${filled}
        WINDOW same AS (PARTITION BY ${join(slots, ', ')} ORDER BY ${writtenFirst}d.n)
      ) f`,
      when: sql`f.n = s.n AND f.number > 1`,
    })
  }
}

/** Rows that match no record, and rows without what they are matched by. */
const checkMatches: Step = async (database, staged) => {
  const { plan, entity } = staged
  if (plan.match.length === 0) return
  const keys = matchColumns(staged)
  for (const one of keys)
    await faultRows(database, staged, {
      column: one.head,
      message: text('is empty: by it the record is found'),
      rule: 'required',
      when: sql`${isRightIn([one])} AND ${raw(`s.${one.slot}`)} IS NULL`,
    })
  if (plan.mode !== 'update') return
  const [key] = keys
  await faultRows(database, staged, {
    column: key?.head ?? null,
    shown: key ? raw(`s.${key.slot}`) : nothing,
    message: text(unmatchedText(entity, plan)),
    rule: 'unmatched',
    from: sql`FROM ${rightRows(staged, [])} v`,
    when: sql`v._n = s.n AND v._match IS NULL`,
  })
}

/** Rows with unique values that another record has. */
const checkTaken: Step = async (database, staged) => {
  const { context } = staged
  const keys = keysOf(staged).filter(
    (key) => !isMatch(staged, key) || mayBeUnseen(staged) || key.index?.kind === 'series',
  )
  for (const { index, columns: key } of keys) {
    if (!index) continue
    const seen = key.filter(({ column }) => !context.isHidden(column)).map(({ name }) => name)
    const same = key.map(({ name }) => sameIndexed(index, name, ref(name, 'u'), ref(name, 'v')))
    await faultRows(database, staged, {
      column: key.at(-1)?.head ?? null,
      shown: raw(`s.${key.at(-1)?.slot}`),
      message: text(takenText(staged.entity, index, seen)),
      ...(seen.length === key.length && { rule: 'unique', columns: key }),
      from: sql`FROM ${rightRows(staged, key)} v
        JOIN ${table(staged.entity)} u ON ${allOf(same)} AND ${isCounted(index, 'u')}`,
      when: sql`v._n = s.n AND u.id IS DISTINCT FROM v._match`,
    })
  }
}

const isMatch = ({ plan }: Staged, { columns }: Key): boolean =>
  columns.map(({ name }) => name).join() === plan.match.join()

/** Whether a record that the caller may not read can have the values by which rows are matched. */
const mayBeUnseen = ({ context, entity }: Staged): boolean =>
  context.access.readScope(entity) !== 'all'

/** Rows without a value that every record must have. */
const checkRequired: Step = async (database, staged) => {
  const { columns, plan, entity } = staged
  for (const column of writableColumns(entity).filter(isRequired)) {
    const one = columns.find(({ name }) => name === column.name)
    const byDefault = defaultSql(staged, column)
    const ofNew = one ? valueOfNew(plan, column, 'v', byDefault) : byDefault
    const lacks = [sql`(v._match IS NULL AND ${ofNew} IS NULL${isInFile(staged, one)})`]
    if (one && plan.emptyCells === 'clear')
      lacks.push(sql`(v._match IS NOT NULL AND ${ref(one.name, 'v')} IS NULL)`)
    await faultRows(database, staged, {
      column: one?.head ?? column.name,
      message: text('is required'),
      rule: 'required',
      from: sql`FROM ${rightRows(staged, one ? [one] : [])} v`,
      when: sql`v._n = s.n AND ${anyOf(lacks)}`,
    })
  }
}

/** A link to another row of the file leads to no record yet. */
const isInFile = (staged: Staged, one: ImportColumn | undefined): Sql =>
  one && sameFileKey(staged, one) ? sql` AND ${raw(`s.${one.slot}`)} IS NULL` : nothing

// Of 2,147,483,647.
const highestId = 2_000_000_000

/** Rows whose ids other records have. */
const checkIds: Step = async (database, staged) => {
  const one = staged.columns.find(({ name }) => name === 'id')
  if (!one || staged.plan.match.includes('id')) return
  await faultRows(database, staged, {
    column: one.head,
    shown: raw(`s.${one.slot}`),
    message: text(`is too large: at most ${highestId}, so that ids are left for new records`),
    when: sql`${isRightIn([one])} AND ${raw(`s.${one.slot}`)} > ${int(highestId)}`,
  })
  await faultRows(database, staged, {
    column: one.head,
    shown: raw(`s.${one.slot}`),
    message: text('another record has the same id'),
    rule: 'unique',
    from: sql`FROM ${rightRows(staged, [one])} v
      JOIN ${table(staged.entity)} u ON u.id = v.id`,
    when: sql`v._n = s.n AND v._match IS NULL`,
  })
}

/** Links to the entity of the file itself, with the columns of what they lead to. */
const ownLinks = (staged: Staged) =>
  staged.columns.flatMap((one) => {
    const key = sameFileKey(staged, one)
    return key ? [{ one, key }] : []
  })

const maxDepth = 1000

/** Puts rows behind those that they link to; rows that link to each other in a circle have a fault. */
const orderRows: Step = async (database, staged) => {
  const { id } = staged
  const own = ownLinks(staged)
  if (own.length === 0) return
  const links = own.map(({ one }) => one)
  const rows = stagedTable(id)
  const waits = own.map(
    ({ one, key }) => sql`EXISTS (
      SELECT FROM ${rows} p
      WHERE p.level IS NULL AND ${isRightIn(links, 'p')} AND p.n <> s.n
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

/** The steps in their order; each is committed with its number. */
export const checkSteps: readonly Step[] = [
  forgetChecks,
  checkLinks,
  checkMatches,
  checkDoubles,
  checkRequired,
  checkNumbers,
  checkTaken,
  checkIds,
  orderRows,
]

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

export type Counts = {
  readonly rows: number
  readonly faulty: number
  readonly created: number
  readonly changed: number
  readonly unchanged: number
}

/** What the rows will do that have no fault. */
export const countRows = async (database: Queryable, staged: Staged): Promise<Counts> => {
  const { id, plan, columns } = staged
  const [all] = await queryOnce<{ rows: number; faulty: number }>(
    database,
    sql`
      SELECT count(*) AS rows, count(s.fault) AS faulty
      FROM ${stagedTable(id)} s
      WHERE ${isToBeDone(staged)}`,
  )
  const { rows = 0, faulty = 0 } = all ?? {}
  if (plan.match.length === 0)
    return { rows, faulty, created: rows - faulty, changed: 0, unchanged: 0 }
  const written = columns.filter(({ column }) => isChangedBy(staged, column))
  const differs = anyDiffersBetween(
    written.map(({ column }) => ({
      column,
      value: valueOfMatched(plan, column, 'v', 't', defaultSql(staged, column)),
    })),
    't',
  )
  const [found] = await queryOnce<{ created: number; changed: number; unchanged: number }>(
    database,
    sql`
      SELECT count(*) FILTER (WHERE v._match IS NULL) AS created,
        count(*) FILTER (WHERE v._match IS NOT NULL AND ${differs}) AS changed,
        count(*) FILTER (WHERE v._match IS NOT NULL AND NOT ${differs}) AS unchanged
      FROM ${resolvedRows(staged, sql`s.fault IS NULL`)} v
      LEFT JOIN ${table(staged.entity)} t ON t.id = v._match`,
  )
  return { rows, faulty, created: 0, changed: 0, unchanged: 0, ...found }
}
