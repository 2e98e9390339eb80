/** What an error says about a condition that does not hold: what it compares, as far as the caller may read it. */
import { resolvePath } from '../../definitions/association-path.ts'
import { type Catalog, type Entity, getEntity } from '../../definitions/catalog.ts'
import type { Access } from '../access.ts'
import { type Condition, callerPathsIn, fieldsIn } from '../criteria/criteria.ts'

export type Reader = { readonly catalog: Catalog; readonly entity: Entity; readonly access: Access }

/** Paths of the record, and of the user record of the caller. */
export type ComparedPaths = {
  readonly fields: readonly string[]
  readonly callerFields: readonly string[]
}

/** The paths that a condition of the definitions compares. */
export const comparedPaths = (
  { catalog, entity, access }: Reader,
  condition: Condition,
): ComparedPaths => {
  const people = getEntity(catalog, 'user')
  const isNamed = (start: Entity, maySee: Access['maySee']) => (path: string) =>
    'path' in resolvePath(catalog, start, path, maySee, 'lists')
  // Callers may read their own record, except what their role hides.
  const mayKnow: Access['maySee'] = (owner, column) =>
    owner === people ? !access.hides(owner, column) : access.maySee(owner, column)
  const own = fieldsIn(condition).filter(isNamed(entity, access.maySee))
  const ofCaller = callerPathsIn(condition).filter(isNamed(people, mayKnow))
  return { fields: [...new Set(own)], callerFields: [...new Set(ofCaller)] }
}

/** As a part of a sentence: ` on "total" and your "limit"`; empty if the caller may read none of them. */
export const printCompared = ({ fields, callerFields }: ComparedPaths): string => {
  const names = [
    ...fields.map((path) => `"${path}"`),
    ...callerFields.map((path) => `your "${path}"`),
  ]
  return names.length === 0 ? '' : ` on ${names.join(' and ')}`
}

/** A sentence about a condition that does not hold, and the message of the definition. */
export const withMessage = (sentence: string, message: string | undefined): string =>
  message === undefined ? sentence : `${sentence} ${message}`
