/** Finds required links that go round in a circle, so that no first record can ever be made. */
import type { Catalog, Entity } from '../catalog.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { Finding, Sourced } from '../source-file.ts'
import { isRequired } from '../values/field-defaults.ts'

/** An error for each required link of a circle; a warning where an entity requires one of its own. */
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
            `no first record of ${definition.key} can be made by a request, since it would need another one`,
            'warning',
          ),
        )
        continue
      }
      const way = wayTo(catalog, field.entity, definition.key)
      if (way)
        findings.push(
          source.finding(
            path,
            `no record of ${definition.key} can ever be made: ${[definition.key, ...way].join(' needs ')}; take "required" from one of these links`,
          ),
        )
    }
  }
}

/** The entities on the shortest way of required links between two, with both ends. */
const wayTo = (catalog: Catalog, from: string, to: string): readonly string[] | undefined => {
  const ways = new Map<string, readonly string[]>([[from, [from]]])
  // A map gives what is added while it is walked.
  for (const [key, way] of ways) {
    if (key === to) return way
    for (const target of needed(catalog.entities.get(key)))
      if (!ways.has(target)) ways.set(target, [...way, target])
  }
  return undefined
}

const needed = (entity: Entity | undefined): string[] =>
  (entity?.columns ?? []).flatMap((column) =>
    !column.isSystem && column.target !== undefined && isRequired(column) ? [column.target] : [],
  )
