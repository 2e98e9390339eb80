/** Error responses, from the one list of error codes: one response per status and set of codes. */
import { type ErrorCode, errorKinds } from '../../error-kinds.ts'
import type { JsonSchema, Operation } from '../../http/openapi/operation.ts'

/** RFC 9457, as src/http/error-reply.ts prints it. */
export const problemSchema: JsonSchema = {
  type: 'object',
  description: 'An error (RFC 9457): what is wrong and what to do next.',
  properties: {
    type: { type: 'string', format: 'uri', description: '`urn:docket:error:` and the code.' },
    title: { type: 'string', description: 'The same sentence for every occurrence.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong in this case.' },
    code: { type: 'string', enum: Object.keys(errorKinds) },
    hint: { type: 'string', description: 'What to do next.' },
    requestId: { type: 'string', description: 'Finds the request in the log of the service.' },
    errors: {
      type: 'array',
      description: 'Every issue of the request.',
      items: {
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
        },
        required: ['path', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'hint', 'requestId'],
}

/** Headers of error responses, by status. */
const headersByStatus: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  412: 'ETag',
  429: 'Retry-After',
  503: 'Retry-After',
}

export const errorHeaders = {
  'WWW-Authenticate': {
    description: 'The required credentials (RFC 6750).',
    schema: { type: 'string', examples: ['Bearer'] },
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
} as const

type ErrorResponse = {
  readonly status: number
  /** Name under `#/components/responses`. */
  readonly name: string
  readonly codes: readonly ErrorCode[]
}

/** The errors of an operation, with those of every operation. */
export const errorResponses = (operation: Operation): ErrorResponse[] => {
  const codes = new Set([...operation.errors, ...commonErrors(operation)])
  const byStatus = Map.groupBy([...codes].sort(), (code) => errorKinds[code].status)
  return [...byStatus].map(([status, same]) => ({ status, name: same.join('_'), codes: same }))
}

const bodyErrors: readonly ErrorCode[] = [
  'request.malformed-json',
  'request.not-json',
  'request.too-large',
  'request.timeout',
]

const commonErrors = ({ body, isPublic, path }: Operation): ErrorCode[] => [
  'request.failed',
  'request.invalid',
  'request.misdirected',
  'request.too-many',
  ...(isPublic
    ? []
    : ([
        'caller.unauthenticated',
        'request.saturated',
        'request.contended',
        'request.too-slow',
        'database.unavailable',
        'database.changed',
        'issuer.unavailable',
      ] as const)),
  // An entity for which a role has no permission is not shown, not even that it exists.
  ...(isPublic || /^\/(api|console)\//.test(path) ? [] : (['entity.unknown'] as const)),
  ...(body ? bodyErrors : []),
]

/** The response that a status of an operation refers to. */
export const describeErrors = ({ status, codes }: ErrorResponse): JsonSchema => {
  const header = headersByStatus[status]
  return {
    description: [...new Set(codes.map((code) => errorKinds[code].title))].join(' '),
    ...(header && { headers: { [header]: { $ref: `#/components/headers/${header}` } } }),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  }
}

/** One example per error code. */
export const errorExamples = Object.fromEntries(
  Object.entries(errorKinds).map(([code, { status, title, hint }]) => [
    code,
    {
      summary: title,
      value: {
        type: `urn:docket:error:${code}`,
        title,
        status,
        detail: 'What is wrong in this case.',
        code,
        hint,
        requestId: '3f2b8c1e-9d4a-4a56-8e0c-5d1f7a9b2c34',
      },
    },
  ]),
)
