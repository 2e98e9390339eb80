/**
 * The rows of a run in its table, as statements read them: with the ids of the records that they link to, and of the record that they
 * match. Both are looked up by each statement, under the rights that the caller has then. What
 * the cells of a row give the fields of a record is SQL over such a row.
 */
import { indexedValue, sameIndexed } from '../database/compared-values.ts'
import { execute, type Queryable, queryOnce } from '../database/pool.ts'
import {
  allOf,
  anyOf,
  bound,
  identifier,
  int,
  ints,
  join,
  notDeleted,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../database/sql.ts'
import { type Column, type Entity, uniqueIndexes, writableColumns } from '../definitions/catalog.ts'
import { defaultOf } from '../definitions/values/field-defaults.ts'
import type { Access } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { callerDefaultSql } from '../records/write/caller-defaults.ts'
import { mayLink } from '../records/write/native-guards.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import type { SetCell } from '../records/write/write-sets.ts'
import {
  type ColumnsOfList,
  cellColumnOf,
  type ImportColumn,
  type ImportPlan,
  isHistoryColumn,
} from './import-plan.ts'
import type { RowFault } from './row-fault.ts'

/** The table of a run. */
export const stagedTable = (id: number): Sql => raw(`docket.${identifier(`import_${id}`)}`)

/**
 * Creates the table; it is not logged, so that a crash of PostgreSQL empties it. `n` is the place in which rows are written, `line` their
 * row in the file; `record_line` is that of the first row of the record to which a row adds lines.
 */
export const createStaged = async (
  connection: Queryable,
  id: number,
  columns: readonly ImportColumn[],
): Promise<void> => {
  const typed = columns.map((one) => sql`${raw(one.slot)} ${raw(cellColumnOf(one).type.sqlType())}`)
  await queryOnce(
    connection,
    sql`
      CREATE UNLOGGED TABLE ${stagedTable(id)} (
        n integer NOT NULL, line integer NOT NULL, cells text NOT NULL, fault jsonb,
        ${join(typed, ', ')}, record_line integer, level integer, is_left boolean NOT NULL DEFAULT false
      )`,
  )
}

/** The statement of COPY that fills the table. */
export const copyStaged = (id: number, columns: readonly ImportColumn[]): string => {
  const slots = columns.map(({ slot }) => `, ${slot}`).join('')
  const recordLine = columns.some(({ list }) => list) ? ', record_line' : ''
  return `COPY docket.${identifier(`import_${id}`)} (n, line, cells, fault${slots}${recordLine}) FROM STDIN`
}

/** After all rows are there: what the checks find them by. */
export const indexStaged = async (
  connection: Queryable,
  id: number,
  { hasLines }: { readonly hasLines: boolean },
): Promise<void> => {
  const staged = stagedTable(id)
  if (hasLines)
    await queryOnce(connection, sql`CREATE INDEX ON ${staged} (coalesce(record_line, line))`)
  await queryOnce(connection, sql`CREATE UNIQUE INDEX ON ${staged} (n)`)
  await queryOnce(connection, sql`CREATE INDEX ON ${staged} (n) WHERE fault IS NOT NULL`)
  await queryOnce(connection, sql`ANALYZE ${staged}`)
}

export const dropStaged = (database: Queryable, id: number): Promise<unknown> =>
  queryOnce(database, sql`DROP TABLE IF EXISTS ${stagedTable(id)}`)

/** What the statements of a run need. */
export type Staged = {
  readonly id: number
  readonly plan: ImportPlan
  /** Those of the entity. */
  readonly columns: readonly ImportColumn[]
  readonly entity: Entity
  readonly context: WriteContext
  /** Whether its other rows are written, so that only those are asked for that were left then. */
  readonly isRest: boolean
  /** The list whose records these are, with all its columns; undefined: the records of the file. */
  readonly ofList?: ColumnsOfList
  /** The records of lists in the same rows. */
  readonly lists: readonly Staged[]
}

/** The rows that are to be checked and written. */
export const isToBeDone = (staged: Pick<Staged, 'isRest'> & Partial<Staged>, alias = 's'): Sql =>
  allOf([...(staged.isRest ? [raw(`${alias}.is_left`)] : []), ...ofPart(staged, alias)])

/** The rows that have what a part of the run reads: the first row of each record, or those with a cell of the list. */
const ofPart = ({ ofList, lists = [] }: Partial<Staged>, alias: string): Sql[] => {
  if (!ofList) return lists.length > 0 ? [sql`${raw(alias)}.record_line IS NULL`] : []
  const { columns } = ofList
  const filled = columns.map(({ slot }) => sql`${raw(`${alias}.${slot}`)} IS NOT NULL`)
  return [anyOf([...filled, sql`NOT ${isRightIn(columns, alias)}`])]
}

/** The first row of the record that a row belongs to, by its row in the file. */
export const recordLine = (alias: string): Sql =>
  sql`coalesce(${raw(`${alias}.record_line`)}, ${raw(`${alias}.line`)})`

/** As `isToBeDone`, also of rows that are written already. */
export const isInPart = (staged: Staged, alias: string): Sql => allOf(ofPart(staged, alias))

/** Leaves the rows with a fault, when all others are written. */
export const leaveFaulty = async (database: Queryable, id: number): Promise<void> => {
  await execute(
    database,
    sql`
      UPDATE ${stagedTable(id)} s
      SET is_left = s.fault IS NOT NULL
      WHERE s.fault IS NOT NULL OR s.is_left`,
  )
}

/** The records that a link may lead to, with what the cells have of them: `id` and `key`. */
const linkable = (one: ImportColumn, { access, isAdministrator }: WriteContext): Sql => {
  const { path } = one
  if (!path) throw new Error('The column is no link.')
  const { target, steps, column } = path
  const aliases = ['r', ...steps.map((_, at) => `r${at}`)]
  const joins = steps.map(({ column: link, entity }, at) => {
    const alias = aliases[at + 1] ?? ''
    return sql` JOIN ${table(entity)} ${raw(alias)}
      ON ${ref('id', alias)} = ${ref(link.name, aliases[at])} AND ${isReadable(access, entity, alias)}`
  })
  const guard = mayLink(target, isAdministrator)
  return sql`
    SELECT r.id, ${linkedValue(one, ref(column.name, aliases.at(-1)))} AS key
    FROM ${table(target)} r${join(joins, '')}
    WHERE ${isReadable(access, target, 'r')}${guard ? sql` AND ${guard}` : nothing}`
}

/** What a link has, or its record, as the unique index of that compares it. */
export const linkedValue = ({ path }: ImportColumn, cell: Sql): Sql => {
  const { steps = [], target, column } = path ?? {}
  const entity = steps.at(-1)?.entity ?? target
  const index = entity && uniqueIndexes(entity).find((one) => one.columns.join() === column?.name)
  return indexedValue(index, column?.name ?? '', cell)
}

const isReadable = (access: Access, entity: Entity, alias: string): Sql =>
  allOf([notDeleted(alias), compileScope(access.readScope(entity), entity.hasOwner, alias)])

/**
 * Rows as a row source: `_n`, the value or the linked id of each column by its name, `_cell` and the slot for what a link has, and
 * `_match`, the id of the record that is matched. `which` is on the row `s`.
 */
export const resolvedRows = (staged: Staged, which: Sql): Sql => {
  const { id, columns, context, entity, plan } = staged
  const links = columns.filter(({ path }) => path)
  const cells = columns.map(({ column, slot, path }) =>
    path
      ? sql`${raw(`l_${slot}.id`)} AS ${ref(column.name)}, ${raw(`s.${slot}`)} AS ${raw(`_cell_${slot}`)}`
      : sql`${raw(`s.${slot}`)} AS ${ref(column.name)}`,
  )
  const joins = links.map(
    (one) => sql`
      LEFT JOIN (${linkable(one, context)}) ${raw(`l_${one.slot}`)}
        ON ${raw(`l_${one.slot}.key`)} = ${linkedValue(one, raw(`s.${one.slot}`))}`,
  )
  const rows = sql`
    SELECT ${join([raw('s.n AS _n, s.line AS _line'), ...cells], ', ')}
    FROM ${stagedTable(id)} s${join(joins, '')}
    WHERE ${isToBeDone(staged)} AND ${which}`
  if (plan.match.length === 0) return sql`(SELECT w.*, NULL::integer AS _match FROM (${rows}) w)`
  const index = uniqueIndexes(entity).find((one) => one.columns.join() === plan.match.join())
  const same = plan.match.map((name) => sameIndexed(index, name, ref(name, 'm'), ref(name, 'w')))
  return sql`(
    SELECT w.*, m.id AS _match
    FROM (${rows}) w
    LEFT JOIN ${table(entity)} m
      ON ${join(same, ' AND ')} AND ${isReadable(context.access, entity, 'm')}
  )`
}

/** Rows of these places. */
export const inPlaces = (places: readonly number[]): Sql => sql`s.n = ANY (${ints(places)})`

/** Rows of which no fault is about these columns, nor about the whole row. */
export const isRightIn = (columns: readonly ImportColumn[], alias = 's'): Sql => {
  const faults = [null, ...columns.map(({ head }) => head)].map((column) =>
    JSON.stringify([{ column }]),
  )
  return sql`(${raw(alias)}.fault @> ANY (${bound(faults, 'jsonb[]')})) IS NOT TRUE`
}

/** Whether the cell of a link has something that leads to no record, in a resolved row. */
export const isUnresolved = ({ column, slot }: ImportColumn, alias: string): Sql =>
  sql`(${raw(`${alias}._cell_${slot}`)} IS NOT NULL AND ${ref(column.name, alias)} IS NULL)`

/** What a cell gives the field of a new record, in a resolved row; null: nothing. */
export const valueOfNew = (
  { emptyCells }: ImportPlan,
  column: Column,
  alias: string,
  byDefault: Sql,
): Sql =>
  emptyCells === 'clear'
    ? ref(column.name, alias)
    : sql`coalesce(${ref(column.name, alias)}, ${byDefault})`

/** What it gives the field of a record that is matched, which has the row alias `held`. */
export const valueOfMatched = (
  { emptyCells }: ImportPlan,
  column: Column,
  alias: string,
  held: string,
  byDefault: Sql,
): Sql => {
  const own = ref(column.name, alias)
  if (emptyCells === 'clear') return own
  return sql`coalesce(${own}, ${emptyCells === 'keep' ? ref(column.name, held) : byDefault})`
}

/** A fault of the row of a place. */
export type PlacedFault = RowFault & { readonly n: number }

/** Adds faults to their rows. */
export const addFaults = async (
  database: Queryable,
  id: number,
  faults: readonly PlacedFault[],
): Promise<void> => {
  if (faults.length === 0) return
  const rows = [...Map.groupBy(faults, ({ n }) => n)].map(([n, of]) => ({
    n,
    fault: of.map(({ n: _, ...one }) => one),
  }))
  await execute(
    database,
    sql`
      UPDATE ${stagedTable(id)} s
      SET fault = coalesce(s.fault, '[]') || f.fault
      FROM jsonb_to_recordset(${text(JSON.stringify(rows))}::jsonb) AS f (n integer, fault jsonb)
      WHERE s.n = f.n`,
  )
}

/** Characters of a cell that its fault shows. */
export const longestShown = 200

/** Adds the fault to the rows `s` for which a condition holds; `from` adds row sources after a comma. */
export const faultRows = async (
  database: Queryable,
  staged: Pick<Staged, 'id' | 'isRest'> & Partial<Staged>,
  {
    column,
    shown,
    message,
    rule,
    columns = [],
    otherRow = sql`NULL::integer`,
    from = nothing,
    when,
  }: {
    readonly column: string | null
    /** SQL of what the cell has. */
    readonly shown?: Sql
    readonly message: Sql
    readonly rule?: RowFault['rule']
    /** Those that are unique together. */
    readonly columns?: readonly ImportColumn[]
    readonly otherRow?: Sql
    readonly from?: Sql
    readonly when: Sql
  },
): Promise<number> => {
  const heads = text(columns.length > 1 ? JSON.stringify(columns.map(({ head }) => head)) : null)
  return execute(
    database,
    sql`
      UPDATE ${stagedTable(staged.id)} s
      SET fault = coalesce(s.fault, '[]') || jsonb_build_array(jsonb_build_object(
        'column', ${text(column)}, 'text', left((${shown ?? sql`NULL`})::text, ${int(longestShown)}), 'message', ${message}
      ) || jsonb_strip_nulls(jsonb_build_object(
        'rule', ${text(rule ?? null)}, 'columns', ${heads}::jsonb, 'other_row', ${otherRow}
      )))
      ${from}
      WHERE ${isToBeDone(staged)} AND ${when}`,
  )
}

/** What became of rows: the ids of the records that were written. */
export type Written = {
  readonly created: number[]
  readonly changed: number[]
  unchanged: number
  readonly faults: PlacedFault[]
  /** The records of lists that were created with them. */
  readonly lines: { readonly entityKey: string; readonly id: number }[]
}

/** The default of a column as SQL. */
export const defaultSql = ({ context }: Staged, column: Column): Sql => {
  const { timeZone, catalog, userId } = context
  const ofCaller = callerDefaultSql(catalog, column, userId)
  if (ofCaller) return ofCaller
  const { firstDayOfWeek } = catalog
  return bound(defaultOf(column, { timeZone, firstDayOfWeek }), column.type.cast)
}

/** The cells of a new record, of every column that a create may name. */
export const enteredCells = (open: Staged): readonly SetCell[] => {
  const given = new Set(open.columns.map(({ name }) => name))
  return writableColumns(open.entity).map((column) => {
    const byDefault = defaultSql(open, column)
    const isGiven = given.has(column.name)
    return { column, value: isGiven ? valueOfNew(open.plan, column, 'v', byDefault) : byDefault }
  })
}

/** What only the service writes otherwise, with what it would write into empty cells. */
export const historyCells = ({ columns, entity, context, plan }: Staged): readonly SetCell[] =>
  columns
    .filter(({ column }) => isHistoryColumn(column) && !plan.match.includes(column.name))
    .map(({ column }) => {
      const { initialStep = '' } = entity.definition.workflow ?? {}
      const sequence = sql`nextval(pg_get_serial_sequence(${raw(quotedTable(entity.key))}, 'id'))`
      const usual: Readonly<Record<string, Sql>> = {
        id: sequence,
        _step: text(initialStep),
        _created_at: sql`now()`,
        _updated_at: sql`now()`,
      }
      const given = ref(column.name, 'v')
      // No action was taken.
      if (!column.isSystem) return { column, value: given }
      const byDefault = usual[column.name] ?? int(context.userId)
      return { column, value: sql`coalesce(${given}, ${byDefault})` }
    })

const quotedTable = (key: string): string => `'records."${key}"'`

/** Whether a column of the file is written over the record that is matched: not what it is found by, nor what it has from its beginning. */
export const isChangedBy = ({ plan }: Staged, column: Column): boolean =>
  !isHistoryColumn(column) && !column.series && !plan.match.includes(column.name)
