/** What the heads of a file name: headers of exports, paths, names of fields in any language of the project. */
import { resolvePath } from '../../definitions/association-path.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { throughList, writtenLists } from '../../definitions/lines.ts'
import { labelOf } from '../../definitions/values/rules/key-names.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { takeBackGuard } from '../../export/formats/formula-guard.ts'
import { shorten } from '../../issues.ts'
import type { SheetFormat } from './sheet.ts'

export type FoundHead =
  | {
      readonly path: string
      /** That which the head names. */
      readonly timeZone: string | undefined
      /** Whether it names a link by what the link is called, and not by what identifies the record. */
      readonly isGuess: boolean
    }
  | {
      readonly message: string
      /** Whether it names nothing. */
      readonly isUnknown: boolean
    }

type Definitions = { readonly catalog: Catalog; readonly languages: readonly Catalog[] }

export type HeadNames = {
  readonly catalog: Catalog
  readonly entity: Entity
  /** Paths by the headers of the export, in all languages. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly languages: readonly Catalog[]
}

/** The names that heads may have; only those of what the catalog has. */
export const headNames = ({ catalog, languages }: Definitions, entity: Entity): HeadNames => {
  const headers = new Map<string, string[]>()
  for (const one of [catalog, ...languages]) {
    const { columnDefs = [] } = one.entities.get(entity.key)?.definition.exportSettings ?? {}
    for (const { headerName, field } of columnDefs) {
      if (headerName === undefined || 'message' in resolvePath(catalog, entity, field)) continue
      const paths = headers.get(headerName.trim()) ?? []
      headers.set(headerName.trim(), paths.includes(field) ? paths : [...paths, field])
    }
  }
  return { catalog, entity, headers, languages: [...new Set([catalog, ...languages])] }
}

const zoned = /^(.+?)\s+\(([\w+-]+(?:\/[\w+-]+)*)\)$/s

/** The zone of a head such as `Changed (Europe/Zagreb)`. */
const zoneOf = (head: string): { readonly head: string; readonly timeZone: string } | undefined => {
  const [, name = '', timeZone = ''] = zoned.exec(head) ?? []
  if (name === '') return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return { head: name, timeZone }
  } catch {
    return undefined
  }
}

/** The column of the entity that a head names. */
export const findHead = (
  names: HeadNames,
  heads: readonly string[],
  position: number,
  { format, hints }: { readonly format: SheetFormat; readonly hints: boolean },
): FoundHead => {
  const bare = (head: string) => (format === 'csv' ? takeBackGuard(head) : head).trim()
  const written = heads[position] ?? ''
  const head = bare(written)
  const occurrences = heads.flatMap((one, index) => (one === written ? [index] : []))
  const zone = zoneOf(head)
  const whole = findPaths(names, head)
  const { paths, isGuess } = whole.paths.length > 0 || !zone ? whole : findPaths(names, zone.head)
  const timeZone = whole.paths.length > 0 ? undefined : zone?.timeZone
  // An export writes the same header above several columns if the definition does.
  if (paths.length === occurrences.length) {
    const path = paths[occurrences.indexOf(position)]
    if (path !== undefined) return { path, timeZone, isGuess }
  }
  if (paths.length === 0) {
    const hint = hints ? hintOf(names, head) : ''
    return { message: `is not a column of ${names.entity.key}${hint}`, isUnknown: true }
  }
  const message =
    paths.length === 1
      ? 'stands above several columns; leave one of them'
      : `may be ${paths.map((path) => `"${path}"`).join(' or ')}; name one of them in the head`
  return { message, isUnknown: false }
}

type Paths = { readonly paths: readonly string[]; readonly isGuess: boolean }

/** The paths of the first kind of names that knows the head; without regard of case only if none knows it as it is. */
const findPaths = (names: HeadNames, head: string): Paths => {
  for (const fold of [spaced, folded]) {
    const wanted = fold(head)
    const byHeader = [...names.headers].flatMap(([header, paths]) =>
      fold(header) === wanted ? paths : [],
    )
    if (byHeader.length > 0) return { paths: byHeader, isGuess: false }
    const path = fold === spaced ? head : head.toLowerCase()
    if (isPath(names, path)) return { paths: [path], isGuess: isLinkName(names, path) }
    const byName = findByNames(names, head, fold)
    if (byName.length > 0)
      return { paths: byName, isGuess: byName.some((one) => isLinkName(names, one)) }
  }
  return { paths: [], isGuess: false }
}

const spaced = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
const folded = (text: string): string =>
  spaced(text)
    .toLowerCase()
    .replaceAll(/[\s_.:*-]+/g, '')

/** Also one of the records that are written with those of the entity: `lines.position`. */
const isPath = ({ catalog, entity }: Pick<HeadNames, 'catalog' | 'entity'>, path: string) => {
  const place = throughList(catalog, entity, path)
  return !('message' in resolvePath(catalog, place.entity, place.path))
}

/** `supplier`, and not `supplier_id`. */
export const isLinkName = (
  { catalog, entity }: Pick<HeadNames, 'catalog' | 'entity'>,
  path: string,
): boolean => {
  const place = throughList(catalog, entity, path)
  return place.entity.associations.has(place.path)
}

/** The paths that a head such as `Supplier › Country` or `Lines › Position` spells, in each of the languages. */
const findByNames = (names: HeadNames, head: string, fold: (text: string) => string): string[] => {
  const [first = '', ...rest] = head.split('›').map(fold)
  const { catalog, entity, languages } = names
  const lists = rest.length > 0 ? writtenLists(catalog, entity) : []
  const paths = languages.flatMap((language) => [
    ...walk(language, entity.key, [first, ...rest], fold),
    ...lists.flatMap(({ field: { key }, target }) => {
      const field = language.entities.get(entity.key)?.oneToMany.get(key)
      return field && fold(labelOf(field)) === first
        ? walk(language, target.key, rest, fold).map((path) => `${key}.${path}`)
        : []
    }),
  ])
  return [...new Set(paths)].filter((path) => isPath(names, path))
}

type Folded = ReadonlyMap<string, readonly Column[]>
const known = new WeakMap<Entity, Map<unknown, Folded>>()

/** A file may have many heads, and each is compared with every name. */
const columnsByName = (entity: Entity, fold: (text: string) => string): Folded => {
  const byFold = known.get(entity) ?? new Map<unknown, Folded>()
  known.set(entity, byFold)
  const found = byFold.get(fold) ?? Map.groupBy(entity.columns, ({ field }) => fold(labelOf(field)))
  byFold.set(fold, found)
  return found
}

const walk = (
  catalog: Catalog,
  key: string,
  [part, ...rest]: readonly string[],
  fold: (text: string) => string,
): string[] => {
  const entity = catalog.entities.get(key)
  if (!entity || part === undefined) return []
  const named = columnsByName(entity, fold).get(part) ?? []
  if (rest.length === 0) return named.map(({ field }) => field.key)
  return named.flatMap(({ field, target }) =>
    walk(catalog, target ?? '', rest, fold).map((path) => `${field.key}.${path}`),
  )
}

const hintOf = (heads: HeadNames, head: string): string => {
  const { entity, headers, languages, catalog } = heads
  const [ofList] = writtenLists(catalog, entity).flatMap(({ field, target }) =>
    findPaths({ ...heads, entity: target, headers: new Map() }, head).paths.map(
      (path) => `${field.key}.${path}`,
    ),
  )
  if (ofList !== undefined) return `; "${ofList}" is one`
  const seen = catalog.entities.get(entity.key)?.columnsByName ?? entity.columnsByName
  const names = languages.flatMap(
    (one) =>
      one.entities
        .get(entity.key)
        ?.columns.filter(({ name }) => seen.has(name))
        .map(({ field }) => labelOf(field)) ?? [],
  )
  const candidates = [...headers.keys(), ...names, ...seen.keys()]
  return didYouMean(shorten(head), candidates)
}
