/**
 * Saved views name fields and values of enums. Where the definitions have another name for one, the view gets it: it is
 * compared with the definitions, so that a view from before any rename is mended too.
 */
import { type Queryable, queryRows } from '../../database/pool.ts'
import { bound, int, ref, type Sql, sql, table } from '../../database/sql.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { earlierKeys } from '../../definitions/earlier-keys.ts'
import { nativeEntitiesWith, type Sharing } from '../../definitions/native-entities.ts'
import { isObject } from '../../definitions/values/check-value.ts'
import { type Change, during, printSql, safe } from '../diff/change.ts'
import type { Schema } from '../diff/schema.ts'
import type { MovedWords } from '../rows/find-duplicates.ts'
import { earlierColumns } from './plan-renames.ts'
import { otherNames, type SyncHistory } from './sync-history.ts'

type Names = {
  readonly catalog: Catalog
  readonly history: SyncHistory
  readonly movedWords: MovedWords
}

type View = {
  readonly id: number
  readonly version: number
  readonly entity: string
  /** JSON. */
  readonly criteria: string | null
  readonly paths: string | null
}

/** A statement for each view that names what is called otherwise now. */
export const followViews = async (
  database: Queryable,
  current: Schema,
  names: Names,
): Promise<Change[]> => {
  const changes: Change[] = []
  for (const { key, value } of nativeEntitiesWith('sharing'))
    if (isComplete(current, key, value))
      for (const view of await readViews(database, key, value))
        changes.push(...followView(names, key, value, view))
  return changes
}

const isComplete = (current: Schema, key: string, sharing: Sharing): boolean =>
  [sharing.entityKey, sharing.criteria, sharing.paths].every((name) =>
    current.get(key)?.columns.some((column) => column.name === name),
  )

const readViews = (database: Queryable, key: string, sharing: Sharing): Promise<View[]> =>
  queryRows<View>(
    database,
    sql`
      SELECT id, _version AS version, ${ref(sharing.entityKey)} AS entity,
        ${ref(sharing.criteria)}::text AS criteria, ${ref(sharing.paths)}::text AS paths
      FROM ${table(key)}
      ORDER BY id`,
  )

const followView = (names: Names, key: string, sharing: Sharing, view: View): Change[] => {
  const entity = entityNow(names, view.entity)
  if (!entity) return []
  const renamed = renamer(names, entity)
  const set = [
    ...renamedJson(sharing.criteria, view.criteria, renamed.criteria),
    ...renamedJson(sharing.paths, view.paths, renamed.listed),
  ]
  if (set.length === 0) return []
  const statement = sql`
    UPDATE ${table(key)}
    SET ${set.reduce((all, one) => sql`${all}, ${one}`)}, _version = _version + 1
    WHERE id = ${int(view.id)} AND _version = ${int(view.version)}`
  const reason = `the ${key} ${view.id} of ${entity.key} uses the names of today`
  return [during('between', safe(printSql(statement), reason))]
}

const renamedJson = (
  column: string,
  json: string | null,
  rename: (value: unknown) => unknown,
): Sql[] => {
  if (json === null) return []
  const value: unknown = JSON.parse(json)
  const later = JSON.stringify(rename(value))
  return later === JSON.stringify(value) ? [] : [sql`${ref(column)} = ${bound(later, 'json')}`]
}

const entityNow = ({ catalog, history }: Names, key: string): Entity | undefined => {
  const asked = { kind: 'entity', entityKey: key, columnName: '' } as const
  return (
    catalog.entities.get(key) ??
    only(
      [...catalog.entities.values()].filter((entity) =>
        otherNames(history, asked, entity.key, earlierKeys(entity.definition.was)).includes(key),
      ),
    )
  )
}

const only = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)

/** A column by the name of itself or of its association. */
type Found = { readonly name: string; readonly column: Column }

const columnNow = ({ history }: Names, entity: Entity, name: string): Found | undefined => {
  const column = entity.columnsByName.get(name) ?? entity.associations.get(name)
  if (column) return { name, column }
  const asked = { kind: 'field', entityKey: entity.key, columnName: '' } as const
  return only(
    entity.columns
      .filter(({ isSystem }) => !isSystem)
      .flatMap((column): Found[] => {
        const others = otherNames(history, asked, column.name, earlierColumns(column))
        if (others.includes(name)) return [{ name: column.name, column }]
        const isLink = column.target !== undefined && others.includes(`${name}_id`)
        return isLink ? [{ name: column.field.key, column }] : []
      }),
  )
}

type PathNow = { readonly path: string; readonly column?: Column; readonly entity?: Entity }

/** A path with the names of today, as far as it can be followed. */
const pathNow = (names: Names, start: Entity, path: string): PathNow => {
  const parts = path.split('.')
  const later: string[] = []
  let entity: Entity | undefined = start
  let last: Omit<PathNow, 'path'> = {}
  for (const part of parts) {
    const found: Found | undefined = entity && columnNow(names, entity, part)
    later.push(found?.name ?? part)
    last = found && entity ? { column: found.column, entity } : {}
    entity = names.catalog.entities.get(found?.column.target ?? '')
  }
  return { path: later.join('.'), ...last }
}

// They compare with a whole value, or a list of them.
const wordOperators = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin']

const renamer = (names: Names, entity: Entity) => {
  const path = (text: string): string => pathNow(names, entity, text).path
  const listed = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? signed(one) : one)) : value
  const signed = (text: string): string =>
    /^[-+]/.test(text) ? `${text[0]}${path(text.slice(1))}` : path(text)
  const group = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(group)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        if (name.startsWith('$')) return [name, group(inner)]
        const found = pathNow(names, entity, name)
        const words =
          found.column && found.entity
            ? names.movedWords(found.entity.key, found.column.name)
            : new Map<string, string>()
        return [found.path, compared(inner, words)]
      }),
    )
  }
  const compared = (value: unknown, words: ReadonlyMap<string, string>): unknown => {
    if (!isObject(value)) return wordsNow(value, words)
    if (typeof value.$field === 'string') return { ...value, $field: path(value.$field) }
    return Object.fromEntries(
      Object.entries(value).map(([operator, operand]) => [
        operator,
        wordOperators.includes(operator) ? compared(operand, words) : operand,
      ]),
    )
  }
  const criteria = (value: unknown): unknown =>
    isObject(value)
      ? {
          ...value,
          ...('$where' in value && { $where: group(value.$where) }),
          ...('$orderBy' in value && { $orderBy: listed(value.$orderBy) }),
        }
      : value
  return { criteria, listed }
}

/** Merged words stand once in a list. */
const wordsNow = (value: unknown, words: ReadonlyMap<string, string>): unknown => {
  if (Array.isArray(value)) return [...new Set(value.map((one) => wordsNow(one, words)))]
  return typeof value === 'string' ? (words.get(value) ?? value) : value
}
