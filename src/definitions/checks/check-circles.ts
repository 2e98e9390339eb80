/** Finds circles of required links, which make a first record impossible. */
import type { Catalog, Entity } from '../catalog.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { Finding, Sourced } from '../source-file.ts'
import { isRequired } from '../values/field-defaults.ts'

/** An error for each required link of a circle; a warning when an entity requires a link to itself. */
export const checkCircles = (
  catalog: Catalog,
  own: readonly Sourced<EntityDefinition>[],
  findings: Finding[],
): void => {
  for (const { source, definition } of own) {
    const entity = catalog.entities.get(definition.key)
    if (!entity) continue
    for (const [index, field] of definition.fields.entries()) {
      if (field.type !== 'manyToOne' || !isRequired({ field })) continue
      const path = ['fields', index, 'required']
      if (field.entity === definition.key) {
        findings.push(
          source.finding(
            path,
            `no first record of ${definition.key} can be created by a request, because it needs another one`,
            'warning',
          ),
        )
        continue
      }
      const circle = shortestPath(catalog, field.entity, definition.key)
      if (circle)
        findings.push(
          source.finding(
            path,
            `no record of ${definition.key} can ever be created: ${[definition.key, ...circle].join(' needs ')}; remove "required" from one of these links`,
          ),
        )
    }
  }
}

/** The entities on the shortest path of required links between two entities, including both. */
const shortestPath = (
  catalog: Catalog,
  from: string,
  to: string,
): readonly string[] | undefined => {
  const paths = new Map<string, readonly string[]>([[from, [from]]])
  // The map grows during the loop.
  for (const [key, path] of paths) {
    if (key === to) return path
    for (const target of needed(catalog.entities.get(key)))
      if (!paths.has(target)) paths.set(target, [...path, target])
  }
  return undefined
}

const needed = (entity: Entity | undefined): string[] =>
  (entity?.columns ?? []).flatMap((column) =>
    !column.isSystem && column.target !== undefined && isRequired(column) ? [column.target] : [],
  )
