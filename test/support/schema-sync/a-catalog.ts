/** Catalogs for tests of the schema, written as entity definitions. */
import { type Catalog, createEntity } from '../../../src/definitions/catalog.ts'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'

/** A catalog of these entities alone. */
export const aCatalog = (...definitions: readonly EntityDefinition[]): Catalog => ({
  entities: new Map(
    definitions.map((definition) => [definition.key, createEntity(definition, false)]),
  ),
  roles: new Map(),
})

/** The entity `item` with these fields. */
export const anItem = (...fields: EntityDefinition['fields']): EntityDefinition => ({
  key: 'item',
  fields,
})
