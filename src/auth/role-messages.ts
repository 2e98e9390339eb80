/** What a role says of its conditions that do not hold. */
import type { Catalog, Entity } from '../definitions/catalog.ts'
import type { ConditionalRight } from '../definitions/schemas/role-definition.ts'
import type { Person } from './caller.ts'

/** By permission; a condition without a message has none. */
export type RightMessages = Readonly<Partial<Record<ConditionalRight, string>>>

/** The messages of a role for the conditions of its rights on an entity, in the language of the catalog. */
export const messagesOf = (
  { roles }: Catalog,
  { roleKey }: Person,
  entity: Entity,
): RightMessages => roles.get(roleKey)?.permissions[entity.key]?.messages ?? {}
