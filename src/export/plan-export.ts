/** Plans an export: which columns under which headers, which records, in which order. */
import { resolvePath } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { apiError } from '../errors.ts'
import type { Access, RecordScope } from '../query/access.ts'
import type { Criteria } from '../query/criteria/criteria.ts'
import { planSelect } from '../query/plan-select.ts'
import type { Page, SelectPlan } from '../query/select-plan.ts'
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
  readonly timeZone: string
}

/** A column that the definition configures. */
type ConfiguredColumn = {
  readonly path: string
  readonly header: string
  /** The configured label, also if the header is the field. */
  readonly label: string | undefined
  readonly at: string
}

/** Throws criteria.invalid; a hidden column in `$select` is unknown. */
export const planExport = (options: Options): ExportPlan => {
  const { catalog, entity, access, criteria } = options
  const defaults = defaultColumns(entity)
  const readable = readableColumns(catalog, entity, access)
  const columns = criteria.select
    ? criteria.select.map((path, index) => selected(defaults, path, index))
    : readable
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
    })),
    omitted: criteria.select
      ? []
      : defaults
          .map(({ path }) => path)
          .filter((path) => !readable.some((one) => one.path === path)),
  }
}

/** The configured columns that a caller may read, in order. */
export const readableColumns = (
  catalog: Catalog,
  entity: Entity,
  { maySee }: Pick<Access, 'maySee'>,
): ConfiguredColumn[] =>
  defaultColumns(entity).filter(({ path }) => 'path' in resolvePath(catalog, entity, path, maySee))

/** The configured columns, else id, the declared fields and the other system fields. */
const defaultColumns = (entity: Entity): ConfiguredColumn[] => {
  const { columnDefs, useFieldKeyAsHeader } = entity.definition.exportSettings ?? {}
  if (!columnDefs)
    return entity.columns.map(({ name }) => ({
      ...{ path: name, header: name, label: undefined, at: 'exportSettings' },
    }))
  return columnDefs.map(({ field, headerName }) => ({
    path: field,
    header: useFieldKeyAsHeader ? field : (headerName ?? field),
    label: headerName,
    at: 'exportSettings',
  }))
}

/** A column of the configuration keeps its header when `$select` names it. */
const selected = (
  defaults: readonly ConfiguredColumn[],
  path: string,
  index: number,
): Omit<ConfiguredColumn, 'label'> => ({
  path,
  header: defaults.find((column) => column.path === path)?.header ?? path,
  at: `$select[${index}]`,
})
