/** What an import would make of a file: nothing of it is kept. */
import type { Pool } from '../database/pool.ts'
import { getEntity } from '../definitions/catalog.ts'
import { isPartOfRecord } from '../definitions/native-entities.ts'
import { emptyCellRules, importModes } from '../definitions/schemas/import-definition.ts'
import { apiError } from '../errors.ts'
import { localizedFor, namesLanguage } from '../http/endpoint/answer-language.ts'
import { fileBody, lengthOf } from '../http/endpoint/body.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { component, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { fileTypes } from './file-types.ts'
import { dialectOf, importQuery, type PlanningDeps, withDefinition } from './import-request.ts'
import { importsOf, lookAt } from './look-file.ts'
import { encodings, formats } from './read/sheet.ts'
import type { FileReads } from './read-file.ts'

const textOrNull = { type: ['string', 'null'] } as const
const texts = { type: 'array', items: { type: 'string' } } as const
const list = <const S>(items: S) => ({ type: 'array', items }) as const

const look = component(
  'ImportLook',
  objectOf({
    format: { type: 'string', enum: formats },
    encoding: { type: ['string', 'null'], enum: [...encodings, null] },
    separator: { type: ['string', 'null'], enum: ['comma', 'semicolon', 'tab', 'bar', null] },
    sheet: textOrNull,
    sheets: { ...texts, description: 'Names of the sheets of a workbook.' },
    columns: list(
      objectOf({
        position: { type: 'integer' },
        head: { type: 'string' },
        samples: { ...texts, description: 'Some values of its first rows.' },
        path: { ...textOrNull, description: 'What it is imported as; null: it is left out.' },
        hasDecimals: { type: 'boolean', description: 'Whether it has numbers.' },
        decimal: { type: ['string', 'null'], enum: ['point', 'comma', null] },
        hasDates: { type: 'boolean' },
        dates: { type: ['string', 'null'], enum: ['YMD', 'DMY', 'MDY', null] },
        issue: { ...textOrNull, description: 'What is to be decided or corrected.' },
        isUnknown: { type: 'boolean', description: 'Whether no field is known for its head.' },
      }),
    ),
    targets: { ...texts, description: 'Paths that a column may be imported as.' },
    matches: {
      ...list(texts),
      description: 'Fields by which records can be found, which are unique together.',
    },
    imports: {
      ...list(
        objectOf({
          key: { type: 'string' },
          name: { type: 'string' },
          mode: { type: 'string', enum: importModes },
          match: texts,
          emptyCells: { type: 'string', enum: emptyCellRules },
          heads: { type: 'integer', description: 'How many heads it names.' },
          found: { type: 'integer', description: 'How many of them the file has.' },
        }),
      ),
      description: 'The imports of the definition.',
    },
    rows: {
      ...list(
        objectOf({
          row: { type: 'integer' },
          fault: textOrNull,
          cells: list(
            objectOf({
              value: { type: ['string', 'number', 'boolean', 'null'] },
              fault: textOrNull,
            }),
          ),
        }),
      ),
      description: 'The first rows as they will be; cells of the columns that are imported.',
    },
    notes: texts,
    issues: list(objectOf({ head: textOrNull, message: { type: 'string' } })),
  }),
)

export type ImportLook = ValueOf<typeof look>

type LookDeps = PlanningDeps & {
  readonly pool: Pool
  readonly fileReads: FileReads
}

export const lookEndpoint = entityEndpoint({
  verb: 'look',
  method: 'post',
  path: '/import/look',
  right: ({ caller, entity }, { permissions }) => permissions.permitImport(caller, entity),
  refuse: (entity) =>
    isPartOfRecord(entity)
      ? apiError('request.no-such-path', `A ${entity.key} is written under its record.`)
      : undefined,
  summary: ({ name }) => `What an import into “${name}” would make of a file`,
  description: 'The body is the file. Nothing of it is kept.',
  query: importQuery,
  headers: { acceptLanguage: namesLanguage },
  body: fileBody(fileTypes),
  errors: ['import.unreadable', 'request.saturated', 'request.too-large'],
  answers: () => ({ 200: json('What was found.', look) }),
  handle: async ({ caller, entity, query: sent, headers, body, request }, deps: LookDeps) => {
    const query = withDefinition(entity, sent)
    const file = await deps.fileReads.open({ body, bytes: lengthOf(request) }, dialectOf(query))
    try {
      const named = localizedFor(deps, headers.acceptLanguage).catalog
      const found = lookAt(deps, caller, entity, query, file.sheet)
      return { ...found, imports: importsOf(getEntity(named, entity.key), file.sheet.heads) }
    } finally {
      await file.close()
    }
  },
})
