/** Describes the paths of the service itself: the caller, the definitions, these pages, health. */
import { recordRights } from '../../auth/permissions.ts'
import { fieldTypes } from '../../definitions/field-types.ts'
import { entitySchema } from '../../definitions/schemas/entity-definition.ts'
import {
  type DescribedFeature,
  type DescribedOperation,
  type JsonSchema,
  jsonContent,
  type Media,
  schemaRef,
} from '../../http/described-operation.ts'
import { ifNoneMatch } from '../../http/described-parameters.ts'

const text = (type: string): Record<string, Media> => ({ [type]: { schema: { type: 'string' } } })

const definitionRows: readonly DescribedOperation[] = [
  {
    method: 'get',
    path: '/api/me',
    id: 'getMe',
    tag: 'Definitions',
    summary: 'Who the caller is, and what they may do',
    answers: { 200: { description: 'The caller.', content: jsonContent(schemaRef('Me')) } },
    errors: ['request.invalid'],
  },
  {
    method: 'get',
    path: '/api/entities',
    id: 'listEntities',
    tag: 'Definitions',
    summary: 'The definitions, as this caller may see them',
    answers: {
      200: {
        description: 'Every entity that the caller has a right on.',
        content: jsonContent({
          type: 'object',
          properties: { data: { type: 'array', items: schemaRef('EntityDescription') } },
          required: ['data'],
        }),
      },
    },
    errors: ['request.invalid'],
  },
  {
    method: 'get',
    path: '/api/entities/{entityKey}',
    id: 'getEntity',
    tag: 'Definitions',
    summary: 'One definition, as this caller may see it',
    parameters: [
      {
        name: 'entityKey',
        in: 'path',
        required: true,
        description: 'Key of the entity.',
        schema: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
      },
    ],
    answers: {
      200: { description: 'The entity.', content: jsonContent(schemaRef('EntityDescription')) },
    },
    errors: ['entity.unknown'],
  },
]

const path = { type: 'string', format: 'uri-reference' } as const

const serviceRows: readonly DescribedOperation[] = [
  {
    method: 'get',
    path: '/',
    id: 'getRoot',
    tag: 'Service',
    summary: 'What answers here, and where to go',
    isPublic: true,
    answers: {
      200: {
        description: 'As a page where `Accept` names text/html.',
        content: {
          ...jsonContent({
            type: 'object',
            properties: {
              name: { type: 'string' },
              service: { type: 'string' },
              ...{ docs: path, openapi: path, entities: path, health: path },
            },
            required: ['name', 'service', 'docs', 'openapi', 'entities', 'health'],
          }),
          ...text('text/html'),
        },
      },
    },
    errors: ['request.invalid'],
  },
  {
    method: 'get',
    path: '/api/openapi.json',
    id: 'getOpenApi',
    tag: 'Service',
    summary: 'This document',
    description: 'Where the development issuer is used, nobody needs a token for it.',
    parameters: [ifNoneMatch],
    answers: {
      200: {
        description: 'An OpenAPI 3.1 document.',
        headers: ['ETag'],
        content: jsonContent({ type: 'object' }),
      },
      304: { description: 'As it was read before.', headers: ['ETag'] },
    },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/docs',
    id: 'getDocs',
    tag: 'Service',
    summary: 'This document as a page',
    isPublic: true,
    parameters: [ifNoneMatch],
    answers: {
      200: { description: 'The page.', headers: ['ETag'], content: text('text/html') },
      304: { description: 'As it was read before.', headers: ['ETag'] },
    },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/health/live',
    id: 'getLive',
    tag: 'Service',
    summary: 'Whether the process answers',
    isPublic: true,
    answers: {
      200: { description: 'It does.', content: jsonContent(statusSchema('live')) },
    },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/health/ready',
    id: 'getReady',
    tag: 'Service',
    summary: 'Whether the service takes requests',
    isPublic: true,
    answers: {
      200: { description: 'It does.', content: jsonContent(statusSchema('ready')) },
      503: {
        description: 'The database is away, or the service is on its way down.',
        headers: ['Retry-After'],
        content: jsonContent(statusSchema('stopping', 'database unavailable')),
      },
    },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/metrics',
    id: 'getMetrics',
    tag: 'Service',
    summary: 'Metrics for Prometheus',
    isPublic: true,
    answers: { 200: { description: 'All metrics.', content: text('text/plain') } },
    errors: [],
  },
]

function statusSchema(...words: string[]): JsonSchema {
  return {
    type: 'object',
    properties: { status: { type: 'string', enum: words } },
    required: ['status'],
  }
}

const scope: JsonSchema = {
  description: '`own`: the records that the caller created or owns.',
  enum: [true, false, 'own'],
}
const rights: Readonly<Record<string, JsonSchema>> = {
  create: { type: 'boolean' },
  ...Object.fromEntries(recordRights.map((right) => [right, scope])),
  actions: { type: 'array', items: { type: 'string' }, description: 'Keys of workflow actions.' },
}

const fieldSchema: JsonSchema = {
  type: 'object',
  description: 'The field as the definition has it.',
  properties: {
    key: { type: 'string' },
    name: { type: 'string' },
    description: { type: 'string' },
    type: { type: 'string', enum: Object.keys(fieldTypes) },
    required: { type: 'boolean' },
    column: {
      type: ['string', 'null'],
      description: 'Its name in a record: `<key>_id` for a many-to-one, null for a one-to-many.',
    },
    isSystem: { type: 'boolean', description: 'Kept by the service; callers cannot write it.' },
  },
  required: ['key', 'type', 'column', 'isSystem'],
}

// The published schema itself; printed, because TypeBox keeps marks of its own on it.
const workflowSchema: JsonSchema = JSON.parse(JSON.stringify(entitySchema.properties.workflow))

/** /api/me, the definitions, the API page, health and metrics. */
export const serviceFeature: DescribedFeature = {
  tags: [
    {
      name: 'Definitions',
      description: 'The caller, and the entities as the caller may see them.',
    },
    { name: 'Service', description: 'For whoever runs the service or reads its API.' },
  ],
  operations: () => [...definitionRows, ...serviceRows],
  schemas: {
    Rights: { type: 'object', properties: rights, required: Object.keys(rights) },
    Me: {
      description: 'The caller’s user record, with role and rights by entity.',
      allOf: [schemaRef('user')],
      type: 'object',
      properties: {
        role: { type: 'string', description: 'Key of the security role.' },
        permissions: { type: 'object', additionalProperties: schemaRef('Rights') },
      },
      required: ['role', 'permissions'],
    },
    EntityDescription: {
      type: 'object',
      properties: {
        key: { type: 'string' },
        name: { type: 'string' },
        description: { type: ['string', 'null'] },
        isNative: { type: 'boolean', description: 'Shipped with the service.' },
        displayField: { type: 'string', description: 'The field that names a record.' },
        ownership: { type: 'boolean' },
        fields: { type: 'array', items: fieldSchema },
        workflow: { anyOf: [workflowSchema, { type: 'null' }] },
        permissions: schemaRef('Rights'),
      },
      required: [
        ...['key', 'name', 'description', 'isNative', 'displayField', 'ownership'],
        ...['fields', 'workflow', 'permissions'],
      ],
    },
  },
}
