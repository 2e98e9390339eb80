/** Checks a JSON value against a schema and returns readable issues with their paths. */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { didYouMean } from '../../did-you-mean.ts'
import { maxIssues } from '../../issues.ts'
import type { JsonPath } from '../source-file.ts'
import { kindOf } from '../values/check-value.ts'

// Every error; the default stops after eight.
Settings.Set({ maxErrors: 1000 })

export type ShapeIssue = {
  readonly path: JsonPath
  readonly message: string
  /** The property that is required and is not there; the path is that of its object. */
  readonly missing?: string
}

type SchemaError = {
  keyword: string
  instancePath: string
  schemaPath: string
  params: Record<string, unknown>
  message: string
}

/** Compiles the check of a schema, which returns every issue of a value. */
export const shapeCheck = (schema: TSchema): ((value: unknown) => ShapeIssue[]) => {
  // Compiled on first use: most commands check few of the schemas, or none.
  let compiled: Validator | undefined
  return (value) => {
    compiled ??= Compile(schema)
    if (compiled.Check(value)) return []
    const overlong = overlongLists(schema as AnySchema, value, [])
    if (overlong.length > 0) return overlong
    const [, errors] = compiled.Errors(value)
    // For a value that is not one of several words, the type issue adds nothing.
    const limited = errors.filter(({ keyword }) => keyword === 'enum' || keyword === 'const')
    const places = new Set(limited.map(({ instancePath }) => instancePath))
    return errors
      .filter(({ keyword, instancePath }) => keyword !== 'type' || !places.has(instancePath))
      .flatMap((error) => issuesOf(error, value, schema))
  }
}

/** Lists that are too long: each entry would have errors of its own, so that those of such a list are not looked at. */
const overlongLists = (schema: AnySchema, value: unknown, path: JsonPath): ShapeIssue[] => {
  if (Array.isArray(value)) {
    const { items, maxItems } = schema
    const error = { keyword: 'maxItems', params: { limit: maxItems }, message: '' }
    if (maxItems !== undefined && value.length > maxItems)
      return [{ path, message: describe(error, value, schema) }]
    return items ? value.flatMap((one, at) => overlongLists(items, one, [...path, at])) : []
  }
  if (typeof value !== 'object' || value === null) return []
  const given = value as Readonly<Record<string, unknown>>
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    Object.hasOwn(given, name) ? overlongLists(one, given[name], [...path, name]) : [],
  )
}

const issuesOf = (error: SchemaError, value: unknown, schema: TSchema): ShapeIssue[] => {
  const path = pointerPath(error.instancePath, value)
  const words = describe(error, valueAt(value, path), schemaAt(schema, path))
  // Of several properties of which one is required, each would be said to be lacking.
  if (error.schemaPath.includes('/oneOf/')) return []
  if (error.keyword === 'required')
    return (error.params.requiredProperties as string[]).map((name) => ({
      path,
      message: `lacks the property "${name}"`,
      missing: name,
    }))
  if (error.keyword === 'additionalProperties')
    return (error.params.additionalProperties as string[]).slice(0, maxIssues + 1).map((name) => ({
      path: [...path, name],
      message: `is not a known property${didYouMean(name, propertiesAt(schema, path))}`,
    }))
  // `additionalProperties: false` also reports each property as a false schema.
  if (error.keyword === 'boolean') return []
  // A union reports each of its branches; one issue is enough.
  if (error.keyword === 'anyOf') return [{ path, message: unionWords(schemaAt(schema, path)) }]
  if (isBranch(error.schemaPath)) return []
  return [{ path, message: words }]
}

const isBranch = (schemaPath: string) => schemaPath.includes('/anyOf/')

const unionWords = (schema: AnySchema | undefined): string =>
  `must be ${(schema?.anyOf ?? [])
    .map((branch) => ('const' in branch ? JSON.stringify(branch.const) : readable(branch.type)))
    .join(' or ')}`

const readable = (type: string | undefined) =>
  type === 'boolean' ? 'true or false' : `${/^[aeiou]/.test(type ?? '') ? 'an' : 'a'} ${type}`

const describe = (
  { keyword, params, message }: Pick<SchemaError, 'keyword' | 'params' | 'message'>,
  given: unknown,
  schema: AnySchema | undefined,
): string => {
  switch (keyword) {
    case 'type':
      return `must be ${readable(String(params.type))}, not ${kindOf(given)}`
    case 'enum':
      return enumIssue(params.allowedValues as unknown[], given)
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'pattern':
      return `must match ${params.pattern}`
    case 'minItems':
      return 'must not be empty'
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'maxItems':
      return `has ${lengthOf(given)} entries, at most ${params.limit} are allowed`
    case 'minLength':
      return 'must not be empty'
    case 'minProperties':
      return 'must not be empty'
    case 'oneOf':
      return choiceIssue(schema, given)
    default:
      return message
  }
}

/** Of the properties of which a value must have one: it has none, or several. */
const choiceIssue = (schema: AnySchema | undefined, value: unknown): string => {
  const names = (schema?.oneOf ?? []).flatMap(({ required = [] }) => required)
  const listed = (which: readonly string[], separator: string) =>
    which.map((name) => JSON.stringify(name)).join(separator)
  const given = names.filter((name) => Object.hasOwn(Object(value), name))
  return given.length === 0
    ? `must have one of ${listed(names, ', ')}`
    : `has ${listed(given, ' and ')}; choose one of ${listed(names, ', ')}`
}

const enumIssue = (words: readonly unknown[], given: unknown): string => {
  const near = typeof given === 'string' ? didYouMean(given, words.map(String)) : ''
  return `must be one of ${words.map((word) => JSON.stringify(word)).join(', ')}${near}`
}

const pointerPath = (pointer: string, value: unknown): JsonPath => {
  let current: unknown = value
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(current) ? Number(name) : name
      current = (current as Record<string | number, unknown> | undefined)?.[step]
      return step
    })
}

const valueAt = (value: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>(
    (current, step) => (current as Record<string | number, unknown> | undefined)?.[step],
    value,
  )

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

type AnySchema = {
  type?: string
  const?: unknown
  anyOf?: AnySchema[]
  properties?: Record<string, AnySchema>
  oneOf?: { required?: string[] }[]
  maxItems?: number
  items?: AnySchema
  patternProperties?: Record<string, AnySchema>
}

const schemaAt = (schema: TSchema, path: JsonPath): AnySchema | undefined =>
  path.reduce<AnySchema | undefined>(
    (current, step) =>
      typeof step === 'number'
        ? current?.items
        : (current?.properties?.[step] ?? Object.values(current?.patternProperties ?? {})[0]),
    schema as AnySchema,
  )

const propertiesAt = (schema: TSchema, path: JsonPath): string[] =>
  Object.keys(schemaAt(schema, path)?.properties ?? {})
