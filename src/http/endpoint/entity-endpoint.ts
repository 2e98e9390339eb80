/** An endpoint of every entity, at `/<entity>` or below: declared once, described entity by entity. */
import type { Caller } from '../../auth/caller.ts'
import type { RecordRight } from '../../auth/entity-rights.ts'
import type { Permissions } from '../../auth/permissions.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { ApiError } from '../../errors.ts'
import type { RecordScope } from '../../query/access.ts'
import { callerOf } from '../caller-of.ts'
import { describeOperation } from '../openapi/describe-operation.ts'
import type { Answers } from '../openapi/operation.ts'
import type { EntityPlace } from './body.ts'
import type { Endpoint } from './endpoint.ts'
import { type Call, createReader, type Declaration, type Handled, mountPath } from './mount-path.ts'
import type { Parameters } from './parameters.ts'

/** A summary of operations on the records of an entity: `Tasks of a record of “Order”`. */
export const ofEntity = (text: string) => (entity: Entity) => `${text} of “${entity.name}”`

/** The caller, the entity of the path, and the records that the permission of the endpoint covers. */
type Entered = { readonly caller: Caller; readonly entity: Entity; readonly scope: RecordScope }

/** What every endpoint of an entity needs. */
export type EntityDeps = { readonly permissions: Permissions }

/** Finds the entity of a path, or throws entity.unknown. */
type FindEntity<Deps> = (
  deps: Deps,
  caller: Caller,
  params: Readonly<Record<string, string>>,
) => Entity | Promise<Entity>

/** A permission of roles, or the check of one that depends on the body; it throws. */
type Right =
  | RecordRight
  | 'create'
  | ((wanted: Omit<Entered, 'scope'> & { readonly sent: unknown }, deps: EntityDeps) => void)

type EntityDeclaration<P, Q, H, B, Deps> = Declaration<P, Q, H, B> & {
  /** The operation is named `<verb>_<entity>`; a verb has no underscore, so names are unique. */
  readonly verb: string
  /** Below `/<entity>`, such as `/{entityId}/restore`. */
  readonly path: string
  /**
   * The permission that the caller's role needs for the entity; it is checked before anything else of the
   * request.
   */
  readonly right?: Right
  /** Why an entity has no such path; it is not described there, and returns this error. */
  readonly refuse?: (entity: Entity) => ApiError | undefined
  readonly summary: (entity: Entity) => string
  readonly description?: string | ((entity: Entity) => string)
  readonly answers: (place: EntityPlace) => Answers
  /** By default the entities for which the caller's role has a permission. */
  readonly findEntity?: FindEntity<Deps>
  readonly handle: (call: Call<P, Q, H, B> & Entered, deps: Deps) => Handled<Answers>
}

/** A path of every entity. */
export const entityEndpoint = <
  Deps extends EntityDeps,
  P extends Parameters = Record<never, never>,
  Q extends Parameters = Record<never, never>,
  H extends Parameters = Record<never, never>,
  B = undefined,
>(
  one: EntityDeclaration<P, Q, H, B, Deps>,
): Endpoint<Deps> => ({
  mount: (server, deps) => {
    const read = createReader(one)
    const { findEntity = entityOfRole, right, refuse } = one
    const path = `/{entityKey}${one.path}`
    mountPath(server, { ...one, path }, async (request, reply) => {
      const caller = callerOf(request)
      const params = request.params as Readonly<Record<string, string>>
      const found = findEntity(deps, caller, params)
      const entity = found instanceof Promise ? await found : found
      const refusal = refuse?.(entity)
      if (refusal) throw refusal
      const scope = permitted(deps, right, { caller, entity, sent: request.body })
      return one.handle({ ...read(request, reply, entity), caller, entity, scope }, deps)
    })
  },
  describe: (catalog) =>
    [...catalog.entities.values()]
      .filter((entity) => !one.refuse?.(entity))
      .map((entity) => {
        const place = { entity, catalog }
        const { description } = one
        return describeOperation(
          one,
          {
            path: `/${entity.key}${one.path}`,
            id: `${one.verb}_${entity.key}`,
            tag: entity.key,
            summary: one.summary(entity),
            description: typeof description === 'function' ? description(entity) : description,
            answers: one.answers(place),
            errors: ['caller.forbidden'],
            isPublic: false,
          },
          place,
        )
      }),
})

const entityOfRole: FindEntity<EntityDeps> = ({ permissions }, caller, { entityKey = '' }) =>
  permissions.entityFor(caller, entityKey)

const permitted = (
  deps: EntityDeps,
  right: Right | undefined,
  wanted: Omit<Entered, 'scope'> & { readonly sent: unknown },
): RecordScope => {
  const { caller, entity } = wanted
  const { permit, permitCreate } = deps.permissions
  if (right === undefined) return 'none'
  if (typeof right === 'string' && right !== 'create') return permit(caller, right, entity)
  if (right === 'create') permitCreate(caller, entity)
  else right(wanted, deps)
  return 'all'
}
