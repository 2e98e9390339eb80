/** The description of one operation in the OpenAPI document, as plain data, and its builders. */
import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from '../../error-kinds.ts'

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The type of the values that a schema describes: handlers return it, and the console reads it. */
export type ValueOf<S> = S extends { readonly '~kind': string }
  ? Static<S & TSchema>
  : S extends { readonly allOf: infer All }
    ? Intersection<All> & ValueOf<Omit<S, 'allOf'>>
    : S extends { readonly anyOf: readonly (infer One)[] }
      ? ValueOf<One>
      : S extends { readonly enum: readonly (infer Word)[] }
        ? Word
        : S extends { readonly type: infer T }
          ? ValueOfType<T extends readonly (infer One)[] ? One : T, S>
          : unknown

type SimpleTypes = {
  readonly string: string
  readonly integer: number
  readonly number: number
  readonly boolean: boolean
  readonly null: null
}

// Distributes over the types of a value that may have one of several.
type ValueOfType<T, S> = T extends keyof SimpleTypes
  ? SimpleTypes[T]
  : T extends 'array'
    ? S extends { readonly items: infer Item }
      ? readonly ValueOf<Item>[]
      : never
    : T extends 'object'
      ? ObjectValue<S>
      : unknown

type ObjectValue<S> = S extends { readonly properties: infer P }
  ? S extends { readonly required: readonly (infer Key)[] }
    ? Members<P, Extract<keyof P, Key>>
    : Members<P, never>
  : S extends { readonly additionalProperties: infer Value }
    ? Readonly<Record<string, ValueOf<Value>>>
    : object

type Members<P, Required extends keyof P> = Flat<
  { readonly [K in Required]: ValueOf<P[K]> } & {
    readonly [K in Exclude<keyof P, Required>]?: ValueOf<P[K]>
  }
>
type Flat<T> = { [K in keyof T]: T[K] }
type Intersection<All> = All extends readonly [infer First, ...infer Rest]
  ? ValueOf<First> & Intersection<Rest>
  : unknown

export type Example = { readonly summary?: string; readonly value: unknown }
export type Examples = Readonly<Record<string, Example>>

export type Media = { readonly schema: JsonSchema; readonly examples?: Examples }

/** A success response; `T` is the result of its handler, `never` if that sends it itself. */
export type Answer<T = unknown> = {
  readonly description: string
  /** Names of headers that a section describes. */
  readonly headers?: readonly string[]
  /** By media type; without it the response has no body. */
  readonly content?: Readonly<Record<string, Media>>
  /** Only for the type; no response has it. */
  readonly value?: T
}

/** By status. */
export type Answers = Readonly<Record<number, Answer>>

export type OperationParameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly schema: JsonSchema
  readonly required?: boolean
  readonly style?: 'form'
  readonly explode?: false
}

/** One method of one path. */
export type Operation = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Without the base path; placeholders in braces, each one a parameter. */
  readonly path: string
  /** Unique in the document: the name of the function for client generators. */
  readonly id: string
  /** The group of the operation: an entity's key, or a name with a capital letter. */
  readonly tag: string
  readonly summary: string
  readonly description?: string | undefined
  readonly parameters: readonly OperationParameter[]
  readonly body?:
    | (Media & {
        readonly isRequired: boolean
        /** Media types; by default JSON. */
        readonly types?: readonly string[]
      })
    | undefined
  readonly answers: Answers
  /** Its errors, besides those of every operation. */
  readonly errors: readonly ErrorCode[]
  /** Needs no token. */
  readonly isPublic: boolean
}

export type Tag = { readonly name: string; readonly description: string }

/** Schemas by name. */
export type Schemas = Readonly<Record<string, JsonSchema>>

/** Headers of responses by name. */
export type HeaderDescriptions = Readonly<
  Record<string, { readonly description: string; readonly schema: JsonSchema }>
>

const componentNames = new WeakMap<object, string>()

/** Names a schema: the document contains it once, and refers to it everywhere. PascalCase. */
export const component = <const S extends object>(name: string, schema: S): S => {
  componentNames.set(schema, name)
  return schema
}

/** Refers to a schema of the document that is built from the catalog. */
export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** A part of the document with references in place of named schemas, which are added to `named`. */
export const extractComponents = <T>(part: T, named: Record<string, JsonSchema>): T => {
  const visit = (value: unknown, isNamed = false): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((one) => visit(one))
    const name = isNamed ? undefined : componentNames.get(value)
    if (name === undefined)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one)]))
    if (!(name in named)) {
      named[name] = {}
      named[name] = visit(value, true) as JsonSchema
    }
    return schemaRef(name)
  }
  return visit(part) as T
}

/** An object that has all of these properties, unless the options say which. */
export const objectOf = <
  const P extends Schemas,
  const O extends JsonSchema = Record<never, never>,
>(
  properties: P,
  options?: O,
): ObjectSchema<P, NoInfer<O>> => {
  const schema = { type: 'object', properties, required: Object.keys(properties), ...options }
  return schema as unknown as ObjectSchema<P, NoInfer<O>>
}

type ObjectSchema<P, O> = O &
  Omit<
    {
      readonly type: 'object'
      readonly properties: P
      readonly required: readonly (keyof P & string)[]
    },
    keyof O
  >

/** One issue of what was sent (issues.ts). */
export const issueSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'A JSON path, or the name of a parameter.' },
    message: { type: 'string' },
    validation: {
      type: 'string',
      description: 'The key of the validation of the entity that the record does not meet.',
    },
    combination: {
      type: 'array',
      items: { type: 'string' },
      description: 'Columns whose values another record has together; `path` is one of them.',
    },
    code: {
      type: 'string',
      description:
        'The code of the error that it would be alone, where that of all is another one.',
    },
  },
  required: ['path', 'message'],
} as const

/** The schemas of values that many answers have. */
export const textOrNull = { type: ['string', 'null'] } as const
export const time = { type: 'string', format: 'date-time' } as const
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const
export const count = { type: 'integer', minimum: 0 } as const

/** A schema for each of these keys. */
export const schemasBy = <K extends string, const S extends JsonSchema>(
  keys: readonly K[],
  schema: S,
): Readonly<Record<K, S>> => Object.fromEntries(keys.map((key) => [key, schema])) as Record<K, S>

/** A page of items: `{ "data": […] }`. */
export const dataOf = <const S extends JsonSchema>(items: S) =>
  objectOf({ data: { type: 'array', items } })

/** A JSON response, whose schema types the result of its handler. */
export const json = <const S extends JsonSchema | TSchema>(
  description: string,
  schema: S,
  headers?: readonly string[],
): Answer<ValueOf<S>> => ({
  description,
  ...(headers && { headers }),
  content: { 'application/json': { schema: schema as JsonSchema } },
})

/** A response with another media type, which its handler sends itself. */
export const media = (
  description: string,
  type: string,
  { schema = { type: 'string' }, ...rest }: Partial<Media> & Pick<Answer, 'headers'> = {},
): Answer<never> => {
  const { headers, examples } = rest
  const content = { [type]: { schema, ...(examples && { examples }) } }
  return { description, ...(headers && { headers }), content }
}

/** A response without a body. */
export const empty = (description: string, headers?: readonly string[]): Answer<void> => ({
  description,
  ...(headers && { headers }),
})

/** Text of a definition inside a description, which is Markdown: `<key>` is not an HTML tag. */
export const plainText = (text: string): string => text.replaceAll('<', '\\<')
