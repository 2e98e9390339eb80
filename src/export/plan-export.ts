/** Plans an export: which columns under which headers, which records, in which order. */
import { resolvePath } from '../definitions/association-path.ts'
import { type Catalog, type Entity, nameColumn, uniqueIndexes } from '../definitions/catalog.ts'
import { hasValueNames, pathLabel, valueNamesOf } from '../definitions/value-names.ts'
import { apiError } from '../errors.ts'
import type { Access, RecordScope } from '../query/access.ts'
import type { Criteria } from '../query/criteria/criteria.ts'
import { planSelect } from '../query/plan-select.ts'
import type { Page, PlannedColumn, SelectPlan } from '../query/select-plan.ts'
import { linkedScope, maySeeByPath } from '../query/user-visibility.ts'
import type { ExportColumn } from './export-format.ts'

export type ExportPlan = {
  readonly select: SelectPlan
  readonly columns: readonly ExportColumn[]
  /** Configured columns that the caller may not read. */
  readonly omitted: readonly string[]
}

type Options = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  readonly scope: RecordScope
  readonly criteria: Criteria
  readonly page: Page | undefined
  /** Whether the file is for people: with names of values, and labels of columns. */
  readonly isNamed?: boolean
  readonly timeZone: string
}

/** A column that the definition configures. */
type ConfiguredColumn = {
  readonly path: string
  readonly header: string
  /** The configured label, also if the header is the field. */
  readonly label: string | undefined
  /** Whether the file has the names of values in place of the values. */
  readonly isNamed: boolean
  readonly at: string
}

/** Throws criteria.invalid; a hidden column in `$select` is unknown. */
export const planExport = (options: Options): ExportPlan => {
  const { catalog, entity, access, criteria, isNamed = false } = options
  const defaults = defaultColumns(entity)
  const readable = readableColumns(catalog, entity, access)
  const wanted = criteria.select
    ? criteria.select.map((path, index) => selected(defaults, path, index))
    : readable
  const columns = isNamed
    ? wanted.flatMap((column) => namedColumns(options, wanted, column))
    : wanted
  if (columns.length === 0)
    throw apiError(
      'caller.forbidden',
      `The export of ${entity.key} has no column that you may read.`,
    )
  const select = planSelect({ ...options, columns })
  return {
    select,
    columns: select.columns.map((column, index) => ({
      ...column,
      header: columns[index]?.header ?? column.path,
      names:
        columns[index]?.isNamed && hasValueNames(column.ref.column)
          ? namesOf(entity, select, column)
          : undefined,
    })),
    omitted: criteria.select
      ? []
      : defaults
          .map(({ path }) => path)
          .filter((path) => !readable.some((one) => one.path === path)),
  }
}

/**
 * A column of a file for people. A link is also what its record is called, or that alone where it identifies the record; with a
 * label it is what the definition says.
 */
const namedColumns = (
  options: Options,
  wanted: readonly ConfiguredColumn[],
  column: ConfiguredColumn,
): readonly ConfiguredColumn[] => {
  const { catalog, entity } = options
  const labelled = { ...column, header: column.label ?? pathLabel(catalog, entity, column.path) }
  const own = { ...labelled, isNamed: true }
  const title = column.label === undefined ? titleOf(options, column.path) : undefined
  if (!title || wanted.some(({ path }) => path === title.path)) return [own]
  const header = pathLabel(catalog, entity, title.path)
  const titled = { ...own, path: title.path, header, at: 'names' }
  return title.identifies ? [titled] : [own, titled]
}

type Title = {
  readonly path: string
  /** Whether it is in the place of the id: an import finds the same record by it. */
  readonly identifies: boolean
}

/** The display field behind a link, if the caller sees it; none where an import would prefer it to the id, and it may be empty. */
const titleOf = ({ catalog, entity, access }: Options, path: string): Title | undefined => {
  const resolved = resolvePath(catalog, entity, path)
  const link = 'path' in resolved ? resolved.path.column : undefined
  const target = catalog.entities.get(link?.target ?? '')
  const display = target && nameColumn(target)
  if (!link || !display || display.name === 'id') return undefined
  const title = `${path.slice(0, path.lastIndexOf('.') + 1)}${link.field.key}.${display.name}`
  if ('message' in resolvePath(catalog, entity, title, maySeeByPath(access))) return undefined
  const { textForm, refusesEmpty, isStructured } = display.type
  const isUnique = uniqueIndexes(target).some(({ columns }) => columns.join() === display.name)
  if (!isUnique) return isStructured ? undefined : { path: title, identifies: false }
  const isFilled = textForm === 'line' && refusesEmpty
  const isEverySeen = linkedScope(access, target, display) === 'all'
  return isFilled && isEverySeen ? { path: title, identifies: true } : undefined
}

const namesOf = (entity: Entity, { joins }: SelectPlan, { ref }: PlannedColumn) => {
  const join = joins.find(({ alias }) => alias === ref.alias)
  return valueNamesOf(join?.entity ?? entity, ref.column)
}

/** The configured columns that a caller may read, in order. */
export const readableColumns = (
  catalog: Catalog,
  entity: Entity,
  access: Access,
): ConfiguredColumn[] =>
  defaultColumns(entity).filter(
    ({ path }) => 'path' in resolvePath(catalog, entity, path, maySeeByPath(access)),
  )

/** The configured columns, else id, the declared fields and the other system fields. */
const defaultColumns = (entity: Entity): ConfiguredColumn[] => {
  const { columnDefs, useFieldKeyAsHeader } = entity.definition.exportSettings ?? {}
  if (!columnDefs)
    return entity.columns.map(({ name }) => ({
      path: name,
      header: name,
      label: undefined,
      isNamed: false,
      at: 'exportSettings',
    }))
  return columnDefs.map(({ field, headerName, format }) => ({
    path: field,
    header: useFieldKeyAsHeader ? field : (headerName ?? field),
    label: headerName,
    isNamed: format === 'name',
    at: 'exportSettings',
  }))
}

/** A column of the configuration keeps its header and its format when `$select` names it. */
const selected = (
  defaults: readonly ConfiguredColumn[],
  path: string,
  index: number,
): ConfiguredColumn => {
  const configured = defaults.find((column) => column.path === path)
  const { header = path, label, isNamed = false } = configured ?? {}
  return { path, header, label, isNamed, at: `$select[${index}]` }
}
