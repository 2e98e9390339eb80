/** Checks the menu of a project. */
import { didYouMean } from '../../did-you-mean.ts'
import type { Catalog } from '../catalog.ts'
import type { ProjectSettings } from '../schemas/role-definition.ts'
import type { Finding, JsonPath, SourceFile } from '../source-file.ts'

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
