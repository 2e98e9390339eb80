/** The description of one operation in the OpenAPI document, as plain data, and its builders. */
import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from '../../error-kinds.ts'

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>

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
  readonly body?: (Media & { readonly isRequired: boolean }) | undefined
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
export const component = <S extends object>(name: string, schema: S): S => {
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

/** An object that has all of these properties. */
export const objectOf = (properties: Schemas, options: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...options,
})

/** A page of items: `{ "data": […] }`. */
export const dataOf = (items: JsonSchema): JsonSchema =>
  objectOf({ data: { type: 'array', items } })

/** A JSON body. */
const jsonContent = (schema: JsonSchema, examples?: Examples) => ({
  'application/json': { schema, ...(examples && { examples }) },
})

/** A JSON response; a TypeBox schema types the result of its handler. */
export const json = <S extends JsonSchema | TSchema>(
  description: string,
  schema: S,
  headers?: readonly string[],
): Answer<S extends TSchema ? Static<S> : unknown> => ({
  description,
  ...(headers && { headers }),
  content: jsonContent(schema as JsonSchema),
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
