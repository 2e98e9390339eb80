/** The schemas of an entity: its record in responses, and the bodies of a create and a change. */
import {
  type Catalog,
  type Column,
  type Entity,
  writableColumns,
} from '../../definitions/catalog.ts'
import { maxLines, writtenLists } from '../../definitions/lines.ts'
import { isFollowing, isPartOfRecord } from '../../definitions/native-entities.ts'
import { isRequired } from '../../definitions/values/field-defaults.ts'
import { distinctName } from './distinct-names.ts'
import { answeredExampleOf, exampleOf } from './example-value.ts'
import { answeredSchema, defaultOf, writtenSchema } from './field-schema.ts'
import { type JsonSchema, plainText, schemaRef } from './operation.ts'

/** The names of the schemas of an entity. */
export const schemaNames = ({ entities }: Catalog, { key }: Entity) => {
  // An entity may have the name of another one's body.
  const free = (body: string) => distinctName(`${key}_${body}`, entities.keys())
  return { record: key, create: free('create'), change: free('change') }
}

/** `<key>`, `<key>_create` and `<key>_change`, by name. */
export const entitySchemas = (catalog: Catalog, entity: Entity): Record<string, JsonSchema> => {
  const names = schemaNames(catalog, entity)
  return {
    [names.record]: recordSchema(catalog, entity),
    [names.create]: createSchema(catalog, entity),
    [names.change]: changeSchema(catalog, entity),
  }
}

const recordSchema = (catalog: Catalog, entity: Entity): JsonSchema => {
  const answered = entity.columns.map((column) => [column.name, answeredSchema(column)] as const)
  const expanded = [...entity.associations.values()].flatMap((column) =>
    column.target !== undefined && catalog.entities.has(column.target)
      ? [
          [
            column.field.key.replace(/^_/, ''),
            expandedSchema(entity, column, column.target),
          ] as const,
        ]
      : [],
  )
  const { description } = entity.definition
  return {
    type: 'object',
    title: entity.name,
    ...(description && { description: plainText(description) }),
    properties: Object.fromEntries([...answered, ...expanded]),
    required: entity.columns
      .filter((column) => !isHiddenFromSome(catalog, entity, column))
      .map(({ name }) => name),
    ...exampled(recordExample(entity)),
  }
}

const expandedSchema = (entity: Entity, { field }: Column, target: string): JsonSchema => {
  // Tasks of a record always contain who changed them.
  const isUpdater = isPartOfRecord(entity) && field.key === '_updated_by'
  return {
    description: `With \`include=${field.key}\`; null if there is no record that the caller may read.`,
    anyOf: [
      schemaRef(target),
      ...(isUpdater ? [schemaRef('UserRecord')] : []),
      // Anyone who may not read a user reads the name.
      ...(target === 'user' ? [schemaRef('Person')] : []),
      { type: 'null' },
    ],
  }
}

/** A hidden field is omitted from responses. */
const isHiddenFromSome = ({ roles }: Catalog, { key }: Entity, { name, field }: Column) =>
  [...roles.values()].some(({ permissions }) => {
    const hidden = (permissions[key] ?? permissions['*'])?.hiddenFields ?? []
    return hidden.includes(name) || hidden.includes(field.key)
  })

const createSchema = (catalog: Catalog, entity: Entity): JsonSchema => {
  const columns = writableColumns(entity)
  return {
    title: `New ${entity.name.toLowerCase()}`,
    ...newSchema(entity, columns, linesSchemas(catalog, entity, 'create')),
    ...exampled(writtenExample(entity, columns)),
  }
}

const newSchema = (
  entity: Entity,
  columns: readonly Column[],
  lines: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => {
  const required = columns.filter(
    (column) =>
      isRequired(column) &&
      defaultOf(column) === undefined &&
      !isFollowing(entity.key, column.name),
  )
  return {
    type: 'object',
    properties: { ...propertiesOf(columns, 'create'), ...lines },
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    additionalProperties: false,
  }
}

/** What a create or a change writes of the records of one-to-many fields, by field. */
const linesSchemas = (catalog: Catalog, entity: Entity, body: 'create' | 'change') =>
  Object.fromEntries(
    writtenLists(catalog, entity).map(({ field, target, link }) => {
      const columns = writableColumns(target).filter(({ name }) => name !== link.name)
      const arrayOf = (items: JsonSchema): JsonSchema => ({
        type: 'array',
        items,
        maxItems: maxLines,
      })
      const properties: Readonly<Record<string, JsonSchema>> = {
        create: arrayOf(newSchema(target, columns)),
        ...(body === 'change' && {
          change: arrayOf(knownOf(propertiesOf(columns, 'change'))),
          remove: arrayOf(knownOf({})),
        }),
      }
      const description = `What to write of its ${(field.name ?? field.key).toLowerCase()}, with it or not at all; ${maxLines} records in all.`
      return [
        field.key,
        { type: 'object', description, properties, additionalProperties: false } as JsonSchema,
      ]
    }),
  )

const knownOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 1, maximum: 2147483647 },
    _version: { type: 'integer', minimum: 1, description: 'The version that you have read.' },
    ...properties,
  },
  required: ['id'],
  additionalProperties: false,
})

/** A record that exists, as it is named in a body that changes or removes several. */
export const knownSchema = (entity: Entity, operation: 'change' | 'remove'): JsonSchema =>
  knownOf(operation === 'change' ? propertiesOf(writableColumns(entity), 'change') : {})

/** The fields of a change, and in the body of one record its lines. */
export const changeSchema = (catalog: Catalog | undefined, entity: Entity): JsonSchema => {
  const columns = writableColumns(entity)
  const plain = columns.filter(({ target, type }) => target === undefined && !type.isStructured)
  const changed = plain.filter(({ field }) => !('unique' in field && field.unique))
  return {
    type: 'object',
    title: `Change of ${entity.name.toLowerCase()}`,
    description: 'The fields to change; the others stay as they are.',
    properties: {
      ...propertiesOf(columns, 'change'),
      ...(catalog && linesSchemas(catalog, entity, 'change')),
    },
    minProperties: 1,
    additionalProperties: false,
    ...exampled(writtenExample(entity, (changed.length > 0 ? changed : columns).slice(0, 2))),
  }
}

const propertiesOf = (columns: readonly Column[], body: 'create' | 'change') =>
  Object.fromEntries(columns.map((column) => [column.name, writtenSchema(column, body)]))

/** An example record; undefined if a required field has no example. */
const recordExample = (entity: Entity): Readonly<Record<string, unknown>> | undefined =>
  exampleOfColumns(entity, entity.columns, answeredExampleOf)

const writtenExample = (entity: Entity, columns: readonly Column[]) => {
  const example = exampleOfColumns(entity, columns, exampleOf)
  const given = Object.entries(example ?? {}).filter(([, value]) => value !== null)
  return given.length > 0 ? Object.fromEntries(given) : undefined
}

const exampleOfColumns = (
  entity: Entity,
  columns: readonly Column[],
  exampleFor: typeof exampleOf,
) => {
  const cells = columns.map((column) => {
    const value = exampleFor(entity, column)
    return [column.name, value === undefined && !isRequired(column) ? null : value] as const
  })
  return cells.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(cells)
}

const exampled = (example: unknown): JsonSchema =>
  example === undefined ? {} : { examples: [example] }
