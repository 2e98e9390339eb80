/**
 * Reads the data of a template: the record, its links and lists, and the user who asks. Joins JSON texts as PostgreSQL
 * printed them, without what the reader may not see.
 */

import type { Pool } from '../database/pool.ts'
import { listColumn } from '../definitions/association-path.ts'
import {
  type Catalog,
  type Column,
  type Entity,
  getEntity,
  languageOf,
  namedEntity,
} from '../definitions/catalog.ts'
import type { FieldOf } from '../definitions/field-types.ts'
import { choicesOf } from '../definitions/value-names.ts'
import { labelOf } from '../definitions/values/rules/key-names.ts'
import { ApiError, apiError } from '../errors.ts'
import type { Access, RecordScope } from '../query/access.ts'
import { noCriteria, type Ordering } from '../query/criteria/criteria.ts'
import { accessToSelf, mayInclude, readableOfOthers } from '../query/user-visibility.ts'
import { readRecord, searchRecords } from '../records/read-records.ts'
import { fileIdsIn } from './record-pictures.ts'
import { pictureFunction } from './typst/engine.ts'

/** Names that occur in a template; other fields need not be read. */
type Names = ReadonlySet<string>

type EventVisibility = { readonly catalog: Catalog; readonly access: Access }

type Links = {
  /** Many-to-one paths to expand. */
  readonly include: readonly string[]
  /** Visible links to records that are not readable; they are null. */
  readonly unreadable: readonly string[]
}

type List = { readonly field: FieldOf<'oneToMany'>; readonly target: Entity }

// The planner's maximum of joins.
const maxLinks = 100

/** The wanted links of an entity, and below them those that the template names. */
const linksOf = (
  sight: EventVisibility,
  entity: Entity,
  names: Names,
  isWanted: (name: string) => boolean,
): Links => {
  const wanted = seenLinks(sight, entity).filter(([name]) => isWanted(name))
  const readable = wanted.filter(([, column]) => targetOf(sight, column))
  const deeper = readable.flatMap(([, column]) => deeperLinks(sight, column, names))
  return {
    // Deeper links come last, so that they are the ones omitted beyond the limit.
    include: [...readable.map(([, { field }]) => field.key), ...deeper].slice(0, maxLinks),
    unreadable: wanted.filter(([, column]) => !targetOf(sight, column)).map(([name]) => name),
  }
}

const deeperLinks = (sight: EventVisibility, column: Column, names: Names): string[] => {
  const target = targetOf(sight, column)
  const inside = target ? seenLinks(sight, target) : []
  return inside
    .filter(([name, inner]) => names.has(name) && targetOf(sight, inner))
    .map(([, inner]) => `${column.field.key}.${inner.field.key}`)
}

/** Keyed by the name in a record: `_created_by` is `created_by` there. */
const seenLinks = ({ access }: EventVisibility, entity: Entity): [string, Column][] =>
  [...entity.associations]
    .filter(([, column]) => access.maySee(entity, column))
    .map(([key, column]) => [key.replace(/^_/, ''), column])

/** The target entity of a link, if its records are readable, or their names. */
const targetOf = ({ catalog, access }: EventVisibility, { target }: Column): Entity | undefined => {
  const entity = catalog.entities.get(target ?? '')
  return entity && mayInclude(access, entity) ? entity : undefined
}

/** The lists of an entity that the template names; undefined for one that is not readable. */
const listsOf = (
  { catalog, access }: EventVisibility,
  entity: Entity,
  names: Names,
): ReadonlyMap<string, List | undefined> =>
  new Map(
    [...entity.oneToMany.values()].flatMap((field) => {
      const target = catalog.entities.get(field.entity)
      const back = target?.associations.get(field.mappedBy)
      if (!target || !back || !names.has(field.key)) return []
      if (!maySeeList(access, entity, field)) return []
      const isReadable = access.readScope(target) !== 'none' && access.maySee(target, back)
      return [[field.key, isReadable ? { field, target } : undefined]]
    }),
  )

/** Roles hide lists by key, like other fields. */
const maySeeList = (access: Access, entity: Entity, field: FieldOf<'oneToMany'>): boolean =>
  access.maySee(entity, listColumn(field))

export type DataDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly timeZone: string
}

type Request = {
  readonly entity: Entity
  readonly id: number
  /** Null: without a user. */
  readonly actorId: number | null
  readonly access: Access
  readonly scope: RecordScope
  /** Whether the user who acts is the only reader. */
  readonly isActorReader: boolean
  readonly names: Names
  readonly generatedAt: Date
}

type DocumentData = {
  /** The text of one JSON object. */
  readonly json: string
  /** The record's display field, if it is visible. */
  readonly title: unknown
  /** Of the files whose pictures the template may print. */
  readonly fileIds: readonly number[]
}

// Maximum entries of a list; a longer list is an error, so that no document is incomplete.
const maxEntries = 10_000

/** Reads everything concurrently; throws record.unknown when the record is not readable. */
export const readDocumentData = async (deps: DataDeps, request: Request): Promise<DocumentData> => {
  const { entity, access, names, generatedAt } = request
  const lists = listsOf({ ...deps, access }, entity, names)
  const [record, actor, ...entries] = await Promise.all([
    readRecordOf(deps, request),
    readActor(deps, request),
    ...[...lists.values()].map((list) => (list ? readList(deps, request, list) : 'null')),
  ])
  const members = [...lists.keys()].map((key, index) => memberOf(key, entries[index] ?? 'null'))
  const targets = [...lists.values()].flatMap((list) => (list ? [list.target] : []))
  const all = {
    record: withMembers(record, members),
    actor,
    entity: JSON.stringify({ key: entity.key, name: namedEntity(deps.catalog, entity).name }),
    generated_at: JSON.stringify(generatedAt.toISOString()),
    language: JSON.stringify(languageOf(deps.catalog.locale)),
    labels: JSON.stringify(labelsOf(deps.catalog, [entity, ...targets], access)),
    choices: JSON.stringify(choicesIn(deps.catalog, request)),
  }
  const json = `{${Object.entries(all).map(([name, text]) => memberOf(name, text))}}`
  const title = JSON.parse(record)[entity.definition.displayField ?? '']
  const fileIds = names.has(pictureFunction)
    ? fileIdsIn(deps.catalog, entity, JSON.parse(all.record), names)
    : []
  return { json, title, fileIds }
}

const memberOf = (name: string, text: string): string => `${JSON.stringify(name)}:${text}`

const withMembers = (object: string, members: readonly string[]): string => {
  if (members.length === 0) return object
  // A role may hide every field, including the id.
  const inside = object.slice(1, -1)
  return `{${[...(inside === '' ? [] : [inside]), ...members]}}`
}

const readRecordOf = async (deps: DataDeps, request: Request): Promise<string> => {
  const { entity, id, access, scope, names } = request
  const { include, unreadable } = linksOf({ ...deps, access }, entity, names, () => true)
  const { json } = await readRecord(deps.pool, { ...deps, entity, access, scope, include }, id)
  return withMembers(json, nulls(unreadable))
}

const nulls = (names: readonly string[]): string[] => names.map((name) => memberOf(name, 'null'))

/** By the field that says their order, if the reader sees it; else as they were created. */
const orderOf = (
  access: Access,
  target: Entity,
  { key, orderBy = '' }: FieldOf<'oneToMany'>,
): readonly Ordering[] => {
  const column = target.columnsByName.get(orderBy)
  return column && access.maySee(target, column)
    ? [{ field: orderBy, descending: false, at: key }]
    : []
}

const readList = async (
  deps: DataDeps,
  { entity, id, access, names }: Request,
  { field, target }: List,
): Promise<string> => {
  // Without the link back to the record, which would repeat it in each entry.
  const isWanted = (name: string) => name !== field.mappedBy && names.has(name)
  const { include, unreadable } = linksOf({ ...deps, access }, target, names, isWanted)
  const scope = access.readScope(target)
  const where = {
    kind: 'compare',
    field: field.mappedBy,
    operator: '$eq',
    value: id,
    at: field.key,
  } as const
  const { records } = await searchRecords(
    deps.pool,
    { ...deps, entity: target, access, scope, include },
    { ...noCriteria, where, orderBy: orderOf(access, target, field) },
    { limit: maxEntries + 1, offset: 0 },
  )
  if (records.length > maxEntries)
    throw apiError(
      'document.invalid',
      `${entity.key} ${id} has more than ${maxEntries} ${field.key}, too many for a document.`,
    )
  return `[${records.map((record) => withMembers(record, nulls(unreadable)))}]`
}

const readActor = async (
  deps: DataDeps,
  { actorId, access, isActorReader }: Request,
): Promise<string> => {
  if (actorId === null) return 'null'
  const entity = getEntity(deps.catalog, 'user')
  const own: Access = isActorReader
    ? accessToSelf(access)
    : { ...access, maySee: (_, column) => readableOfOthers(access, entity, column) === 'all' }
  try {
    const reading = { ...deps, entity, access: own, scope: 'all', include: [] } as const
    return (await readRecord(deps.pool, reading, actorId)).json
  } catch (error) {
    // The user may have been removed since.
    if (error instanceof ApiError && error.code === 'record.unknown') return 'null'
    throw error
  }
}

/** The name of every field by entity and key. */
const labelsOf = (catalog: Catalog, entities: readonly Entity[], access: Access) =>
  Object.fromEntries(
    entities.map((one) => {
      const entity = namedEntity(catalog, one)
      const seen = entity.columns.filter((column) => access.maySee(entity, column))
      const lists = [...entity.oneToMany.values()].filter((field) => {
        const target = catalog.entities.get(field.entity)
        return maySeeList(access, entity, field) && target && access.readScope(target) !== 'none'
      })
      const fields = [...seen.map(({ field }) => field), ...lists]
      return [entity.key, Object.fromEntries(fields.map((field) => [field.key, labelOf(field)]))]
    }),
  )

/** What choices and steps are called, of the entities that the template names and the reader may read. */
const choicesIn = (catalog: Catalog, { entity: own, access, names }: Request) =>
  Object.fromEntries(
    [...catalog.entities.values()]
      .filter((one) => names.has(one.key) && (one === own || access.readScope(one) !== 'none'))
      .map((one) => {
        const isSeen = (column: Column) => access.maySee(one, column)
        return [one.key, choicesOf(namedEntity(catalog, one), isSeen)]
      }),
  )
