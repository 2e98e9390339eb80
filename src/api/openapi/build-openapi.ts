/** Builds the OpenAPI 3.1 document: the catalog's entities and the described paths of each feature. */
import { cookieName } from '../../auth/sessions/cookies.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { type ErrorCode, errorKinds } from '../../error-kinds.ts'
import type { ApiSection } from '../../http/endpoint/endpoint.ts'
import {
  distinctName,
  renamedSchemas,
  usedSchemas,
  withNewNames,
} from '../../http/openapi/distinct-names.ts'
import { entitySchemas } from '../../http/openapi/entity-schemas.ts'
import {
  type Answer,
  extractComponents,
  issueSchema,
  type JsonSchema,
  type Operation,
  plainText,
  type Tag,
} from '../../http/openapi/operation.ts'
import { packageVersion } from '../../package-version.ts'

/** The parts of a section for the document; what its endpoints need to run does not matter. */
export type DescribedSection = ApiSection<never>

type Options = {
  readonly catalog: Catalog
  readonly basePath: string
  /** Without it clients use the address that they loaded the document from. */
  readonly publicUrl?: string | undefined
  readonly projectName: string
  readonly sections: readonly DescribedSection[]
  /** Whether its readers may read some records of an entity and not others; by default nobody is so limited. */
  readonly isPartial?: (entityKey: string) => boolean
}

/** The document of a catalog as plain JSON. */
export const buildOpenApi = ({
  catalog,
  basePath,
  publicUrl,
  projectName,
  sections,
  isPartial = () => false,
}: Options): object => {
  const own: Record<string, JsonSchema> = { Problem: problemSchema }
  for (const { schemas } of sections) Object.assign(own, schemas?.(catalog))
  const described = sections.flatMap(({ endpoints }) =>
    endpoints.flatMap((endpoint) => endpoint.describe(catalog)),
  )
  const tags = [...tagsOf(catalog, isPartial), ...sections.flatMap((one) => one.tags ?? [])]
  const byTag = Map.groupBy(described, ({ tag }) => tag)
  const inOrder = tags.flatMap(({ name }) => byTag.get(name) ?? [])
  const operations = extractComponents(withIdsApart(inOrder), own)
  const ofEntities: Record<string, JsonSchema> = {}
  for (const entity of catalog.entities.values())
    Object.assign(ofEntities, entitySchemas(catalog, entity))
  const names = renamedSchemas(own, ofEntities)
  const renamed = Object.entries(own).map(([name, schema]) => [names.get(name) ?? name, schema])
  const schemas = withNewNames({ ...ofEntities, ...Object.fromEntries(renamed) }, names)
  const paths = withNewNames(pathsOf(operations), names)
  const components = withNewNames(componentsOf(sections, operations, publicUrl), names)
  return {
    openapi: '3.1.0',
    info: { title: `${projectName} API`, version: packageVersion(), description: introduction },
    servers: [{ url: publicUrl ?? (basePath === '' ? '/' : basePath) }],
    security: [{ bearer: [] }, { cookie: [] }],
    tags,
    paths,
    components: { ...components, schemas: usedSchemas(schemas, { paths, components }) },
  }
}

/** The service's own operations are renamed if an entity of the project has the same name. */
const withIdsApart = (operations: readonly Operation[]): readonly Operation[] => {
  // Ids of an entity's operations are a verb, an underscore and its key.
  const ofEntities = operations.map(({ id }) => id).filter((id) => id.includes('_'))
  return operations.map((operation) =>
    operation.id.includes('_')
      ? operation
      : { ...operation, id: distinctName(operation.id, ofEntities) },
  )
}

const introduction = `Records of business entities: their export, tasks, workflow, documents and history, and who is notified of what.

- **Who you are**: \`Authorization: Bearer\` with a token of the identity provider or an API key. What you may do depends on your role; fields that it hides are left out of every answer.
- **Errors** are \`application/problem+json\` with a \`code\`, a \`hint\` and, for bad input, every issue under \`errors\`. Unknown properties and parameters are refused, never dropped. A slash at the end of a path changes nothing.
- **Times** are ISO 8601 in UTC; \`YYYY-MM-DD HH:MM:SS\` in a request is read in the time zone of the service. Decimal numbers travel as strings, so that no digit is lost.
- **Concurrent changes**: send the \`ETag\` that you read as \`If-Match\`, and a stale write is a 412. **Retries**: send an \`Idempotency-Key\` with a create.
- **Your own writes**: where replicas answer reads, the answer to a write has a \`Docket-Position\`; send it with a read, and you read that write, whichever process answers.`

const partial =
  'You may read some of these records alone: here and wherever paths lead to them, all others count as missing.'

/** The project's own entities first: they are what readers look for. */
const tagsOf = ({ entities }: Catalog, isPartial: NonNullable<Options['isPartial']>): Tag[] => {
  const all = [...entities.values()]
  const tag = ({ key, name, definition }: Entity): Tag => ({
    name: key,
    description: plainText(
      [
        [name, definition.description].filter(Boolean).join(': '),
        ...(isPartial(key) ? [partial] : []),
      ].join('\n\n'),
    ),
  })
  return [...all.filter((one) => !one.isNative), ...all.filter((one) => one.isNative)].map(tag)
}

const pathsOf = (operations: readonly Operation[]) => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = paths[operation.path] ?? {}
    path[operation.method] = describeOperation(operation)
    paths[operation.path] = path
  }
  return paths
}

const describeOperation = (operation: Operation) => {
  const { id, tag, summary, description, parameters, body, answers, isPublic } = operation
  const { isRequired, types = ['application/json'], ...media } = body ?? {}
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(isPublic && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: isRequired,
        content: Object.fromEntries(types.map((type) => [type, media])),
      },
    }),
    responses: {
      ...Object.fromEntries(
        errorResponses(operation).map(({ status, name }) => [
          status,
          { $ref: `#/components/responses/${name}` },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)]),
      ),
    },
  }
}

const describeAnswer = ({ description, headers = [], content }: Answer) => ({
  description,
  headers: Object.fromEntries(
    [...headers, 'X-Request-Id'].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  ...(content && { content }),
})

const componentsOf = (
  sections: readonly DescribedSection[],
  operations: readonly Operation[],
  publicUrl: string | undefined,
) => {
  const refused = operations.flatMap(errorResponses)
  return {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT or API key',
        description: 'A token of the identity provider, or an API key of a machine.',
      },
      cookie: {
        type: 'apiKey',
        in: 'cookie',
        name: cookieName(publicUrl),
        description:
          'The session of a browser. It counts only in requests of pages of this service, and without the header Authorization.',
      },
    },
    responses: Object.fromEntries(refused.map((issue) => [issue.name, describeErrors(issue)])),
    headers: Object.assign(
      {
        'X-Request-Id': {
          description: 'Identifies the request in the log; an id that you send is kept.',
          schema: { type: 'string' },
        },
        ...errorHeaders,
      },
      ...sections.map((one) => one.headers),
    ),
    examples: errorExamples,
  }
}

// Error responses, from the one list of error codes: one response per status and set of codes.

/** RFC 9457, as src/http/error-reply.ts prints it. */
const problemSchema: JsonSchema = {
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
      items: issueSchema,
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

const errorHeaders = {
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
const errorResponses = (operation: Operation): ErrorResponse[] => {
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
const describeErrors = ({ status, codes }: ErrorResponse): JsonSchema => {
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
const errorExamples = Object.fromEntries(
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
