/**
 * How a feature describes its paths for the OpenAPI document: rows of plain data, one per operation,
 * to stand beside the routes that they describe.
 */
import type { Catalog } from '../definitions/catalog.ts'
import type { ErrorCode } from '../error-kinds.ts'

/** A JSON Schema (draft 2020-12); `$ref` names `#/components/schemas/…`. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly schema: JsonSchema
  readonly required?: boolean
  /** Several values in one, separated by commas. */
  readonly style?: 'form'
  readonly explode?: false
}

export type Example = { readonly summary?: string; readonly value: unknown }

export type Media = {
  readonly schema: JsonSchema
  readonly examples?: Readonly<Record<string, Example>>
}

export type Answer = {
  readonly description: string
  /** Names of headers that a feature describes under `headers`. */
  readonly headers?: readonly string[]
  /** By media type; without it the answer has no body. */
  readonly content?: Readonly<Record<string, Media>>
}

/** One method of one path. */
export type DescribedOperation = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Without the base path; placeholders in braces, each one a parameter. */
  readonly path: string
  /** Unique in the document: what a client generator calls the function. */
  readonly id: string
  /** The group it is shown in: an entity's key, or a name with a capital letter. */
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly body?: Media & { readonly isRequired: boolean }
  /** What it answers when nothing is wrong, by status. */
  readonly answers: Readonly<Record<number, Answer>>
  /** What it refuses; the errors of every operation (no token, no database) need not be named. */
  readonly errors: readonly ErrorCode[]
  /** Needs no token. */
  readonly isPublic?: boolean
}

export type Tag = { readonly name: string; readonly description: string }

/** Schemas by name. */
export type Schemas = Readonly<Record<string, JsonSchema>>

/** What one feature adds to the document. */
export type DescribedFeature = {
  readonly tags?: readonly Tag[]
  readonly operations: (catalog: Catalog) => readonly DescribedOperation[]
  /** Schemas that its operations refer to; PascalCase, for snake_case belongs to the entities. */
  readonly schemas?: Schemas
  /** The same of what depends on the project. */
  readonly schemasOf?: (catalog: Catalog) => Schemas
  readonly headers?: Readonly<Record<string, { description: string; schema: JsonSchema }>>
}

/** Refers to a schema of the document. */
export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** A body or an answer of JSON. */
export const jsonContent = (schema: JsonSchema, examples?: Media['examples']) => ({
  'application/json': { schema, ...(examples && { examples }) },
})

/** Text of a definition inside a description, which is Markdown: `<key>` is no tag of HTML. */
export const plainText = (text: string): string => text.replaceAll('<', '\\<')
