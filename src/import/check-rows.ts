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
import { faultRecords, linkedRows, orderRows, type Step, sameFileKey } from './dependent-rows.ts'
import { checkNumbers } from './given-numbers.ts'
import type { ImportColumn } from './import-plan.ts'
import { afterLacking, lackingText, unmatchedText } from './row-fault.ts'
import {
  defaultSql,
  faultRows,
  isChangedBy,
  isInPart,
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

/** A step for the records of the file, and for those of lists in its rows. */
const ofEach =
  (step: Step): Step =>
  async (database, staged) => {
    for (const part of [staged, ...staged.lists]) await step(database, part)
  }

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
        WHERE ${isInPart(staged, 'd')} AND ${isRightIn(key, 'd')} AND ${filled}
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
  const { columns, plan, entity, ofList } = staged
  const { field, link } = ofList?.list ?? {}
  for (const column of writableColumns(entity).filter(isRequired)) {
    // Lines are linked to their record where it is written.
    if (column.name === link?.name) continue
    const one = columns.find(({ name }) => name === column.name)
    const byDefault = defaultSql(staged, column)
    const ofNew = one ? valueOfNew(plan, column, 'v', byDefault) : byDefault
    const lacks = [sql`(v._match IS NULL AND ${ofNew} IS NULL${isInFile(staged, one)})`]
    if (one && plan.emptyCells === 'clear')
      lacks.push(sql`(v._match IS NOT NULL AND ${ref(one.name, 'v')} IS NULL)`)
    await faultRows(database, staged, {
      column: one?.head ?? (field ? `${field.key}.${column.name}` : column.name),
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

/** The steps in their order; each is committed with its number. */
export const checkSteps: readonly Step[] = [
  forgetChecks,
  ofEach(checkLinks),
  checkMatches,
  ofEach(checkDoubles),
  ofEach(checkRequired),
  checkNumbers,
  ofEach(checkTaken),
  checkIds,
  orderRows,
  faultRecords,
]

export type Counts = {
  readonly rows: number
  readonly faulty: number
  readonly created: number
  readonly changed: number
  readonly unchanged: number
}

/** What the rows will do that have no fault. */
export const countRows = async (database: Queryable, staged: Staged): Promise<Counts> => {
  const { id, isRest, plan, columns } = staged
  const [all] = await queryOnce<{ rows: number; faulty: number; records: number }>(
    database,
    sql`
      SELECT count(*) AS rows, count(s.fault) AS faulty,
        count(*) FILTER (WHERE s.fault IS NULL AND ${isToBeDone(staged)}) AS records
      FROM ${stagedTable(id)} s
      WHERE ${isToBeDone({ isRest })}`,
  )
  const { rows = 0, faulty = 0, records = 0 } = all ?? {}
  if (plan.match.length === 0) return { rows, faulty, created: records, changed: 0, unchanged: 0 }
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
