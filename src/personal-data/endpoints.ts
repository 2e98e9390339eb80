/** Forgetting people, and what is stored about one, over HTTP (docs/personal-data.md). */
import { recordAudit } from '../audit/record-audit.ts'
import { authorOf } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import type { Pool } from '../database/pool.ts'
import { transaction, trial } from '../database/transaction.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { apiError } from '../errors.ts'
import { type ApiSection, endpoint } from '../http/endpoint/endpoint.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { flag, id, ifMatch } from '../http/endpoint/parameters.ts'
import { component, json, objectOf, schemaRef, type ValueOf } from '../http/openapi/operation.ts'
import { unknownRecord } from '../records/read-records.ts'
import { quoted, type RecordDeps, recordParams } from '../records/record-request.ts'
import { refuseParts } from '../records/write-endpoints.ts'
import {
  anonymiseContext,
  anonymiseRecord,
  planAnonymising,
  whyNotAnonymised,
} from './anonymise.ts'
import { findPersonData, maxListed } from './person-data.ts'

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

// GET /api/people/{id}/data: what is stored about a user, for administrators and the user.

export type PersonDataDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly timeZone: string
}

const rows = {
  type: 'integer',
  description: 'All of them, also those that are not listed.',
} as const

const personData = component(
  'PersonData',
  objectOf({
    user: { description: 'The user record.', ...schemaRef('user') },
    links: {
      type: 'array',
      description: 'Records that link to the user, as far as the caller may read them.',
      items: objectOf({
        entity: { type: 'string' },
        field: { type: 'string' },
        rows,
        ids: { type: 'array', items: { type: 'integer' }, maxItems: maxListed },
      }),
    },
    kept: {
      type: 'array',
      description:
        'What the service keeps of the user, by table, the newest first. Others than administrators get no rows of the history: GET /api/changes has those that they may read.',
      items: objectOf({
        table: { type: 'string' },
        rows,
        data: { type: 'array', maxItems: maxListed, items: { type: 'object' } },
      }),
    },
  }),
)

/** Of all users, those whom administrators may ask for, and oneself. */
export const personDataEndpoints = [
  endpoint({
    tag: 'People',
    who: 'caller',
    method: 'get',
    path: '/api/people/{id}/data',
    id: 'getPersonData',
    summary: 'What is stored about a user',
    description: `For administrators, and for the user. Secrets are left out; of a table or a link, at most ${maxListed} rows are listed.`,
    params: {
      id: id({
        description: 'Id of the user.',
        unknown: (given) => unknownRecord({ key: 'user' }, given),
        errors: ['record.unknown'],
      }),
    },
    errors: ['caller.forbidden'],
    answers: { 200: json('All of it.', personData) },
    handle: (
      { caller, params, reply },
      { pool, catalog, permissions, timeZone }: PersonDataDeps,
    ) => {
      const isAdministrator = caller.roleKey === administratorRole
      if (!isAdministrator && params.id !== caller.userId)
        throw apiError(
          'caller.forbidden',
          `Only the role "${administratorRole}" may read what is stored about others.`,
        )
      const access = permissions.accessOf(caller)
      const asked = { catalog, timeZone, access, isAdministrator, userId: params.id }
      return transaction(pool, async (connection) => {
        const data = await findPersonData(connection, asked)
        if (!data) throw unknownRecord({ key: 'user' }, params.id)
        const by = authorOf(caller)
        await recordAudit(connection, { kind: 'exportPerson', by, aboutUserId: params.id })
        reply.header('Cache-Control', 'no-store')
        return data
      })
    },
  }),
]
