/**
 * Users to whom a document of a record shows the same: those who may read everything, or those with the
 * same view.
 */
import { createHash } from 'node:crypto'
import type { Entity } from '../definitions/catalog.ts'
import type { Person } from './caller.ts'
import type { VisibilityDeps } from './readable-records.ts'

/** The audience of those who may read everything that a document can reach. */
export const wholeAudience = ''

type Share = { readonly name: string; readonly isPersonal: boolean }

/**
 * The name of a user's audience. A role that reads some records of an entity and not others has one for each user who may read the
 * record, and one for all others, to whom a document of it shows nothing.
 */
export const audienceOf = (
  deps: VisibilityDeps,
  entity: Entity,
  person: Person,
  mayRead: boolean,
): string => {
  const { name, isPersonal } = shareOf(deps, entity, person)
  if (!isPersonal) return name
  return mayRead ? `${name}.${person.userId}` : `${name}.none`
}

const shareOf = (deps: VisibilityDeps, entity: Entity, { roleKey }: Person): Share => {
  const role = { userId: 0, roleKey }
  const rights = reachOf(deps, entity).map((one) => {
    const { scopes, conditions, hiddenFields } = deps.permissions.rightsOf(role, one)
    const scope = deps.permissions.scopeOf(role, 'read', one)
    const isPartly = typeof scope !== 'string' && scopes.read === true
    const read = conditions.read ?? (isPartly ? 'partly' : scopes.read)
    return [one.key, read, ...[...hiddenFields].sort()] as const
  })
  if (rights.every(([, read, ...hidden]) => read === true && hidden.length === 0))
    return { name: wholeAudience, isPersonal: false }
  const digest = createHash('sha256')
    .update(JSON.stringify([roleKey, rights]))
    .digest('base64url')
  return {
    name: digest.slice(0, 22),
    isPersonal: rights.some(([, read]) => typeof read !== 'boolean'),
  }
}

/** The entity, those of its lists, and every entity that many-to-one fields reach. */
const reachOf = ({ catalog }: VisibilityDeps, entity: Entity): readonly Entity[] => {
  const reached = new Set([entity])
  for (const field of entity.oneToMany.values()) {
    const target = catalog.entities.get(field.entity)
    if (target) reached.add(target)
  }
  // The loop also visits what is added on the way.
  for (const one of reached)
    for (const { target } of one.associations.values()) {
      const next = catalog.entities.get(target ?? '')
      if (next) reached.add(next)
    }
  return [...reached]
}
