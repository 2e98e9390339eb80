/**
 * The definitions as the service uses them: entities by key, their columns and associations by name. It
 * is the only source of identifiers in SQL; names in requests are never used as identifiers.
 */
import { didYouMean } from '../did-you-mean.ts'
import { apiError } from '../errors.ts'
import { shorten } from '../issues.ts'
import { kept } from '../kept.ts'
import type { IndexKind } from './field-types/field-type.ts'
import { type BoundType, type FieldDefinition, type FieldOf, fieldTypeOf } from './field-types.ts'
import type { EntityDefinition } from './schemas/entity-definition.ts'
import type { RoleDefinition } from './schemas/role-definition.ts'
import { type Series, seriesOf } from './series.ts'
import type { CsvChoice } from './values/rules/csv-dialects.ts'
import type { FirstDayOfWeek } from './values/rules/moving-times.ts'

export type Column = {
  /** Name in PostgreSQL and in JSON: the field's key, `<key>_id` for a many-to-one. */
  readonly name: string
  readonly field: FieldDefinition
  readonly type: BoundType
  /** Maintained by the service; callers cannot write it. */
  readonly isSystem: boolean
  /** By a formula or a rollup; callers cannot write it. */
  readonly isCalculated: boolean
  /** Keys of the actions that fill it with their caller; then nothing else writes it. */
  readonly writtenBy: readonly string[]
  /** Of a field whose values are numbers that the service gives; callers cannot write it. */
  readonly series?: Series | undefined
  /** In the catalog of one role: whether it may not write the column. */
  readonly isReadOnly?: true
  /** In the catalog of several roles: whether some records show nothing of it. */
  readonly isShownInPart?: true
  readonly target: string | undefined
}

export type Entity = {
  readonly key: string
  readonly name: string
  /** What several records are called. */
  readonly pluralName: string
  readonly definition: EntityDefinition
  readonly isNative: boolean
  /** `id`, the declared fields in their order, the other system fields: the order of the export. */
  readonly columns: readonly Column[]
  readonly columnsByName: ReadonlyMap<string, Column>
  /** Many-to-one columns by association key (`supplier`, `_created_by`). */
  readonly associations: ReadonlyMap<string, Column>
  readonly oneToMany: ReadonlyMap<string, FieldOf<'oneToMany'>>
  readonly hasOwner: boolean
  readonly hasWorkflow: boolean
}

/** Columns of one table, in order, and what their index is for. */
export type Index = {
  readonly columns: readonly string[]
  readonly kind: IndexKind
  /** The columns that it has in lower case. */
  readonly lowered: readonly string[]
  /** Of a unique index: whether records that lack the same columns are the same. */
  readonly nullsNotDistinct: boolean
}

export type Catalog = {
  readonly entities: ReadonlyMap<string, Entity>
  readonly roles: ReadonlyMap<string, RoleDefinition>
  /** Files with faults, such as `entities/order`: what they define is known in part, or not at all. */
  readonly unread?: ReadonlySet<string>
  /** Name of the project, in the language of its locale. */
  readonly name?: string | undefined
  /** Locale of the project (BCP 47); without one texts are English. */
  readonly locale?: string | undefined
  /** The day with which weeks of the project begin. */
  readonly firstDayOfWeek?: FirstDayOfWeek | undefined
  /** How exports write CSV; without it as RFC 4180. */
  readonly csv?: CsvChoice | undefined
  /** The entities with their names in the language of the locale, if the project has it besides its own. */
  readonly named?: ReadonlyMap<string, Entity> | undefined
  /** The catalog with the locale and the names of a reader of this language; itself, if nothing here is in that language. */
  readonly inLanguage?: ((language: string) => Catalog) | undefined
}

/** The language of a locale: `de` of `de-AT`. */
export const languageOf = (locale = 'en'): string => locale.split('-')[0]?.toLowerCase() ?? ''

/** An entity with the names that documents and messages have, which are in the language of the locale. */
export const namedEntity = ({ named }: Catalog, entity: Entity): Entity =>
  named?.get(entity.key) ?? entity

const system = (field: FieldDefinition, target?: string): Column => ({
  name: field.key,
  field,
  type: fieldTypeOf(field),
  isSystem: true,
  isCalculated: false,
  writtenBy: [],
  target,
})

const idColumn = system({ key: 'id', name: 'ID', type: 'integer', required: true, min: 1 })
const userColumn = (key: string, name: string) =>
  system({ key, name, type: 'manyToOne', entity: 'user' }, 'user')
const systemColumns = [
  system({ key: '_is_deleted', name: 'Is removed', type: 'boolean', required: true }),
  userColumn('_created_by', 'Created by'),
  userColumn('_updated_by', 'Changed by'),
  system({ key: '_created_at', name: 'Created at', type: 'timestamp', required: true }),
  system({ key: '_updated_at', name: 'Changed at', type: 'timestamp', required: true }),
]
const ownerColumn = userColumn('_owned_by', 'Owner')
const stepColumn = system({ key: '_step', name: 'Step', type: 'string', required: true })

/**
 * The number in a record's entity tag. It is no field: not in records, and not in `columns` of an entity.
 */
export const versionColumn = system({
  key: '_version',
  name: 'Version',
  type: 'integer',
  required: true,
  min: 1,
})

/** Every reserved field name; `created_by` is the expanded `_created_by`. */
export const systemFieldKeys: readonly string[] = [
  idColumn.name,
  ...[...systemColumns, ownerColumn, stepColumn].map((column) => column.name),
  ...[...systemColumns, ownerColumn]
    .filter((column) => column.target !== undefined)
    .map((column) => column.name.slice(1)),
]

/** What the fields that every record may have are called, by key. */
export const systemNames: ReadonlyMap<string, string> = new Map(
  [idColumn, ...systemColumns, ownerColumn, stepColumn].map(({ name, field }) => [
    name,
    field.name ?? name,
  ]),
)

/** Builds an entity from a checked definition; `names` are those of system fields. */
export const createEntity = (
  definition: EntityDefinition,
  isNative: boolean,
  names: ReadonlyMap<string, string> = systemNames,
): Entity => {
  const named = (column: Column): Column => {
    const name = names.get(column.name)
    return name === undefined || name === column.field.name
      ? column
      : { ...column, field: { ...column.field, name } }
  }
  const hasOwner = definition.ownership === true
  const hasWorkflow = definition.workflow !== undefined
  const callerFields = callerFieldsOf(definition)
  const columns = [
    named(idColumn),
    ...definition.fields
      .filter((field) => field.type !== 'oneToMany')
      .map((field) => declaredColumn(field, callerFields.get(field.key) ?? [], definition)),
    ...[
      ...systemColumns,
      ...(hasOwner ? [ownerColumn] : []),
      ...(definition.workflow ? [stepOf(definition.workflow)] : []),
    ].map(named),
  ]
  return {
    key: definition.key,
    name: definition.name ?? definition.key,
    pluralName: definition.pluralName ?? definition.name ?? definition.key,
    definition,
    isNative,
    columns,
    columnsByName: new Map(columns.map((column) => [column.name, column])),
    associations: new Map(
      columns
        .filter((column) => column.target !== undefined)
        .map((column) => [column.field.key, column]),
    ),
    oneToMany: new Map(
      definition.fields
        .filter((field) => field.type === 'oneToMany')
        .map((field) => [field.key, field]),
    ),
    hasOwner,
    hasWorkflow,
  }
}

/** Steps compare in the order of their definition. */
const stepOf = ({ steps }: NonNullable<EntityDefinition['workflow']>): Column => ({
  ...stepColumn,
  type: { ...stepColumn.type, choices: steps.map(({ key }) => key) },
})

const declaredColumn = (
  field: FieldDefinition,
  writtenBy: readonly string[],
  { fields }: EntityDefinition,
): Column => ({
  name: columnName(field),
  field,
  type: fieldTypeOf(field),
  isSystem: false,
  isCalculated: isCalculated(field),
  writtenBy,
  series: seriesOf(field, fields),
  target: field.type === 'manyToOne' ? field.entity : undefined,
})

/** Whether the service calculates the field, by a formula or a rollup. */
export const isCalculated = (field: FieldDefinition): boolean =>
  ('formula' in field && field.formula !== undefined) ||
  ('rollup' in field && field.rollup !== undefined)

const columnName = (field: FieldDefinition): string =>
  field.type === 'manyToOne' ? `${field.key}_id` : field.key

/** The columns that a create or a change may name. */
export const writableColumns = (entity: Entity): readonly Column[] =>
  entity.columns.filter(
    ({ isSystem, isCalculated, writtenBy, series, isReadOnly }) =>
      !isSystem && !isCalculated && writtenBy.length === 0 && !series && !isReadOnly,
  )

/** The columns whose numbers the service gives, in the order in which writers take their counters. */
export const numberedColumns = (entity: Entity): readonly Column[] =>
  entity.columns
    .filter(({ series }) => series)
    .toSorted(({ name: one }, { name: other }) => (one < other ? -1 : 1))

export const calculatedColumns = kept((entity: Entity): readonly Column[] =>
  entity.columns.filter((column) => column.isCalculated),
)

/** Unique indexes of the entity, in order; seeds identify records by the first. */
export const uniqueIndexes = (entity: Entity): readonly Index[] =>
  indexesOf(entity).filter(({ kind }) => isUniqueKind(kind))

/** Whether an index refuses values that are there already. */
export const isUniqueKind = (kind: IndexKind): boolean =>
  kind === 'unique' || kind === 'caseless' || kind === 'series'

/** The indexes in which PostgreSQL finds values of their columns, in their order. */
export const orderedIndexes = (entity: Entity): readonly Index[] =>
  indexesOf(entity).filter(({ kind }) => kind !== 'caseless' && kind !== 'containment')

/** Every index of the definition, each set of columns once. */
export const indexesOf = kept((entity: Entity): readonly Index[] => {
  const requested: Requested[] = []
  for (const column of entity.columns) {
    const { field } = column
    if (column.isSystem) continue
    if (column.series) requested.push({ columns: [column.name], kind: 'series' })
    else if ('unique' in field && field.unique === 'ignoreCase')
      // People look for values as they are, and sort by them.
      requested.push(
        { columns: [column.name], kind: 'caseless' },
        { columns: [column.name], kind: 'order' },
      )
    else if ('unique' in field && field.unique)
      requested.push({ columns: [column.name], kind: 'unique' })
    else if (('indexed' in field && field.indexed) || field.type === 'manyToOne')
      requested.push({ columns: [column.name], kind: column.type.indexKind })
  }
  for (const index of entity.definition.indexes ?? [])
    requested.push({
      columns: index.fields.map((key) => entity.associations.get(key)?.name ?? key),
      kind: kindOf(index),
      nullsNotDistinct: index.nullsNotDistinct,
    })
  // Users search for records by step, and a start looks for records in removed steps.
  if (entity.hasWorkflow && !requested.some(({ columns }) => columns[0] === stepColumn.name))
    requested.push({ columns: [stepColumn.name], kind: 'order' })
  const found = new Map<string, Index>()
  for (const { columns, kind, nullsNotDistinct = false } of requested) {
    const name = `${columns.join(' ')} ${kind}`
    found.set(name, {
      columns,
      kind,
      lowered: kind === 'caseless' ? columns.filter((one) => isWriting(entity, one)) : [],
      nullsNotDistinct: nullsNotDistinct || found.get(name)?.nullsNotDistinct === true,
    })
  }
  return [...found.values()]
})

type Requested = Pick<Index, 'columns' | 'kind'> & {
  readonly nullsNotDistinct?: boolean | undefined
}

const kindOf = ({ unique }: NonNullable<EntityDefinition['indexes']>[number]): IndexKind =>
  unique === 'ignoreCase' ? 'caseless' : unique ? 'unique' : 'order'

/** Whether texts of the column may differ in nothing but their case. */
export const hasCase = ({ field }: Column): boolean => caseTypes.has(field.type)

const isWriting = ({ columnsByName }: Entity, name: string): boolean => {
  const column = columnsByName.get(name)
  return column !== undefined && hasCase(column)
}

const caseTypes: ReadonlySet<string> = new Set(['string', 'text', 'email'])

/** The entity of a key in a request; throws a 404. */
export const getEntity = (catalog: Catalog, key: string): Entity => {
  const entity = catalog.entities.get(key)
  if (entity) return entity
  const near = didYouMean(key, catalog.entities.keys())
  throw apiError('entity.unknown', `There is no entity "${shorten(key, 100)}"${near || '.'}`)
}

/** The column with the step of a record. */
export const getStepColumn = ({ key, columnsByName }: Entity): Column => {
  const column = columnsByName.get('_step')
  if (!column) throw new Error(`The entity ${key} has no step.`)
  return column
}

/** By key of a field, the keys of the actions that fill it with their caller, each once. */
export const callerFieldsOf = ({
  workflow,
}: Pick<EntityDefinition, 'workflow'>): ReadonlyMap<string, readonly string[]> => {
  const { steps = [], forms = [] } = workflow ?? {}
  const byField = new Map<string, Set<string>>()
  for (const { key, form: name } of steps.flatMap(({ actions = [] }) => actions))
    for (const field of forms.find((form) => form.key === name)?.callerFields ?? [])
      byField.set(field, (byField.get(field) ?? new Set()).add(key))
  return new Map([...byField].map(([field, keys]) => [field, [...keys]]))
}

// An index of the parts of longer texts would be larger than the table.
const longestText = 1000

export const nameColumn = ({ definition, columnsByName }: Entity): Column | undefined =>
  columnsByName.get(definition.displayField ?? '')

/** The first other `string` field among the columns of exports: what a record is about, if a number names it. */
export const titleColumn = (entity: Entity): Column | undefined => {
  if (entity.isNative) return undefined
  const { columnDefs } = entity.definition.exportSettings ?? {}
  const exported = columnDefs
    ? columnDefs.flatMap(({ field }) => entity.columnsByName.get(field) ?? [])
    : entity.columns
  return exported.find(
    (column) =>
      column.field.type === 'string' &&
      !column.isSystem &&
      column !== nameColumn(entity) &&
      isIndexedByPart(column),
  )
}

/** The columns that have an index of the parts of their texts. */
export const columnsByPart = (entity: Entity): readonly Column[] =>
  [nameColumn(entity), titleColumn(entity)].flatMap((column) =>
    column && isIndexedByPart(column) ? [column] : [],
  )

const isIndexedByPart = ({ type: { isSearchedByPart, maxLength = 0 } }: Column): boolean =>
  isSearchedByPart && maxLength <= longestText
