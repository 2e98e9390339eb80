/** The catalog in another language: the same keys, columns and rights, with the texts of a translation. */
import { type Catalog, createEntity, type Entity, systemNames } from '../catalog.ts'
import type { FieldDefinition } from '../field-types.ts'
import type { EntityDefinition, WorkflowDefinition } from '../schemas/entity-definition.ts'
import type { RoleDefinition } from '../schemas/role-definition.ts'
import type {
  EntityTranslation,
  FieldTranslation,
  RoleTranslation,
  Translation,
} from '../schemas/translation.ts'
import { ownHeaders } from './translatable-texts.ts'

type Names = Readonly<Record<string, string>> | undefined

/** What a translation has of a key; a value of an enum may be named like a property of every object. */
const own = <T>(texts: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  texts && Object.hasOwn(texts, key) ? texts[key] : undefined

const nameOf = (names: Names, key: string): { readonly name?: string } => {
  const name = own(names, key)
  return name === undefined ? {} : { name }
}

const messageOf = (messages: Names, key: string): { readonly message?: string } => {
  const message = own(messages, key)
  return message === undefined ? {} : { message }
}

/** The properties that are there. */
const defined = <T extends object>(properties: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value !== undefined),
  ) as Partial<T>

/** The catalog with the texts of a translation; what it lacks stays as it is. */
export const translateCatalog = (catalog: Catalog, translation: Translation): Catalog => {
  const { entities, systemFields, roles } = translation
  const names = new Map([...systemNames, ...Object.entries(systemFields ?? {})])
  const translated = [...catalog.entities].map(([key, entity]) => {
    const definition = translateDefinition(catalog, entity, own(entities, key) ?? {})
    return [key, createEntity(definition, entity.isNative, names)] as const
  })
  return {
    ...catalog,
    entities: new Map(translated),
    roles: new Map(
      [...catalog.roles].map(([key, role]): [string, RoleDefinition] => [
        key,
        translateRole(role, own(roles, key)),
      ]),
    ),
  }
}

const translateRole = (
  role: RoleDefinition,
  { messages, ...texts }: RoleTranslation = {},
): RoleDefinition => ({
  ...role,
  ...defined(texts),
  ...(messages && {
    permissions: Object.fromEntries(
      Object.entries(role.permissions).map(([key, permission]) => [
        key,
        permission.messages
          ? { ...permission, messages: { ...permission.messages, ...own(messages, key) } }
          : permission,
      ]),
    ),
  }),
})

const translateDefinition = (
  catalog: Catalog,
  entity: Entity,
  texts: EntityTranslation,
): EntityDefinition => {
  const { name, pluralName, description, fields, columns } = texts
  const { definition } = entity
  const { workflow, exportSettings } = definition
  return {
    ...definition,
    ...defined({ name, pluralName, description }),
    fields: definition.fields.map((field) => translateField(field, own(fields, field.key))),
    ...(definition.validations && {
      validations: definition.validations.map((one) => ({
        ...one,
        message: own(texts.validations, one.key) ?? one.message,
      })),
    }),
    ...(workflow && { workflow: translateWorkflow(workflow, texts) }),
    ...(exportSettings?.columnDefs && {
      exportSettings: {
        ...exportSettings,
        columnDefs: translateHeaders(catalog, entity, columns),
      },
    }),
  }
}

const translateField = (
  field: FieldDefinition,
  { values, ...texts }: FieldTranslation = {},
): FieldDefinition =>
  ({
    ...field,
    ...defined(texts),
    ...(values && field.type === 'enum' && { valueNames: { ...field.valueNames, ...values } }),
  }) as FieldDefinition

const translateWorkflow = (
  workflow: WorkflowDefinition,
  { steps, actions, actionMessages }: EntityTranslation,
): WorkflowDefinition => ({
  ...workflow,
  steps: workflow.steps.map((step) => ({
    ...step,
    ...nameOf(steps, step.key),
    ...(step.actions && {
      actions: step.actions.map((action) => ({
        ...action,
        ...nameOf(actions, action.key),
        ...messageOf(own(actionMessages, step.key), action.key),
      })),
    }),
  })),
})

/** A header that is what its fields are called is left out: they have translations. */
const translateHeaders = (catalog: Catalog, entity: Entity, columns: Names) => {
  const headers = new Set(ownHeaders(catalog, entity))
  return (entity.definition.exportSettings?.columnDefs ?? []).map(({ headerName, ...column }) =>
    headerName !== undefined && headers.has(headerName)
      ? { ...column, headerName: own(columns, headerName) ?? headerName }
      : column,
  )
}
