/** Correcting the faulty rows of an import, and undoing all that it wrote (docs/import.md). */
import { originOf } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import type { Pool } from '../database/pool.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { JsonText } from '../http/endpoint/mount-path.ts'
import { id, integer } from '../http/endpoint/parameters.ts'
import { component, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import type { PlanningDeps } from './import-request.ts'
import { faultyPage, mendRun } from './mend-rows.ts'
import { faultParts, run, showRun, unknownRun, viewerOf } from './run-list.ts'
import { findRun } from './run-store.ts'
import { planUndo, undoRun } from './undo-run.ts'

const count = { type: 'integer', minimum: 0 } as const
const textOrNull = { type: ['string', 'null'] } as const

const faultyRows = component(
  'ImportFaultyRows',
  objectOf({
    heads: { type: 'array', items: { type: 'string' } },
    data: {
      type: 'array',
      items: objectOf({
        row: { type: 'integer', description: 'Of the file, as a spreadsheet counts it.' },
        cells: { type: 'array', items: textOrNull },
        faults: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              ...faultParts,
              alike: {
                ...count,
                description: 'Rows with a fault that have the same in the column.',
              },
            },
            required: ['column', 'message', 'alike'],
          },
        },
      }),
    },
    next: { type: ['integer', 'null'], description: '`after` of the next page; null: the end.' },
  }),
)

export type ImportFaultyRows = ValueOf<typeof faultyRows>

const most = 5000
const longest = 10_000

const corrections = checkedBody(
  Type.Object(
    {
      corrections: Type.Array(
        Type.Object(
          {
            row: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Of the file.' }),
            column: Type.String({ description: 'Its head.' }),
            text: Type.String({
              maxLength: longest,
              pattern: '^[^\\u0000]*$',
              description: 'What the cell is to have, written as in the file.',
            }),
            alike: Type.Optional(
              Type.Boolean({
                description: 'In all rows with a fault that have the same in the column.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: most },
      ),
    },
    { additionalProperties: false },
  ),
)

const undoPlan = component(
  'ImportUndo',
  objectOf({
    removed: { ...count, description: 'Records that it created, which are removed.' },
    taken_back: { ...count, description: 'Records that it changed, which get back what they had.' },
    kept: { ...count, description: 'Records that stay, because they were changed since.' },
    records: {
      type: 'array',
      description: 'The first of those that stay.',
      items: objectOf({
        id: { type: 'integer' },
        reason: { ...textOrNull, description: 'Why an undo has left it.' },
      }),
    },
  }),
)

export type ImportUndo = ValueOf<typeof undoPlan>

type MendDeps = PlanningDeps & { readonly pool: Pool }

const common = { tag: 'Imports', who: 'caller', isByRights: true } as const

const params = {
  id: id({ description: 'Id of the import.', unknown: unknownRun, errors: ['import.unknown'] }),
}

const path = '/api/imports/{id}/rows'
const undoPath = '/api/imports/{id}/undo'

/** The run as it is stored, if the caller may see it; throws import.unknown. */
const seenRun = async (deps: MendDeps, caller: Caller, runId: number) => {
  await showRun(deps.pool, viewerOf(deps, caller), runId)
  const found = await findRun(deps.pool, runId)
  if (!found) throw unknownRun(runId)
  return found
}

export const mendEndpoints = [
  endpoint({
    ...common,
    method: 'get',
    path,
    id: 'listImportRows',
    summary: 'The rows with faults, each with all its cells',
    params,
    query: {
      after: integer({
        min: 0,
        max: 2_147_483_647,
        default: 0,
        description: '`next` of the page before.',
      }),
      limit: integer({ min: 1, max: 200, default: 50, description: 'Rows of a page.' }),
    },
    answers: { 200: json('One page.', faultyRows) },
    handle: async ({ caller, params, query }, deps: MendDeps) =>
      faultyPage(deps.pool, await seenRun(deps, caller, params.id), query),
  }),
  endpoint({
    ...common,
    method: 'patch',
    path,
    id: 'correctImportRows',
    summary: 'Correct cells of an import that is checked, and check it again',
    description:
      'Cells are read as those of the file. The import is checked again as a whole: a correction can make another row right or wrong.',
    params,
    body: corrections,
    errors: ['import.wrong-state'],
    answers: { 200: json('The import.', run) },
    handle: async ({ caller, params, body }, deps: MendDeps) => {
      await mendRun(deps, caller, params.id, body.corrections)
      return new JsonText(await showRun(deps.pool, viewerOf(deps, caller), params.id))
    },
  }),
  endpoint({
    ...common,
    method: 'get',
    path: undoPath,
    id: 'planImportUndo',
    summary: 'What undoing an import would do, and what an undo has left',
    params,
    answers: { 200: json('The plan.', undoPlan) },
    handle: async ({ caller, params }, deps: MendDeps) => {
      const found = await seenRun(deps, caller, params.id)
      return planUndo(deps.pool, deps.catalog, found)
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    path: undoPath,
    id: 'undoImport',
    summary: 'Undo an import',
    description:
      'What it created is removed, and what it changed gets back what it had, with the rights that its user has now. A record that was changed since stays. It is done by a job, one record after the other, as long as the import is kept.',
    params,
    errors: ['import.wrong-state'],
    answers: { 202: json('The import.', run) },
    handle: async ({ caller, params, request, reply }, deps: MendDeps) => {
      await undoRun(deps.pool, viewerOf(deps, caller), params.id, originOf(request))
      reply.status(202)
      return new JsonText(await showRun(deps.pool, viewerOf(deps, caller), params.id))
    },
  }),
]
