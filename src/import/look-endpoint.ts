/** What an import would make of a file: nothing of it is kept. */
import type { Caller } from '../auth/caller.ts'
import type { Pool } from '../database/pool.ts'
import { type Column, type Entity, getEntity, uniqueIndexes } from '../definitions/catalog.ts'
import { writtenLists } from '../definitions/lines.ts'
import { isPartOfRecord } from '../definitions/native-entities.ts'
import { emptyCellRules, importModes } from '../definitions/schemas/import-definition.ts'
import { apiError } from '../errors.ts'
import { localizedFor, namesLanguage } from '../http/endpoint/answer-language.ts'
import { fileBody, lengthOf } from '../http/endpoint/body.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { component, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { shorten } from '../issues.ts'
import { indexedBytesOf } from '../records/write/check-values.ts'
import { isHistoryColumn } from './import-plan.ts'
import {
  decimalNames,
  dialectOf,
  type ImportQuery,
  importQuery,
  type PlanningDeps,
  pathOf,
  planColumns,
  projectOf,
  separatorNames,
  withDefinition,
} from './import-request.ts'
import { valueColumn } from './read/column-forms.ts'
import { type MappedColumn, otherColumns, uniqueColumns } from './read/mapping.ts'
import { emptyCell, encodings, formats, type Sheet, type SheetRow } from './read/sheet.ts'
import type { FileReads } from './read-file.ts'
import { cellResult } from './row-fault.ts'

/** Media types of files that are imported; what a file is, is found in it. */
export const fileTypes = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/x-ndjson',
  'application/octet-stream',
]

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

type Opened = Pick<Sheet, 'heads' | 'sample' | 'dialect'>

const samples = 3
const shownRows = 20
const longestText = 200

/** The name by which a request gives a mark. */
const nameOf = <N extends string>(names: Readonly<Record<N, string>>, mark: string | undefined) =>
  (Object.keys(names) as N[]).find((name) => names[name] === mark) ?? null

const lookAt = (
  deps: PlanningDeps,
  caller: Caller,
  entity: Entity,
  query: ImportQuery,
  sheet: Opened,
) => {
  const planned = planColumns(deps, caller, entity, query, sheet)
  const { plan, written, columns, headIssues, issues } = planned
  const own = projectOf(deps, caller).catalog.entities.get(entity.key) ?? entity
  const { format, encoding, separator, sheet: name, sheets = [] } = sheet.dialect
  const describe = (head: string, position: number) => {
    const mapped = columns.find((one) => one.position === position)
    const isImported = mapped !== undefined && written.includes(mapped)
    const found = headIssues.find((one) => one.position === position)
    return {
      position,
      head,
      samples: samplesOf(sheet, position),
      path: isImported ? pathOf(own, mapped) : null,
      ...formsOf(mapped, isImported),
      issue: found?.message ?? null,
      isUnknown: found?.isUnknown === true,
    }
  }
  return {
    format,
    encoding: encoding ?? null,
    separator: nameOf(separatorNames, separator),
    sheet: name ?? null,
    sheets: [...sheets],
    columns: sheet.heads.map(describe),
    targets: targetsOf(deps, caller, own, query),
    matches: [...uniqueIndexes(own).map((index) => [...index.columns]), ['id']],
    rows: sheet.sample.slice(0, shownRows).map((row) => rowOf(row, written, own)),
    notes: [...plan.notes],
    issues: issues.map(({ path, message }) => ({ head: path === '' ? null : path, message })),
  }
}

/** The imports of the definition, and how well each fits a file. */
const importsOf = ({ definition }: Entity, heads: readonly string[]) =>
  (definition.imports ?? []).map(
    ({ key, name = key, mode = 'insert', match = [], emptyCells = 'keep', columns }) => {
      const own = Object.keys(columns).filter((head) => head !== otherColumns)
      const found = own.filter((head) => heads.includes(head)).length
      return { key, name, mode, match: [...match], emptyCells, heads: own.length, found }
    },
  )

const samplesOf = ({ sample }: Opened, position: number): string[] => {
  const texts = new Set<string>()
  for (const { cells } of sample) {
    const text = cells[position]?.text ?? ''
    if (text !== '') texts.add(shorten(text, longestText))
    if (texts.size === samples) break
  }
  return [...texts]
}

/** How numbers and days of a column are read, where that can be chosen. */
const formsOf = (mapped: MappedColumn | undefined, isImported: boolean) => {
  const isText = mapped?.format === 'csv' || mapped?.format === 'xlsx'
  const kind = mapped && isImported && isText ? valueColumn(mapped).type.cell : undefined
  return {
    hasDecimals: kind === 'integer' || kind === 'bigint' || kind === 'decimal',
    decimal: nameOf(decimalNames, mapped?.decimal),
    hasDates: kind === 'date' || kind === 'timestamp',
    dates: mapped?.dates ?? null,
  }
}

/** What a column of the file can be for: fields of the entity, and of the records that new ones are written with. */
const targetsOf = (
  deps: PlanningDeps,
  caller: Caller,
  entity: Entity,
  query: ImportQuery,
): string[] => {
  const own = fieldsOf(deps, caller, entity, query)
  if (query.mode !== 'insert') return own
  const { catalog } = projectOf(deps, caller)
  const ofLists = writtenLists(catalog, entity)
    .filter(({ target }) => deps.permissions.rightsOf(caller, target).import !== false)
    .flatMap(({ field: { key }, target, link }) =>
      fieldsOf(deps, caller, target, query, link).map((path) => `${key}.${path}`),
    )
  return [...own, ...ofLists]
}

const fieldsOf = (
  deps: PlanningDeps,
  caller: Caller,
  entity: Entity,
  { mode }: ImportQuery,
  /** Of records that are written with another one: what links them to it. */
  link?: Column,
): string[] => {
  const catalog = deps.catalog
  const isWhole = deps.permissions.rightsOf(caller, entity).import === 'history'
  const access = deps.permissions.accessOf(caller)
  const isOffered = (column: Column): boolean => {
    if (column.isCalculated || column.isReadOnly || column.name === link?.name) return false
    if (link) return column.name !== 'id' && !column.series && !isHistoryColumn(column)
    if (column.name === 'id' || column.series) return isWhole || mode !== 'insert'
    return isHistoryColumn(column)
      ? isWhole && mode !== 'update' && column.name !== '_is_deleted'
      : true
  }
  return entity.columns.filter(isOffered).flatMap((column) => {
    const target = catalog.entities.get(column.target ?? '')
    const key = [...entity.associations].find(([, { name }]) => name === column.name)?.[0]
    if (!target || key === undefined) return [column.name]
    const isRead = access.readScope(target) !== 'none'
    return (isRead ? uniqueColumns(target) : uniqueColumns(target).slice(0, 1))
      .map(({ name }) => `${key}.${name}`)
      .toReversed()
  })
}

const rowOf = ({ row, cells, fault }: SheetRow, columns: readonly MappedColumn[], own: Entity) => ({
  row,
  fault: fault ?? null,
  cells: columns.map((column) => {
    const cell = cells[column.position] ?? emptyCell
    const owner = column.list?.target ?? own
    const limited = { ...column, indexedBytes: indexedBytesOf(owner, column.column) }
    const result = cellResult(limited, cell)
    if (!('fault' in result)) return { value: shownValue(result.value), fault: null }
    return { value: shorten(cell.text, longestText), fault: result.fault }
  }),
})

const shownValue = (value: unknown): string | number | boolean | null =>
  value === null || typeof value === 'boolean' || typeof value === 'number'
    ? value
    : shorten(String(value), longestText)
