/** Where entities stand in the menus of a project: their order, their groups, and which are hidden (docs/console.md). */
import { didYouMean } from '../../did-you-mean.ts'
import type { Catalog, Entity } from '../catalog.ts'
import type { ProjectSettings } from '../schemas/role-definition.ts'
import type { Finding, JsonPath, SourceFile } from '../source-file.ts'

/** A group of a menu; without a name it has no title. */
type MenuGroup = { readonly key: string; readonly name: string | null }

export type Menu = {
  /** Undefined for what no group names. */
  readonly groupOf: (entityKey: string) => MenuGroup | undefined
  readonly isHidden: (entityKey: string) => boolean
  /** In the order of the menu; what no group names comes last, by what people call it. */
  readonly sort: (entities: readonly Entity[]) => readonly Entity[]
}

type Names = Readonly<Record<string, string>>

/** `names` are translated titles by key of the group; `language` that of the names of entities. */
export const createMenu = (
  { groups = [], hidden = [] }: NonNullable<ProjectSettings['menu']>,
  names: Names,
  language: string,
): Menu => {
  const places = groups.flatMap(({ key, name, entities }) => {
    const group = { key, name: (Object.hasOwn(names, key) ? names[key] : name) ?? null }
    return entities.map((entity) => [entity, group] as const)
  })
  const byEntity = new Map(places)
  const order = new Map(places.map(([entity], index) => [entity, index]))
  const { compare } = new Intl.Collator(language, { numeric: true })
  const placeOf = ({ key }: Entity) => order.get(key) ?? places.length
  return {
    groupOf: (key) => byEntity.get(key),
    isHidden: (key) => hidden.includes(key),
    sort: (entities) =>
      entities.toSorted((a, b) => placeOf(a) - placeOf(b) || compare(a.pluralName, b.pluralName)),
  }
}

/** Reports entities that do not exist, those that are named twice, and two groups of one key. */
export const checkMenu = (
  { entities }: Catalog,
  { source, menu }: { readonly source: SourceFile; readonly menu: ProjectSettings['menu'] },
  findings: Finding[],
): void => {
  const { groups = [], hidden = [] } = menu ?? {}
  const add = (path: JsonPath, message: string) =>
    findings.push(source.finding(['menu', ...path], message))
  const named = [
    ...groups.flatMap((group, place) =>
      group.entities.map((key, index) => ({ key, path: ['groups', place, 'entities', index] })),
    ),
    ...hidden.map((key, index) => ({ key, path: ['hidden', index] })),
  ]
  const seen = new Set<string>()
  for (const { key, path } of named) {
    if (seen.has(key)) add(path, `"${key}" is listed twice; an entity has one place`)
    else if (!entities.has(key))
      add(path, `there is no entity "${key}"${didYouMean(key, entities.keys())}`)
    seen.add(key)
  }
  for (const [place, { key }] of groups.entries())
    if (groups.findIndex((one) => one.key === key) !== place)
      add(['groups', place, 'key'], `"${key}" is the key of another group too`)
}
