/** Forgetting people over HTTP (docs/personal-data.md). */
import { trial } from '../database/transaction.ts'
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { flag, ifMatch } from '../http/endpoint/parameters.ts'
import { component, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { quoted, type RecordDeps, recordParams } from '../records/record-request.ts'
import { refuseParts } from '../records/write-endpoints.ts'
import {
  anonymiseContext,
  anonymiseRecord,
  planAnonymising,
  whyNotAnonymised,
} from './anonymise.ts'

const counts = (description: string) =>
  ({
    type: 'array',
    description,
    items: objectOf({ table: { type: 'string' }, rows: { type: 'integer' } }),
  }) as const

const anonymised = component(
  'Anonymised',
  objectOf({
    dryRun: { type: 'boolean' },
    fields: {
      type: 'array',
      items: { type: 'string' },
      description: 'Keys of the personal fields, whose values are replaced.',
    },
    rows: counts('By table, how many rows tell of the record, and of a user how many are theirs.'),
    elsewhere: counts(
      'In a dry run: by table, how many others name the person, and are changed by a job.',
    ),
  }),
)

export type Anonymised = ValueOf<typeof anonymised>

const anonymise = entityEndpoint({
  verb: 'anonymise',
  method: 'post',
  path: '/{entityId}/anonymise',
  right: 'anonymise',
  params: recordParams,
  headers: { ifMatch },
  query: { dryRun: flag('Write nothing, and say what would be changed.') },
  refuse: (entity) => refuseParts(entity) ?? whyNotAnonymised(entity),
  summary: (entity) => `Anonymise a record of ${quoted(entity)}`,
  description:
    'The values of its personal fields are replaced, also in its history, and messages about it are removed; ids, links and other values stay. Texts elsewhere that name the person follow by a job. It cannot be undone, and works on removed records too, for callers who may restore them.',
  errors: ['record.conflict', 'record.invalid'],
  answers: () => ({ 200: json('What was changed.', anonymised) }),
  handle: async (call, deps: RecordDeps) => {
    const { caller, entity, params, headers, query } = call
    const context = anonymiseContext(deps, caller, entity)
    const target = { id: params.entityId, precondition: headers.ifMatch }
    if (query.dryRun) {
      const plan = await trial(deps.pool, (one) => planAnonymising(one, context, target))
      return { dryRun: true, ...plan }
    }
    const plan = await anonymiseRecord(deps.pool, context, target)
    deps.onWritten(entity, target.id)
    return { dryRun: false, ...plan }
  },
})

export const personalDataSection: ApiSection<RecordDeps> = { endpoints: [anonymise] }
