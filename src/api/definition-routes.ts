/** Tells a caller who they are and what they may do: what a console or a client generator reads. */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { type EntityRights, isHidden, type Permissions } from '../auth/permissions.ts'
import type { Pool } from '../database/pool.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { fullAccess } from '../query/access.ts'
import { readRecord } from '../records/read-records.ts'

type DefinitionParts = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  readonly timeZone: string
}

/** Mounts /api/me, /api/entities and /api/entities/:key. */
export const definitionRoutes =
  (parts: DefinitionParts): Routes =>
  (server) => {
    server.get('/api/me', async (request) => {
      const caller = await parts.authenticate(request)
      readQuery(request.query, {})
      const entity = getEntity(parts.catalog, 'user')
      const { catalog, timeZone } = parts
      const reading = {
        catalog,
        entity,
        access: fullAccess,
        scope: 'all',
        timeZone,
        include: [],
      } as const
      const { json } = await readRecord(parts.pool, reading, caller.userId)
      return {
        ...JSON.parse(json),
        role: caller.roleKey,
        permissions: permissionsOf(parts, caller),
      }
    })
    server.get('/api/entities', async (request) => {
      const caller = await parts.authenticate(request)
      readQuery(request.query, {})
      return {
        data: visibleEntities(parts, caller).map((entity) => describe(parts, caller, entity)),
      }
    })
    server.get<{ Params: { entityKey: string } }>('/api/entities/:entityKey', async (request) => {
      const caller = await parts.authenticate(request)
      readQuery(request.query, {})
      // What a caller may not touch at all is as good as not there, and is not suggested either.
      const entities = new Map(visibleEntities(parts, caller).map((one) => [one.key, one]))
      const entity = getEntity({ ...parts.catalog, entities }, request.params.entityKey)
      return describe(parts, caller, entity)
    })
  }

const visibleEntities = ({ catalog, permissions }: DefinitionParts, caller: Caller) =>
  [...catalog.entities.values()].filter((entity) => {
    const { create, scopes, actions } = permissions.rightsOf(caller, entity)
    return create || actions.size > 0 || Object.values(scopes).some((scope) => scope !== false)
  })

const permissionsOf = (parts: DefinitionParts, caller: Caller) =>
  Object.fromEntries(
    visibleEntities(parts, caller).map((entity) => [
      entity.key,
      printRights(parts.permissions.rightsOf(caller, entity)),
    ]),
  )

const printRights = ({ create, scopes, actions, hiddenFields }: EntityRights) => ({
  create,
  ...scopes,
  actions: [...actions],
  hiddenFields: [...hiddenFields],
})

/** The definition with the fields that the caller may see, and what they may do. */
const describe = ({ catalog, permissions }: DefinitionParts, caller: Caller, entity: Entity) => {
  const rights = permissions.rightsOf(caller, entity)
  const { definition } = entity
  return {
    key: entity.key,
    name: entity.name,
    description: definition.description ?? null,
    isNative: entity.isNative,
    displayField: definition.displayField ?? 'id',
    ownership: entity.hasOwner,
    fields: [
      ...entity.columns
        .filter((column) => !isHidden(rights, column))
        .map((column) => ({ ...column.field, column: column.name, isSystem: column.isSystem })),
      ...[...entity.oneToMany.values()]
        .filter(
          (field) => !rights.hiddenFields.has(field.key) && catalog.entities.has(field.entity),
        )
        .map((field) => ({ ...field, column: null, isSystem: false })),
    ],
    workflow: visibleWorkflow(entity, rights),
    permissions: printRights(rights),
  }
}

/** All steps and actions, for who may take them stands in the rights; forms without hidden fields. */
const visibleWorkflow = ({ columns, definition }: Entity, rights: EntityRights) => {
  const { workflow } = definition
  if (!workflow) return null
  const hidden = columns.filter((column) => isHidden(rights, column))
  const isVisible = (key: string) => !hidden.some(({ field }) => field.key === key)
  const forms = workflow.forms?.map((form) => ({
    ...form,
    fields: form.fields.filter(isVisible),
    ...(form.required && { required: form.required.filter(isVisible) }),
  }))
  return { ...workflow, ...(forms && { forms }) }
}
