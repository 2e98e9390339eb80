/**
 * The catalog as one role may know it: without hidden fields and without entities for which it has no
 * permission, and with a mark at the fields that it may not write.
 */
import { type Person, roleKeysOf } from '../auth/caller.ts'
import { type EntityRights, isHidden, isReadOnly } from '../auth/entity-rights.ts'
import type { Permissions } from '../auth/permissions.ts'
import { resolvePath } from '../definitions/association-path.ts'
import { type Catalog, type Column, type Entity, getEntity } from '../definitions/catalog.ts'
import type {
  EntityDefinition,
  WorkflowDefinition,
} from '../definitions/schemas/entity-definition.ts'
import { isExcepted } from '../definitions/step-locks.ts'

/** Native entities are always included: they are the same in every project. */
export const visibleCatalog = (
  catalog: Catalog,
  permissions: Permissions,
  roleKey: string,
): Catalog => {
  const role = { userId: 0, roleKey }
  const kept = [...catalog.entities.values()].filter(
    (entity) => entity.isNative || permissions.touches(role, entity),
  )
  const keys = new Set(kept.map(({ key }) => key))
  const entities = kept.map((entity) => {
    const scope = permissions.scopeOf(role, 'read', entity)
    const shown = typeof scope === 'string' ? undefined : scope.shown
    const isInPart = ({ name }: Column) => shown?.has(name) === true
    const rights = permissions.rightsOf(role, entity)
    return [entity.key, cut(entity, { role, rights, isInPart }, keys)] as const
  })
  const cutCatalog = { ...catalog, entities: new Map(entities) }
  const withExports = entities.map(([key, entity]) => {
    const { exportSettings } = getEntity(catalog, key).definition
    return [key, withVisibleExport(cutCatalog, entity, exportSettings)] as const
  })
  return { ...cutCatalog, entities: new Map(withExports) }
}

/** With the columns of the export whose whole paths may be known. */
const withVisibleExport = (
  catalog: Catalog,
  entity: Entity,
  settings: EntityDefinition['exportSettings'],
): Entity => {
  if (!settings) return entity
  const columnDefs = settings.columnDefs?.filter(
    ({ field }) => !('message' in resolvePath(catalog, entity, field)),
  )
  const exportSettings = { ...settings, ...(columnDefs && { columnDefs }) }
  return { ...entity, definition: { ...entity.definition, exportSettings } }
}

type Seen = {
  readonly role: Person
  readonly rights: EntityRights
  /** Whether not every role of the user shows the column. */
  readonly isInPart: (column: Column) => boolean
}

const cut = (
  entity: Entity,
  { role, rights, isInPart }: Seen,
  entityKeys: ReadonlySet<string>,
): Entity => {
  const maySee = (column: Column) => !isHidden(rights, column)
  const maySeeKey = (key: string) => !rights.hiddenFields.has(key)
  const ofRole = (column: Column): Column => ({
    ...column,
    ...(isReadOnly(rights, column) && { isReadOnly: true }),
    ...(isInPart(column) && { isShownInPart: true }),
    target: entityKeys.has(column.target ?? '') ? column.target : undefined,
  })
  const columns = entity.columns.filter(maySee).map(ofRole)
  const oneToMany = [...entity.oneToMany].filter(
    ([key, field]) => maySeeKey(key) && entityKeys.has(field.entity),
  )
  return {
    ...entity,
    definition: cutDefinition(entity.definition, role, maySeeKey),
    columns,
    columnsByName: new Map(columns.map((column) => [column.name, column])),
    associations: new Map(
      [...entity.associations]
        .filter(([, column]) => maySee(column))
        .map(([key, column]) => [key, ofRole(column)]),
    ),
    oneToMany: new Map(oneToMany),
  }
}

/** A step whose conditions, which may name hidden fields, are left out with their messages. */
export const withoutConditions = <S extends WorkflowDefinition['steps'][number]>(step: S): S => ({
  ...step,
  ...(step.actions && {
    actions: step.actions.map(
      ({ condition: _condition, message: _message, notBy: _notBy, set: _set, ...action }) => action,
    ),
  }),
})

/** A step with the locks that hold for a user, without fields that it may not see. */
export const withLocksFor = <S extends WorkflowDefinition['steps'][number]>(
  { locks, ...step }: S,
  role: Pick<Person, 'roleKey'>,
  maySeeKey: (key: string) => boolean,
): Omit<S, 'locks'> & Pick<WorkflowDefinition['steps'][number], 'locks'> => {
  if (!locks || isExcepted(locks, roleKeysOf(role))) return step
  const fields = locks.fields === 'all' ? locks.fields : locks.fields.filter(maySeeKey)
  return fields.length === 0 ? step : { ...step, locks: { fields } }
}

type WorkflowForm = NonNullable<WorkflowDefinition['forms']>[number]

/** A form of a workflow without the fields that the role may not see. */
export const withVisibleFields = (
  { fields, required, callerFields, ...form }: WorkflowForm,
  maySeeKey: (key: string) => boolean,
): WorkflowForm => ({
  ...form,
  fields: fields.filter(maySeeKey),
  ...(required && { required: required.filter(maySeeKey) }),
  ...(callerFields && { callerFields: callerFields.filter(maySeeKey) }),
})

/** The parts of the definition that name fields. */
const cutDefinition = (
  { displayField, indexes, exportSettings, validations, workflow, ...definition }: EntityDefinition,
  role: Person,
  maySeeKey: (key: string) => boolean,
): EntityDefinition => {
  const forms = workflow?.forms?.map((form) => withVisibleFields(form, maySeeKey))
  return {
    ...definition,
    fields: definition.fields.filter(({ key }) => maySeeKey(key)),
    ...(displayField !== undefined && maySeeKey(displayField) && { displayField }),
    ...(workflow && {
      workflow: {
        ...workflow,
        steps: workflow.steps.map((step) => withLocksFor(withoutConditions(step), role, maySeeKey)),
        ...(forms && { forms }),
      },
    }),
  }
}
