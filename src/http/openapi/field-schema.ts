/** The JSON Schema of one column: in responses, and in bodies. */
import type { Column } from '../../definitions/catalog.ts'
import { isRequired } from '../../definitions/values/field-defaults.ts'
import { type JsonSchema, plainText } from './operation.ts'

/** The value in a response; null unless the field is required. */
export const answeredSchema = (column: Column): JsonSchema => ({
  ...describedSchema(column, column.type.jsonSchema),
  ...((column.isCalculated ||
    column.series ||
    column.writtenBy.length > 0 ||
    column.isReadOnly) && {
    readOnly: true,
  }),
})

/**
 * The value in a body; only a create applies defaults. They are described in words, because client
 * generators treat fields with `default` as required.
 */
export const writtenSchema = (column: Column, body: 'create' | 'change'): JsonSchema => {
  const { description, ...schema } = describedSchema(column, {
    ...(column.type.writtenSchema ?? column.type.jsonSchema),
    ...stricter(column),
  })
  const value = body === 'create' ? defaultOf(column) : undefined
  const sentences = [description, value !== undefined && `\`${JSON.stringify(value)}\` by default.`]
  const text = sentences.filter(Boolean).join(' ')
  return { ...(text && { description: text }), ...schema }
}

/** The value of a create if the body has none. */
export const defaultOf = ({ field, isSystem }: Column): unknown =>
  isSystem ? undefined : ((field as { default?: unknown }).default ?? undefined)

// A required text must not be empty, unless its default is, and none is longer than its limit; older stored
// values may be.
const stricter = ({ type: { maxLength, refusesEmpty } }: Column): JsonSchema =>
  maxLength === undefined ? {} : { ...(refusesEmpty && { minLength: 1 }), maxLength }

const describedSchema = (column: Column, base: JsonSchema): JsonSchema => {
  const { description: ofType, ...schema } =
    isRequired(column) && !column.isShownInPart ? base : orNull(base)
  const description = [...builtInTexts(column), ofType].filter(Boolean).join(' ')
  return {
    ...(column.field.name && { title: column.field.name }),
    ...(description && { description }),
    ...schema,
  }
}

const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: words, oneOf } = schema
  return {
    ...schema,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(Array.isArray(words) && { enum: [...words, null] }),
    ...(Array.isArray(oneOf) && { oneOf: [...oneOf, { type: 'null' }] }),
  }
}

/** Rules that JSON Schema cannot express, for people. */
const builtInTexts = ({ field, type, target }: Column): string[] => {
  const sentences = [plainText(field.description ?? '')]
  if (field.type === 'manyToOne')
    sentences.push(
      target ? `Id of a record of \`${target}\`.` : 'Id of a record that you may not read.',
    )
  if ('unique' in field && field.unique)
    sentences.push(
      field.unique === 'ignoreCase'
        ? 'No two records share a value, whatever its case.'
        : 'No two records share a value.',
    )
  return [...sentences, ...type.notes].filter(Boolean)
}
