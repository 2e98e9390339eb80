/** Compiles an export plan to a task: the statements for PostgreSQL, and what surrounds the rows. */
import { bound, identifier, raw, sql, tableName, toLiteralTextAround } from '../database/sql.ts'
import { type Entity, orderedIndexes } from '../definitions/catalog.ts'
import type { CsvDialect } from '../definitions/values/rules/csv-dialects.ts'
import { compileSelect } from '../query/compile-select.ts'
import {
  cellExpression,
  type ExportColumn,
  type ExportFormat,
  type ExportSheet,
  type SheetColumn,
} from './export-format.ts'
import type { CopyPlan, ExportTask, RangeKey, ValueCheck } from './export-task.ts'
import type { ExportPlan } from './plan-export.ts'

type Options = {
  readonly plan: ExportPlan
  readonly entity: Entity
  readonly format: ExportFormat
  readonly timeZone: string
  /** Whether CSV guards text against formulas; by default as the definition says. */
  readonly escapeFormulas?: boolean | undefined
  readonly csv: CsvDialect
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
    csv: options.csv,
    locale: options.locale,
    timeZone: options.timeZone,
  }
  const { columns } = plan
  return {
    encoding,
    withDigest,
    copy: compileCopy(plan, format, { ...meta, columns }),
    rangeKey: rangeKeyOf(plan),
    check: compileCheck(plan, format, { ...meta, columns }),
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
    options: format.copyOptions(sheet),
  }
}

/** A page counts its rows from the first, so it is not divided. */
const rangeKeyOf = ({ select: { entity, orderBy, page } }: ExportPlan): RangeKey | undefined => {
  const [first] = orderBy
  if (page || first?.ref.alias !== 't') return undefined
  const { name, type } = first.ref.column
  const isId = name === 'id'
  const indexes = orderedIndexes(entity).filter(({ columns }) => columns[0] === name)
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

/** Asks each column that the format may refuse whether it has such a value. */
const compileCheck = (
  plan: ExportPlan,
  format: ExportFormat,
  sheet: ExportSheet,
): ValueCheck | undefined => {
  const refusal = format.refusal?.(sheet)
  const columns = plan.columns.filter(({ ref }) => refusal?.mayConcern(ref.column.type))
  if (!refusal || columns.length === 0) return undefined
  const list = columns.map((column, index) => `${cellExpression(column)}::text AS v${index}`)
  const checks = columns.map((_, index) => `min(${refusal.wrongPart(`v${index}`)}) AS v${index}`)
  const inner = compileSelect(plan.select, raw(list.join(', ')))
  const statement = sql`SELECT ${raw(checks.join(', '))} FROM (${inner}) v`
  const { code, says } = refusal
  return { statement, paths: columns.map(({ path }) => path), code, says }
}
