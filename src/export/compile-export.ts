/** Compiles an export plan to a task: the statements for PostgreSQL, and what surrounds the rows. */

import { bound, identifier, raw, sql, tableName, toLiteralTextAround } from '../database/sql.ts'
import { type Entity, indexesOf } from '../definitions/catalog.ts'
import { columnExpression, compileSelect } from '../query/compile-select.ts'
import type {
  ExportColumn,
  ExportFormat,
  ExportSheet,
  Separator,
  SheetColumn,
} from './export-format.ts'
import type { CopyPlan, ExportTask, LengthCheck, RangeKey } from './export-task.ts'
import type { ExportPlan } from './plan-export.ts'

type Options = {
  readonly plan: ExportPlan
  readonly entity: Entity
  readonly format: ExportFormat
  readonly timeZone: string
  /** Whether CSV begins with a byte order mark; by default it does not. */
  readonly bom?: boolean
  /** Whether CSV guards text against formulas; by default as the definition says. */
  readonly escapeFormulas?: boolean | undefined
  /** Of CSV; by default a comma. */
  readonly separator?: Separator | undefined
  /** Of the days and times of a workbook. */
  readonly locale: string | undefined
  /** Name of the encoding; by default the bytes are not compressed. */
  readonly encoding?: string | undefined
  readonly withDigest?: boolean
}

/** Everything that is needed to run an export, for requests and functions. */
export const compileExport = (options: Options): ExportTask => {
  const { plan, entity, format, encoding, withDigest = false } = options
  const meta = {
    name: entity.name,
    escapesFormulas:
      options.escapeFormulas ?? entity.definition.exportSettings?.escapeFormulas ?? true,
    hasByteOrderMark: options.bom ?? false,
    separator: options.separator ?? 'comma',
    locale: options.locale,
    timeZone: options.timeZone,
  }
  const { columns } = plan
  return {
    encoding,
    withDigest,
    copy: compileCopy(plan, format, { ...meta, columns }),
    rangeKey: rangeKeyOf(plan),
    check: compileLengthCheck(plan, format),
    format: format.name,
    meta: { ...meta, columns: columns.map(sheetColumn) },
  }
}

const sheetColumn = ({ header, names, ref: { column } }: ExportColumn): SheetColumn => ({
  header,
  cell: column.type.cell,
  digits: column.type.digits,
  width: Math.max(column.type.width, ...[...(names?.values() ?? [])].map((name) => name.length)),
})

const compileCopy = (plan: ExportPlan, format: ExportFormat, sheet: ExportSheet): CopyPlan => {
  const place = bound(true, 'boolean')
  const list = raw(format.list(sheet))
  const select = compileSelect(plan.select, list, undefined, [place])
  return {
    select: toLiteralTextAround(select, place),
    options: `${format.copyOptions(sheet)}, ENCODING 'UTF8'`,
  }
}

/** A page counts its rows from the first, so it is not divided. */
const rangeKeyOf = ({ select: { entity, orderBy, page } }: ExportPlan): RangeKey | undefined => {
  const [first] = orderBy
  if (page || first?.ref.alias !== 't') return undefined
  const { name, type } = first.ref.column
  const isId = name === 'id'
  const indexes = indexesOf(entity).filter(
    ({ kind, columns }) => kind !== 'containment' && columns[0] === name,
  )
  if (!isId && indexes.length === 0) return undefined
  return {
    table: tableName(entity.key),
    column: `t.${identifier(name)}`,
    cast: type.cast,
    isDescending: first.descending,
    mayBeNull: !isId,
    isPartial: !isId && indexes.every(({ kind }) => kind === 'unique'),
  }
}

/** Checks, for each column whose texts may be too long for a cell, whether one is. */
const compileLengthCheck = (
  plan: ExportPlan,
  { longestCell }: ExportFormat,
): LengthCheck | undefined => {
  if (longestCell === undefined) return undefined
  const columns = plan.columns.filter(({ ref }) => ref.column.type.mayExceed(longestCell))
  if (columns.length === 0) return undefined
  const list = columns.map(({ ref }, index) => `${columnExpression(ref)}::text AS v${index}`)
  const checks = columns.map(
    (_, index) =>
      `coalesce(bool_or(${isLongerThan(longestCell, `v${index}`)}), false) AS v${index}`,
  )
  const inner = compileSelect(plan.select, raw(list.join(', ')))
  const statement = sql`SELECT ${raw(checks.join(', '))} FROM (${inner}) v`
  return { statement, paths: columns.map(({ path }) => path), longest: longestCell }
}

// A spreadsheet counts in UTF-16: a character outside the Basic Multilingual Plane, four bytes here, counts
// as two. So no text has more units than bytes, nor less than a quarter of them: PostgreSQL can decide most
// texts by their size alone, without reading them.
const isLongerThan = (longest: number, text: string): string =>
  `CASE WHEN octet_length(${text}) <= ${longest} THEN false
    WHEN octet_length(${text}) > ${4 * longest} OR length(${text}) > ${longest} THEN true
    ELSE 2 * length(${text}) - length(regexp_replace(${text}, '[\\U00010000-\\U0010FFFF]', '', 'g')) > ${longest} END`
