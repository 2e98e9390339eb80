/** The bodies that endpoints accept: each row reads what was sent and describes itself. */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { shapeCheck } from '../../definitions/checks/shape-findings.ts'
import { kindOf } from '../../definitions/values/check-value.ts'
import { emptyFile, validationError } from '../../errors.ts'
import { addIssue, type Issue, isFull } from '../../issues.ts'
import type { Examples, JsonSchema, Media } from '../openapi/operation.ts'

/** The entity of an operation in the document. */
export type EntityPlace = { readonly entity: Entity; readonly catalog: Catalog }

type Described = Media & { readonly isRequired: boolean; readonly types?: readonly string[] }

export type Body<T = unknown> = {
  /** The value of a body; throws request.invalid with every issue. */
  readonly read: (body: unknown) => T
  /** Its description in the document; nothing if no body is accepted. */
  readonly describe?: (place: EntityPlace | undefined) => Described | undefined
  /** Whatever is sent, of any media type, is read and ignored. */
  readonly isIgnored?: boolean
  /** Whatever is sent, of any media type, is a stream, whose length the handler limits. */
  readonly isStreamed?: boolean
}

/** No body; an empty object counts as none. */
export const noBody: Body<undefined> = {
  read: (body) => {
    if (body === undefined) return
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw validationError('request.invalid', [
        { path: '', message: `must be empty, not ${kindOf(body)}` },
      ])
    const issues: Issue[] = []
    for (const path of Object.keys(body)) {
      if (isFull(issues)) break
      addIssue(issues, { path, message: 'is not accepted here' })
    }
    if (issues.length > 0) throw validationError('request.invalid', issues)
  },
}

/** A body without information for the service, such as the form that mail programs send (RFC 8058, 3.2). */
export const ignoredBody: Body<undefined> = { read: () => undefined, isIgnored: true }

/** A file of one of these media types, as a stream. */
export const fileBody = (types: readonly string[]): Body<Readable> => ({
  isStreamed: true,
  read: (body) => {
    if (body instanceof Readable) return body
    if (body === undefined) throw emptyFile()
    throw validationError('request.invalid', [{ path: '', message: 'must be a file' }])
  },
  describe: () => ({
    schema: { type: 'string', format: 'binary' },
    isRequired: true,
    types,
  }),
})

/** The bytes of a streamed body as the head of its request says it; 0 if that does not. */
export const lengthOf = ({ headers }: Pick<FastifyRequest, 'headers'>): number =>
  Number(headers['content-length'] ?? 0)

/** A body with a fixed shape, the same for all entities. */
export const checkedBody = <S extends TSchema>(schema: S, examples?: Examples): Body<Static<S>> => {
  const check = shapeCheck(schema)
  const withoutNulls = nullRemover(schema)
  const described = {
    schema: schema as JsonSchema,
    ...(examples && { examples }),
    isRequired: true,
  }
  return {
    describe: () => described,
    read: (body) => {
      const issues: Issue[] = []
      const given = withoutNulls(body)
      for (const { path, message, missing } of check(given)) {
        const at = pathText(missing === undefined ? path : [...path, missing])
        addIssue(issues, { path: at, message: missing === undefined ? message : 'is required' })
      }
      if (issues.length > 0) throw validationError('request.invalid', issues)
      return given as Static<S>
    },
  }
}

type ObjectSchema = {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[]
}

// Many clients send null where they have no value: a property that may be absent and is never null then counts as
// absent.
const nullRemover = (schema: TSchema): ((body: unknown) => unknown) => {
  const { properties = {}, required = [] } = schema as ObjectSchema
  const mayBeAbsent = Object.entries(properties).filter(([name]) => !required.includes(name))
  const checks = new Map(mayBeAbsent.map(([name, property]) => [name, shapeCheck(property)]))
  const isNone = ([name, value]: [string, unknown]) =>
    value === null && (checks.get(name)?.(null).length ?? 0) > 0
  return (body) =>
    typeof body !== 'object' || body === null || Array.isArray(body)
      ? body
      : Object.fromEntries(Object.entries(body).filter((entry) => !isNone(entry)))
}

/** A body that depends on definitions: the handler parses what was sent. */
export const parsedBody = (
  describe: (place: EntityPlace) => Media,
  { isRequired = true } = {},
): Body => ({
  read: (body) => body,
  describe: (place) => place && { ...describe(place), isRequired },
})

const pathText = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`,
    '',
  )
