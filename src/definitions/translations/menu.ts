/** Where entities stand in the menus of a project: their order, their groups, and which are hidden (docs/console.md). */
import type { Entity } from '../catalog.ts'
import type { ProjectSettings } from '../schemas/role-definition.ts'

/** A group of a menu; without a name it has no title. */
type MenuGroup = { readonly key: string; readonly name: string | null }

/** The menu in one language. */
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
