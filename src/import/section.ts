/** Importing files over HTTP (docs/import.md). */
import type { Readable } from 'node:stream'
import { originOf } from '../audit/record-audit.ts'
import { keyScopeOf } from '../auth/caller.ts'
import type { Pool, Queryable } from '../database/pool.ts'
import { readPart } from '../database/request-context.ts'
import { transaction } from '../database/transaction.ts'
import type { Entity } from '../definitions/catalog.ts'
import { isPartOfRecord } from '../definitions/native-entities.ts'
import { apiError } from '../errors.ts'
import { fileBody, lengthOf } from '../http/endpoint/body.ts'
import { type ApiSection, endpoint } from '../http/endpoint/endpoint.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { dataText, JsonText } from '../http/endpoint/mount-path.ts'
import { id, optionalFlag, pageOf, pageParameters } from '../http/endpoint/parameters.ts'
import { dispositionOf } from '../http/file-name.ts'
import { component, dataOf, empty, json, objectOf } from '../http/openapi/operation.ts'
import { type Asker, auditAsked } from './audit-run.ts'
import { faultFile } from './fault-file.ts'
import { columnsOfPlan } from './import-plan.ts'
import {
  dialectOf,
  type ImportQuery,
  importQuery,
  matchOf,
  type PlanningDeps,
  planImport,
  withDefinition,
} from './import-request.ts'
import { fileTypes, lookEndpoint } from './look-endpoint.ts'
import { mendEndpoints } from './mend-endpoints.ts'
import { definitionsDigest } from './open-run.ts'
import type { FileReads } from './read-file.ts'
import {
  faultParts,
  faultsOf,
  faultyRows,
  listRuns,
  removeRun,
  run,
  showRun,
  startRun,
  stopRun,
  unknownRun,
  viewerOf,
} from './run-list.ts'
import { createRun, findRun } from './run-store.ts'

export type ImportSectionDeps = PlanningDeps & {
  readonly pool: Pool
  readonly fileReads: FileReads
}

const fault = {
  type: 'object',
  properties: {
    row: { type: 'integer', description: 'Of the file, as a spreadsheet counts it.' },
    text: { type: ['string', 'null'], description: 'What the cell has.' },
    ...faultParts,
  },
  required: ['row', 'column', 'text', 'message'],
} as const

const runWithFaults = component(
  'ImportRunWithFaults',
  objectOf({
    run,
    faults: { type: 'array', items: fault, description: 'Of the first rows with faults.' },
  }),
)

const importRecords = entityEndpoint({
  verb: 'import',
  method: 'post',
  path: '/import',
  right: ({ caller, entity }, { permissions }) => permissions.permitImport(caller, entity),
  refuse: (entity) =>
    isPartOfRecord(entity)
      ? apiError('request.no-such-path', `A ${entity.key} is written under its record.`)
      : undefined,
  summary: ({ name }) => `Import a file into “${name}”`,
  description:
    'The body is the file: CSV, an Excel workbook, or JSON lines. The answer comes when the file is received and its columns are known; then rows are read, checked and written, and `GET /api/imports/<id>` says how far.',
  query: importQuery,
  body: fileBody(fileTypes),
  errors: ['import.unreadable', 'request.saturated', 'request.too-large'],
  answers: () => ({ 202: json('The run.', run) }),
  handle: async (
    { caller, entity, query: sent, body, request, reply },
    deps: ImportSectionDeps,
  ) => {
    const query = withDefinition(entity, sent)
    if (query.mode !== 'update') deps.permissions.permitCreate(caller, entity)
    if (query.mode !== 'insert') deps.permissions.permit(caller, 'update', entity)
    matchOf(entity, query)
    const sentBy = { caller, origin: originOf(request) }
    const runId = await receive(deps, sentBy, { entity, query, body, bytes: lengthOf(request) })
    reply.status(202)
    return new JsonText(await showRun(deps.pool, viewerOf(deps, caller), runId))
  },
})

type Received = {
  readonly entity: Entity
  readonly query: ImportQuery
  readonly body: Readable
  readonly bytes: number
}

/** Receives the file, and begins to read it. */
const receive = async (
  deps: ImportSectionDeps,
  asker: Asker,
  { entity, query, ...sent }: Received,
): Promise<number> => {
  const file = await deps.fileReads.open(sent, dialectOf(query))
  const { caller } = asker
  try {
    const planned = planImport(deps, caller, entity, query, file.sheet)
    const { plan, columns: mapped, lineColumns } = planned
    const columns = columnsOfPlan(deps.catalog, entity, plan) ?? []
    const runId = await transaction(deps.pool, async (connection) => {
      const id = await createRun(connection, {
        entity_key: entity.key,
        user_id: caller.userId,
        acting_user_id: caller.actingUser?.id ?? null,
        key_scope: keyScopeOf(caller) ?? null,
        file_name: query.file ?? null,
        plan,
        digest: definitionsDigest(deps.catalog, entity, columns),
        writes: !query.dryRun,
      })
      const asked = { id, entity_key: entity.key, plan }
      if (!query.dryRun) await auditAsked(connection, asker, 'beginImport', asked)
      return id
    })
    file.readInto({ id: runId, plan, entity, columns, mapped, lineColumns })
    return runId
  } catch (error) {
    await file.close()
    throw error
  }
}

const common = { tag: 'Imports', who: 'caller', isByRights: true } as const

const params = {
  id: id({ description: 'Id of the import.', unknown: unknownRun, errors: ['import.unknown'] }),
}

const shownFaults = 1000

/** Rows that are read at once for a file of faults. */
const fileRows = 1000

/** Of the first thousand rows with faults. */
const firstFaults = async (database: Queryable, runId: number): Promise<string> => {
  const rows = await faultyRows(database, runId, 0, shownFaults)
  return JSON.stringify(
    rows.flatMap((row) => faultsOf(row).map((one) => ({ row: row.line, ...one }))),
  )
}

export const importSection: ApiSection<ImportSectionDeps> = {
  tags: [{ name: 'Imports', description: 'Files that the caller imports.' }],
  endpoints: [
    importRecords,
    lookEndpoint,
    ...mendEndpoints,
    endpoint({
      ...common,
      method: 'get',
      path: '/api/imports',
      id: 'listImports',
      summary: 'Imports, the newest first',
      description: 'Those of the caller; administrators get all.',
      query: pageParameters,
      answers: { 200: json('One page.', dataOf(run)) },
      handle: async ({ caller, query }, deps: ImportSectionDeps) =>
        dataText(await listRuns(deps.pool, viewerOf(deps, caller), pageOf(query))),
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/api/imports/{id}',
      id: 'readImport',
      summary: 'An import with the faults of its first rows',
      params,
      answers: { 200: json('The import.', runWithFaults) },
      handle: async ({ caller, params }, deps: ImportSectionDeps) => {
        const { pool } = deps
        const shown = await showRun(pool, viewerOf(deps, caller), params.id)
        return new JsonText(`{"run":${shown},"faults":${await firstFaults(pool, params.id)}}`)
      },
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/api/imports/{id}/faults',
      id: 'exportImportFaults',
      summary: 'The rows with faults as CSV, to be corrected and sent again',
      description: 'With the columns of the file, and the row and the reasons in further ones.',
      params,
      answers: {
        200: { description: 'The rows.', content: { 'text/csv': { schema: { type: 'string' } } } },
      },
      handle: async ({ caller, params, request, reply }, deps: ImportSectionDeps) => {
        const { pool } = deps
        await showRun(pool, viewerOf(deps, caller), params.id)
        const found = await findRun(pool, params.id)
        const file = faultFile(found?.plan ?? { heads: [] }, (after) =>
          readPart(request.database, () => faultyRows(pool, params.id, after, fileRows)),
        )
        return reply
          .type('text/csv; charset=utf-8')
          .header(
            'Content-Disposition',
            dispositionOf('attachment', `import-${params.id}-faults.csv`),
          )
          .send(file)
      },
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/api/imports/{id}/start',
      id: 'startImport',
      summary: 'Write an import that is checked, or go on with one that was stopped',
      params,
      query: {
        allOrNothing: optionalFlag(
          'false: the rows without a fault are written, whatever others have.',
        ),
      },
      errors: ['import.wrong-state'],
      answers: { 200: json('The import.', run) },
      handle: async ({ caller, params, query, request }, deps: ImportSectionDeps) => {
        const { pool } = deps
        const asked = { ...query, origin: originOf(request) }
        await startRun(pool, viewerOf(deps, caller), params.id, asked)
        return new JsonText(await showRun(pool, viewerOf(deps, caller), params.id))
      },
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/api/imports/{id}/stop',
      id: 'stopImport',
      summary: 'Stop an import after the batch that is being written',
      params,
      errors: ['import.wrong-state'],
      answers: { 200: json('The import.', run) },
      handle: async ({ caller, params }, deps: ImportSectionDeps) => {
        const { pool } = deps
        await stopRun(pool, viewerOf(deps, caller), params.id)
        return new JsonText(await showRun(pool, viewerOf(deps, caller), params.id))
      },
    }),
    endpoint({
      ...common,
      method: 'delete',
      path: '/api/imports/{id}',
      id: 'removeImport',
      summary: 'Remove an import with its rows; what it has written stays',
      params,
      errors: ['import.wrong-state'],
      answers: { 204: empty('It is removed.') },
      handle: async ({ caller, params }, deps: ImportSectionDeps) => {
        const { pool } = deps
        await removeRun(pool, viewerOf(deps, caller), params.id)
      },
    }),
  ],
}
