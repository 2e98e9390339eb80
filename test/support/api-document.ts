/** The OpenAPI document as tests need it: operations, and whether a response is documented. */
import { Compile } from 'typebox/schema'

export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly format?: string
}

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

type Media = {
  readonly schema?: Schema
  readonly examples?: Readonly<Record<string, { value?: unknown }>>
}
type Content = Readonly<Record<string, Media>>
type Response = { readonly $ref?: string; readonly content?: Content }

export type Operation = {
  readonly method: string
  /** Such as `/order/{entityId}`. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly schema: Schema; readonly examples: readonly unknown[] } | undefined
  readonly bodyIsRequired: boolean
  readonly responses: Readonly<Record<string, Response>>
}

type OperationDocument = {
  readonly parameters?: readonly (Parameter & { $ref?: string })[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

export type ApiDocument = {
  readonly operations: readonly Operation[]
  /** Resolves a `$ref`. */
  readonly resolve: (schema: Schema) => Schema
  /** Describes what is not documented about a response; undefined for a documented one. */
  readonly undocumented: (operation: Operation, answer: Answer) => string | undefined
}

type Answer = { readonly status: number; readonly type: string; readonly text: string }

// Of OpenAPI 3.1. A schema that does not name its draft may be of an old one, in which each reference is looked for in the whole document.
const draft = 'https://json-schema.org/draft/2020-12/schema'

/** A validator of a schema that refers to those of a document. */
export const compileWithin = ({ components }: { readonly components: object }, schema: Schema) =>
  Compile({ $schema: draft, ...schema, components } as object)

const json = /^application\/(problem\+)?json/

/** Parses an OpenAPI document. */
export const readApiDocument = (text: string): ApiDocument => {
  const document = JSON.parse(text) as {
    paths: Record<string, Record<string, OperationDocument>>
    components: Record<string, Record<string, unknown>>
  }
  const follow = <T extends { $ref?: string }>(value: T): T => {
    if (value.$ref === undefined) return value
    const names = value.$ref.slice(2).split('/')
    const found = names.reduce<unknown>(
      (at, name) => (at as Record<string, unknown>)[name.replaceAll('~1', '/')],
      document,
    )
    return follow(found as T)
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => read(method, path, described, follow)),
  )
  const compiled = new Map<Schema, ReturnType<typeof Compile>>()
  const check = (schema: Schema, value: unknown): string | undefined => {
    const validator = compiled.get(schema) ?? compileWithin(document, schema)
    compiled.set(schema, validator)
    if (validator.Check(value)) return undefined
    const [, errors] = validator.Errors(value)
    return errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
  }
  return {
    operations,
    resolve: follow,
    undocumented: ({ responses }, { status, type, text: body }) => {
      const response = responses[status]
      if (!response) return `the status ${status}`
      const { content } = follow(response)
      const media = Object.entries(content ?? {}).find(
        ([name]) => name === '*/*' || type.startsWith(name),
      )?.[1]
      if (body === '') return undefined
      if (!media) return `${status} with the type ${type}`
      if (!json.test(type) || !media.schema) return undefined
      const issues = check(media.schema, JSON.parse(body))
      return issues === undefined
        ? undefined
        : `${status} with a body that violates its schema: ${issues.slice(0, 300)}`
    },
  }
}

const read = (
  method: string,
  path: string,
  { parameters = [], requestBody, responses }: OperationDocument,
  follow: <T extends { $ref?: string }>(value: T) => T,
): Operation => {
  const media = requestBody?.content['application/json']
  const examples = Object.values(media?.examples ?? {}).map(({ value }) => value)
  return {
    method: method.toUpperCase(),
    path,
    responses,
    parameters: parameters.map(follow),
    body: media?.schema && { schema: media.schema, examples },
    bodyIsRequired: requestBody?.required === true,
  }
}
