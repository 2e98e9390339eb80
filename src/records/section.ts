/** Records in the API: their endpoints, the headers of their answers, and the language of criteria. */
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { criteriaSchemas } from '../http/openapi/criteria-schema.ts'
import { type FileDeps, fileEndpoints } from './file-endpoint.ts'
import { findEndpoints } from './find-in-entities.ts'
import { ownChangeEndpoints } from './own-changes.ts'
import { readEndpoints } from './read-endpoints.ts'
import { writeEndpoints } from './write-endpoints.ts'

/** Create, list, search, read, change, remove, restore, takeOwnership and history of every entity; search and own changes of all. */
export const recordSection: ApiSection<FileDeps> = {
  tags: [
    { name: 'Search', description: 'Records of all entities.' },
    { name: 'Changes', description: 'What the caller has changed.' },
  ],
  endpoints: [
    ...readEndpoints,
    ...writeEndpoints,
    ...fileEndpoints,
    ...findEndpoints,
    ...ownChangeEndpoints,
  ],
  schemas: () => criteriaSchemas,
  headers: {
    'Accept-Ranges': {
      description: 'Parts of the file can be asked for.',
      schema: { type: 'string', const: 'bytes' },
    },
    'Content-Range': {
      description: 'Which bytes these are, and of how many.',
      schema: { type: 'string', examples: ['bytes 0-1023/248113'] },
    },
    ETag: {
      description: 'Version of the record, for `If-Match` and `If-None-Match`.',
      schema: { type: 'string', examples: ['"3"'] },
    },
    Location: {
      description: 'Path of the new record; at `/`, of the console.',
      schema: { type: 'string', format: 'uri-reference' },
    },
    'Content-Location': {
      description: 'Path of the record.',
      schema: { type: 'string', format: 'uri-reference' },
    },
    'Idempotency-Replayed': {
      description: '`true` when the answer is the first one to the same `Idempotency-Key`.',
      schema: { type: 'string', const: 'true' },
    },
  },
}
