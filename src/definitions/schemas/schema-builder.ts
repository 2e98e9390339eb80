/**
 * Replacements for TypeBox's schema builders, with its types: they return the same plain JSON Schema.
 * Loading TypeBox's own 370 files would delay every command.
 */
import type * as TypeBox from 'typebox'
import type { TSchema } from 'typebox'

type Options = Readonly<Record<string, unknown>>
type Properties = Readonly<Record<string, TSchema>>

// Marks a property as optional for the enclosing object; not part of the published schema.
const optional = Symbol('optional')
const isOptional = (schema: object) => optional in schema

const plain =
  (type: string) =>
  (options?: Options): object => ({ type, ...options })

const object = (properties: Properties, options?: Options) => {
  const required = Object.keys(properties).filter((key) => !isOptional(properties[key] ?? {}))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

const builders = {
  String: plain('string'),
  Integer: plain('integer'),
  Boolean: plain('boolean'),
  Null: plain('null'),
  Unknown: (options?: Options) => ({ ...options }),
  Literal: (word: string, options?: Options) => ({ type: 'string', const: word, ...options }),
  Enum: (words: readonly string[], options?: Options) => ({ enum: words, ...options }),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Object: object,
  Record: (_key: TSchema, value: TSchema, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, optional, { value: true }),
}

/** Typed as in TypeBox, so that `Static` infers the TypeScript type of a schema. */
export const Type = builders as unknown as Pick<typeof TypeBox.Type, keyof typeof builders>

/** The option of an object that has no properties besides those of its schema. */
export const closed = { additionalProperties: false } as const
