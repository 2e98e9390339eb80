/** Reads what a request says of its file, and makes the plan of the columns, as far as the caller may write them. */
import type { Caller } from '../auth/caller.ts'
import { visibleCatalog } from '../auth/visible-catalog.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { matchColumns } from '../definitions/checks/check-imports.ts'
import {
  type EmptyCells,
  emptyCellRules,
  type ImportMode,
  importModes,
} from '../definitions/schemas/import-definition.ts'
import type { Languages } from '../definitions/translations/languages.ts'
import { isObject } from '../definitions/values/check-value.ts'
import { didYouMean } from '../did-you-mean.ts'
import { apiError, validationError } from '../errors.ts'
import {
  flag,
  limitedText,
  nameList,
  oneOf,
  optionalFlag,
  type Values,
} from '../http/endpoint/parameters.ts'
import type { Issue } from '../issues.ts'
import { createsSets } from '../records/write/divided-sets.ts'
import { withoutFaultColumns } from './fault-file.ts'
import {
  type ColumnReading,
  columnsOfPlan,
  type ImportPlan,
  type PlannedColumn,
} from './import-plan.ts'
import { contextsOf, type ImportDeps, rightIssues } from './open-run.ts'
import { lineColumnsOf } from './read/lines-of-rows.ts'
import {
  type GivenColumn,
  type GivenColumns,
  type MappedColumn,
  mapHeads,
  type ReadingProject,
} from './read/mapping.ts'
import { encodings, formats, type GivenDialect, type Sheet, type separators } from './read/sheet.ts'

export const separatorNames = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  bar: '|',
} as const satisfies Record<string, (typeof separators)[number]>
export const decimalNames = { point: '.', comma: ',' } as const

const maxColumnsText = 12_000

/** The parameters of an upload. */
export const importQuery = {
  dryRun: flag('Check the file and write nothing; the run can be started later.'),
  mode: oneOf(importModes, {
    description: 'By default `insert`. `update` and `insertOrUpdate` find records by `match`.',
  }),
  match: nameList(
    'Fields that together are unique, for `update` also `id`: by what the file has for them a record is found.',
  ),
  emptyCells: oneOf(emptyCellRules, {
    description:
      'What an empty cell does: leave the field as it is (a new record has its default), which is the default, empty it, or give it its default.',
  }),
  allOrNothing: optionalFlag(
    'Write nothing when a row has a fault; by default for files of at most 5,000 rows. Otherwise the rows without a fault are written.',
  ),
  notify: flag('Notifications and functions follow, as those of single writes.'),
  import: limitedText(
    'Key of an import of the definition: its mode, match, empty cells and columns, as far as the request does not say others.',
    63,
  ),
  columns: limitedText(
    'What columns of the file are for, as JSON: by head a path such as `supplier.code`, null to leave the column out (`"*": null`: all others whose heads are not known), or an object with `field`, `decimal`, `dates` and `values`. Without it heads are read as an export writes them.',
    maxColumnsText,
  ),
  file: limitedText('Name of the file, for people.', 200),
  format: oneOf(formats, { description: 'By default it is found in the file, as the others.' }),
  encoding: oneOf(encodings, { description: 'Of texts.' }),
  separator: oneOf(Object.keys(separatorNames) as (keyof typeof separatorNames)[], {
    description: 'What stands between the cells of CSV.',
  }),
  decimal: oneOf(Object.keys(decimalNames) as (keyof typeof decimalNames)[], {
    description: 'What stands before decimals, in columns that do not say it.',
  }),
  dates: oneOf(['YMD', 'DMY', 'MDY'], { description: 'The order of the parts of a day.' }),
  sheet: limitedText('Of a workbook, the name of the sheet.', 200),
}

type SentQuery = Values<typeof importQuery>

/** What a request says, with what the import of the definition says that it names. */
export type ImportQuery = Omit<SentQuery, 'mode' | 'emptyCells' | 'columns'> & {
  readonly mode: ImportMode
  readonly emptyCells: EmptyCells
  readonly columns: GivenColumns
}

export const dialectOf = (query: ImportQuery): GivenDialect => ({
  format: query.format,
  encoding: query.encoding,
  separator: query.separator && separatorNames[query.separator],
  decimal: query.decimal && decimalNames[query.decimal],
  dates: query.dates,
  sheet: query.sheet,
})

/** What the request says of single columns; throws request.invalid. */
const givenColumns = ({ columns }: SentQuery): GivenColumns => {
  if (columns === undefined) return {}
  const given = parsed(columns)
  if (!isObject(given)) throw invalid('must be a JSON object')
  for (const [head, one] of Object.entries(given))
    if (one !== null && typeof one !== 'string' && !isGivenColumn(one))
      throw invalid(
        `has for "${head}" neither a path nor null nor an object with "field", "decimal", "dates" and "values"`,
      )
  return given as GivenColumns
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isGivenColumn = (value: unknown): value is GivenColumn => {
  if (!isObject(value) || typeof value.field !== 'string') return false
  const { field: _, decimal, dates, values, ...others } = value
  return (
    Object.keys(others).length === 0 &&
    (decimal === undefined || decimal === '.' || decimal === ',') &&
    (dates === undefined || ['YMD', 'DMY', 'MDY'].some((one) => one === dates)) &&
    (values === undefined ||
      (isObject(values) && Object.values(values).every((one) => typeof one === 'string')))
  )
}

const invalid = (message: string) =>
  validationError('request.invalid', [{ path: 'columns', message }])

export type PlanningDeps = ImportDeps & { readonly languages: Languages }

/** The names of the columns by which records are found; throws request.invalid. */
export const matchOf = (entity: Entity, { mode, match }: ImportQuery): readonly string[] => {
  const issue = (message: string) =>
    validationError('request.invalid', [{ path: 'match', message }])
  if (mode === 'insert' && match) throw issue('is only for update and insertOrUpdate')
  if (mode === 'insert') return []
  const found = matchColumns(entity, match ?? [], mode)
  if ('message' in found) throw issue(found.message)
  return found.columns
}

/** The request with what the definition of an import says; throws request.invalid. */
export const withDefinition = ({ key, definition }: Entity, query: SentQuery): ImportQuery => {
  const { imports = [] } = definition
  const saved = imports.find((one) => one.key === query.import)
  if (query.import !== undefined && !saved) {
    const known = imports.map((one) => one.key)
    const message = `is none of ${key}${didYouMean(query.import, known)}`
    throw validationError('request.invalid', [{ path: 'import', message }])
  }
  const mode = query.mode ?? saved?.mode ?? 'insert'
  const given = Object.entries(givenColumns(query))
  const savedColumns: GivenColumns = saved?.columns ?? {}
  return {
    ...query,
    mode,
    match: query.match ?? (mode === 'insert' ? undefined : saved?.match),
    emptyCells: query.emptyCells ?? saved?.emptyCells ?? 'keep',
    columns: {
      ...savedColumns,
      ...Object.fromEntries(given.map(([head, one]) => [head, merged(savedColumns[head], one)])),
    },
  }
}

type Given = GivenColumns[string] | undefined

/** A column whose field stays keeps what else is said of it. */
const merged = (saved: Given, given: GivenColumns[string]): GivenColumns[string] => {
  const [before, after] = [saved, given].map((one) =>
    typeof one === 'string' ? { field: one } : (one ?? undefined),
  )
  return before && after && before.field === after.field ? { ...before, ...after } : given
}

/** The plan of a file, and its columns as they are read; throws import.unreadable with what is wrong with heads. */
export const planImport = (...asked: Parameters<typeof planColumns>) => {
  const { plan, written, columns, headIssues, issues } = planColumns(...asked)
  const all = [...headIssues.map(({ head, message }) => ({ path: head, message })), ...issues]
  if (all.length > 0) throw validationError('import.unreadable', all)
  const [, , entity] = asked
  return { plan, columns: written, lineColumns: lineColumnsOf(entity, columns) }
}

/** The definitions as the caller sees them, in the languages of the project. */
export const projectOf = (deps: PlanningDeps, caller: Caller): ReadingProject => {
  const visible = (catalog: Catalog) => visibleCatalog(catalog, deps.permissions, caller.roleKey)
  const languages = deps.languages.all().map((one) => visible(one.catalog))
  return { catalog: visible(deps.catalog), languages, timeZone: deps.timeZone }
}

/** What a file would be imported as, with what is wrong with that. */
export const planColumns = (
  deps: PlanningDeps,
  caller: Caller,
  entity: Entity,
  query: ImportQuery,
  sheet: Pick<Sheet, 'heads' | 'sample' | 'dialect'>,
) => {
  const project = projectOf(deps, caller)
  const own = project.catalog.entities.get(entity.key) ?? entity
  const given = { ...withoutFaultColumns(sheet.heads), ...query.columns }
  const mapping = mapHeads(project, own, sheet, given)
  const match = matchOf(entity, query)
  const { written, notes } = chooseColumns(deps, { caller, entity, query, match }, mapping.columns)
  const columns = written.map(
    ({ position, head, list, column, link, decimal, dates }): PlannedColumn => ({
      position,
      head,
      ...(list && { list: list.field.key }),
      name: column.name,
      ...(link && { link: link.path }),
      decimal,
      dates,
    }),
  )
  const plan: ImportPlan = {
    mode: query.mode,
    match,
    emptyCells: query.emptyCells,
    notify: query.notify,
    allOrNothing: query.allOrNothing,
    heads: sheet.heads,
    notes: [...sheet.dialect.notes, ...mapping.notes].map(({ message }) => message).concat(notes),
    columns,
    format: sheet.dialect.format,
    separator: sheet.dialect.separator,
    reading: written.map((one) => readingOf(own, one, given[one.head])),
  }
  return {
    plan,
    written,
    columns: mapping.columns,
    headIssues: mapping.issues,
    issues: planIssues(deps, caller, entity, plan),
  }
}

const readingOf = (
  entity: Entity,
  mapped: MappedColumn,
  given: GivenColumns[string] | undefined,
): ColumnReading => {
  const values = isObject(given) ? given.values : undefined
  const { timeZone } = mapped
  return { field: pathOf(entity, mapped), timeZone, ...(values && { values }) }
}

/** The path that leads to what a column has: of a link, with what identifies the record. */
export const pathOf = (entity: Entity, { column, link, list }: MappedColumn): string => {
  const within = list ? `${list.field.key}.` : ''
  if (!link) return `${within}${column.name}`
  const { associations } = list?.target ?? entity
  const [key] = [...associations].find(([, { name }]) => name === column.name) ?? []
  return `${within}${key ?? column.name}.${link.path}`
}

type Choosing = {
  readonly caller: Caller
  readonly entity: Entity
  readonly query: ImportQuery
  readonly match: readonly string[]
}

/** The columns that are written or matched; what an export has besides is said and left out. */
const chooseColumns = (
  deps: PlanningDeps,
  { caller, entity, query, match }: Choosing,
  mapped: readonly MappedColumn[],
) => {
  const isWhole = deps.permissions.rightsOf(caller, entity).import === 'history'
  const { creating } = contextsOf(deps, { caller, entity })
  const keepsIds =
    isWhole &&
    creating !== undefined &&
    createsSets(creating) &&
    query.mode === 'insert' &&
    !mapped.some(({ list }) => list)
  const isWritten = ({ use, column, list }: MappedColumn): boolean => {
    if (list) return use !== 'none'
    if (column.series) return match.includes(column.name) || (isWhole && query.mode !== 'update')
    if (use === 'value' || use === 'link') return true
    if (use === 'id') return keepsIds || match.includes('id')
    return use === 'history' && isWhole && query.mode !== 'update' && column.name !== '_is_deleted'
  }
  const left = mapped.filter((one) => !isWritten(one)).map(({ head }) => `"${head}"`)
  return {
    written: mapped.filter(isWritten),
    notes: left.length > 0 ? [`These columns are not imported: ${left.join(', ')}.`] : [],
  }
}

const noneWritten = ({ key }: Entity, { length }: readonly unknown[]): string =>
  length === 0
    ? 'no column of the file is one to write'
    : `no column of the file is one of the ${key} to which its lines belong`

const planIssues = (
  deps: PlanningDeps,
  caller: Caller,
  entity: Entity,
  plan: ImportPlan,
): readonly Issue[] => {
  const columns = columnsOfPlan(deps.catalog, entity, plan)
  if (!columns) throw apiError('import.unreadable', 'A column leads nowhere.')
  const access = deps.permissions.accessOf(caller)
  const own = columns.filter(({ list }) => !list)
  const lacking = plan.match.filter((name) => !own.some((one) => one.name === name))
  const unseen = columns.filter(
    ({ path }) =>
      path &&
      ![path.target, ...path.steps.map((step) => step.entity)].every(
        (target) => access.readScope(target) !== 'none',
      ),
  )
  return [
    ...lacking.map((name) => ({
      path: '',
      message: `no column of the file is "${name}", by which records are matched`,
    })),
    ...unseen
      .filter(({ path }) => path?.column.name !== 'id')
      .map(({ head }) => ({ path: head, message: 'leads to records that you may not read' })),
    ...(own.length === 0 ? [{ path: '', message: noneWritten(entity, columns) }] : []),
    ...(plan.mode === 'insert' ? [] : columns.filter(({ list }) => list)).map(({ head }) => ({
      path: head,
      message:
        'belongs to lines, which are imported only with new records: use mode=insert, or import the lines from a file of their own',
    })),
    ...rightIssues(deps, { caller, entity, plan, columns }).map((message) => ({
      path: '',
      message,
    })),
  ]
}
