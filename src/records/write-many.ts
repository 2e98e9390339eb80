/**
 * Writes records of one entity, each with values of its own, in one transaction: removals first, so that their unique values are
 * free, then changes, then new records. Each is written by the code of a write of that record alone, behind a savepoint; new records
 * in sets where that decides the same (write/divided-sets.ts). All that are refused are collected.
 */
import type { Connection } from '../database/pool.ts'
import { anyOf, int, join, ref, type Sql, sql } from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import { type Catalog, type Column, type Entity, writableColumns } from '../definitions/catalog.ts'
import { errorKinds } from '../error-kinds.ts'
import { ApiError } from '../errors.ts'
import { addIssue, type Issue, maxIssues } from '../issues.ts'
import { affectedLists } from '../query/conditions/asked-lists.ts'
import { askedThrough } from '../query/criteria/criteria.ts'
import { at, type Line, type LinesOfList } from './lines-of-body.ts'
import type { RecordDeps } from './record-request.ts'
import { callerDefaultSql, ownUserDefaults } from './write/caller-defaults.ts'
import {
  changeRecord,
  createRecord,
  removeRecord,
  type WrittenWith,
} from './write/change-record.ts'
import { checkNewValues } from './write/check-values.ts'
import { createSetOf, createsSets, divide, SetRefused } from './write/divided-sets.ts'
import { lockTogether, refuseUnlessLocked, type WritePart } from './write/lock-record.ts'
import { affectedRollups, calculate } from './write/roll-up.ts'
import { asksForFiles } from './write/take-files.ts'
import { lockCountersOfNew, numberCells } from './write/take-numbers.ts'
import { linkExists, type Wholes, type WriteContext } from './write/write-context.ts'
import {
  neededLinks,
  needsOfChange,
  needsOfNew,
  needsOfRemoval,
  readsCalculated,
  type WriteNeeds,
} from './write/write-needs.ts'
import { mixedError, recordError, WriteRejected, withConflicts } from './write/write-rejected.ts'
import { valueRows } from './write/write-sets.ts'
import type { Values } from './write/write-statements.ts'

/** Records of an entity to write. */
export type Many = Pick<LinesOfList, 'contexts' | 'lines'> & {
  readonly entity: Entity
  /** What links them to the record with which they are written, which may not be there yet. */
  readonly link?: { readonly column: Column; readonly id: number | 'new' }
}

const fromLink = ({ link }: Many): Values =>
  link === undefined || link.id === 'new' ? new Map() : new Map([[link.column, link.id]])

/** What their writes need, together with what is written with each. */
export const partsOf = (many: Many): readonly WritePart[] => {
  const created = many.lines.filter(({ operation }) => operation === 'create')
  const lists = [...nestedIn(created).values()]
  return [
    ...partsOfExisting(many),
    ...(created.length > 0 ? [partOfNew(many, created, lists)] : []),
    ...lists.flatMap((one) => partsOf(ofNew(one))),
  ]
}

/** Lines of a record that is not there yet. */
const ofNew = ({ list: { target: entity, link: column }, contexts, lines }: LinesOfList): Many => ({
  entity,
  contexts,
  lines,
  link: { column, id: 'new' },
})

/** What is written with records, by the key of the list: the lines of all of them. */
const nestedIn = (records: readonly Line[]): ReadonlyMap<string, LinesOfList> => {
  const all = new Map<string, LinesOfList & { readonly lines: Line[] }>()
  for (const one of records.flatMap(({ nested }) => nested?.lists ?? [])) {
    const known = all.get(one.list.field.key)
    if (known) known.lines.push(...one.lines)
    else all.set(one.list.field.key, { ...one, lines: [...one.lines] })
  }
  return all
}

/** With what the conditions of new and changed lines read through the record: a new one cannot be followed yet. */
export const withAskedThrough = (needs: WriteNeeds, lists: readonly LinesOfList[]): WriteNeeds => {
  const asked = lists.flatMap(({ list, contexts, lines }) =>
    lines.some(({ operation }) => operation !== 'remove')
      ? [
          ...needsOfNew(contexts.create, new Map()).conditions,
          ...needsOfChange(contexts.change, new Map()).conditions,
        ].flatMap((condition) => askedThrough(condition, list.field.mappedBy) ?? [])
      : [],
  )
  return { ...needs, conditions: [...needs.conditions, ...asked] }
}

/** Those that need the same are one part. */
const partsOfExisting = (many: Many): readonly WritePart[] => {
  const parts = new Map<string, WritePart>()
  for (const { operation, id, values } of many.lines) {
    if (operation === 'create') continue
    const context = many.contexts[operation]
    const needs = operation === 'change' ? needsOfChange(context, values) : needsOfRemoval(context)
    const key = JSON.stringify([operation, needs.columns, neededLinks(context, needs)])
    const same = parts.get(key)?.ids ?? []
    parts.set(key, { context, needs, ids: same === 'new' ? [id] : [...same, id] })
  }
  return [...parts.values()]
}

const partOfNew = (
  many: Many,
  created: readonly Line[],
  lists: readonly LinesOfList[],
): WritePart => {
  const context = many.contexts.create
  const rows = linkRows(many, created)
  return {
    context,
    needs: withAskedThrough({ ...needsOfNew(context, new Map()), rows }, lists),
    ids: 'new',
  }
}

/** The links of new records, those too that they take from their user. */
const linkRows =
  (many: Many, created: readonly Line[]) =>
  (links: readonly Column[]): Sql => {
    const { catalog, userId } = many.contexts.create
    const given = links.filter(({ isSystem }) => !isSystem)
    const values = created.map((line) => new Map([...line.values, ...fromLink(many)]))
    const cells = links.map((column) => {
      const value = column.isSystem
        ? int(userId)
        : sql`coalesce(${join([ref(column.name, 'g'), ...byDefault(catalog, column, userId)], ', ')})`
      return sql`${value} AS ${ref(column.name)}`
    })
    return sql`(SELECT ${join([sql`0 AS id`, ...cells], ', ')} FROM ${valueRows(given, values)} g)`
  }

const byDefault = (catalog: Catalog, column: Column, userId: number): readonly Sql[] => {
  const ofCaller = callerDefaultSql(catalog, column, userId)
  return ofCaller ? [ofCaller] : []
}

/** Locks the counters of all numbers that new records take, in one order. */
export const lockCounters = async (connection: Connection, many: Many): Promise<void> => {
  const created = many.lines.filter(({ operation }) => operation === 'create')
  if (created.length > 0)
    await lockCountersOfNew(connection, many.contexts.create, linkRows(many, created))
  for (const nested of nestedIn(created).values()) await lockCounters(connection, ofNew(nested))
}

/** What became of a record. */
export type WrittenRecord = {
  readonly id: number
  /** Null: it is removed. */
  readonly version: number | null
  readonly isChanged: boolean
}

export type ManyWrite = Many & {
  readonly connection: Connection
  readonly deps: Pick<RecordDeps, 'onRemoved'>
  /** What is locked, and what is calculated later. */
  readonly more: Pick<WriteContext, 'lockedAhead' | 'laterRollups'>
  readonly refusals: Refusals
  readonly onWritten: (entity: Entity, id: number) => void
  /** How the lines of a new record are written with it. */
  readonly linesOf?: (line: Line) => WrittenWith | undefined
}

/** Writes records that belong to no other: all of them, or it throws one error with all that are refused. In a transaction. */
export const writeTogether = async (
  write: Omit<ManyWrite, 'more' | 'refusals'>,
): Promise<readonly WrittenRecord[]> => {
  const { connection } = write
  const parts = partsOf(write)
  const locked = await lockTogether(connection, parts)
  await lockCounters(connection, write)
  // Those of other entities are locked for new lines alone, which have no ids yet.
  const lockedAhead = locked.reduce((all, some) => all.union(some), new Set<number>())
  // Conditions are asked after all that a write calculates, as for one record.
  const laterRollups: Wholes | undefined = parts.some(({ context, needs }) =>
    readsCalculated(context, needs),
  )
    ? undefined
    : new Map()
  const refusals = new Refusals()
  const more = { lockedAhead, ...(laterRollups && { laterRollups }) }
  const written = await writeEach({ ...write, more, refusals })
  refusals.throwAny()
  if (laterRollups) await rollUpAll(connection, write.contexts.create, laterRollups)
  return written
}

/** Writes all that can be written, in order, and returns what became of them; the others are refusals, of which no more are looked for than are reported. */
export const writeEach = async (write: ManyWrite): Promise<readonly WrittenRecord[]> => {
  const written: WrittenRecord[] = []
  const created: Line[] = []
  write.refusals.expect(write.lines)
  for (const line of write.lines) {
    if (write.refusals.areMany) break
    if (line.operation === 'create') created.push(line)
    else written.push(...(await tried(write, line, () => writeExisting(write, line))))
  }
  if (created.length > 0) {
    const context = { ...write.contexts.create, ...write.more }
    const mayBeSet = createsAlike(context)
    written.push(...(await createAll({ ...write, context, mayBeSet }, created)))
  }
  return written
}

const tried = async (
  { refusals, onWritten, entity }: ManyWrite,
  line: Line,
  run: () => Promise<WrittenRecord>,
): Promise<readonly WrittenRecord[]> => {
  try {
    if (!line.isTryable) throw recordError(line.issues)
    const record = await run()
    onWritten(entity, record.id)
    return [record]
  } catch (error) {
    refusals.add(line, error)
    return []
  }
}

const writeExisting = async (
  { connection, contexts, more, deps }: ManyWrite,
  { operation, id, precondition, body }: Line,
): Promise<WrittenRecord> => {
  const context = { ...contexts[operation], ...more }
  const writer = partOf(connection)
  const target = { id, precondition }
  if (operation === 'remove') {
    await removeRecord(writer, context, target, deps.onRemoved)
    refuseUnlessLocked(context, id)
    return { id, version: null, isChanged: true }
  }
  const { version, isChanged } = await changeRecord(writer, context, target, body)
  refuseUnlessLocked(context, id)
  return { id, version, isChanged }
}

type Creating = ManyWrite & {
  readonly context: WriteContext
  readonly mayBeSet: boolean
}

/** Whether new records of a set have no part in what is decided on the others. */
const createsAlike = (context: WriteContext): boolean =>
  createsSets(context) &&
  (!readsCalculated(context, needsOfNew(context, new Map())) ||
    (affectedRollups(context).length === 0 && affectedLists(context).length === 0))

const createAll = async (
  creating: Creating,
  lines: readonly Line[],
): Promise<readonly WrittenRecord[]> => {
  const { connection, entity, refusals, onWritten, linesOf, mayBeSet } = creating
  const written: WrittenRecord[] = []
  const together = async (some: readonly Line[]) => {
    if (refusals.areMany) return
    const ids = await createAtOnce(creating, some)
    for (const id of ids) onWritten(entity, id)
    written.push(...ids.map((id) => ({ id, version: 1, isChanged: true })))
  }
  await divide(connection, lines, {
    together: mayBeSet && lines.length > 1 ? together : undefined,
    alone: async (line) => {
      if (refusals.areMany) return
      written.push(
        ...(await tried(creating, line, () => createOne(creating, line, linesOf?.(line)))),
      )
    },
  })
  return written
}

/** The link to the record with which it is written, as a part of a body. */
const linkOf = ({ link }: Many) => (link === undefined ? {} : { [link.column.name]: link.id })

const createOne = async (
  creating: Creating,
  { body }: Line,
  lines: WrittenWith | undefined,
): Promise<WrittenRecord> => {
  const { connection, context } = creating
  const { id, version } = await withConflicts({ database: connection, context }, () =>
    partOf(connection).transact((part) =>
      createRecord(part, context, { ...body, ...linkOf(creating) }, lines),
    ),
  )
  return { id, version, isChanged: true }
}

/** One statement, which writes fewer records if what some link to is not there for the writer. */
const createAtOnce = async (
  creating: Creating,
  lines: readonly Line[],
): Promise<readonly number[]> => {
  const { connection, context, entity } = creating
  if (lines.some(({ issues, nested }) => issues.length > 0 || nested)) throw new SetRefused()
  const ofCaller = ownUserDefaults(context)
  const link = linkOf(creating)
  const checked = lines.map(({ body }) =>
    checkNewValues({ ...context, body: { ...body, ...link }, ofCaller }),
  )
  // Each takes its own.
  if (checked.some(({ values }) => asksForFiles(values))) throw new SetRefused()
  const columns = writableColumns(entity)
  const conditions = columns.flatMap((column) => {
    const cell = ref(column.name, 'u')
    const target = context.catalog.entities.get(column.target ?? '')
    if (!target) return []
    // The definition takes the user from the writer, whatever these may read.
    const own = ofCaller.has(column) ? [sql`${cell} = ${int(context.userId)}`] : []
    return [anyOf([sql`${cell} IS NULL`, ...own, linkExists(context, target, cell)])]
  })
  const values = checked.map((one) => one.values)
  const ids = await createSetOf(connection, context, {
    rows: valueRows(columns, values, conditions),
    cells: [
      ...columns.map((column) => ({ column, value: ref(column.name, 'v') })),
      ...numberCells(context),
    ],
    conditions: needsOfNew(context, new Map()).conditions,
  })
  if (ids.length < lines.length || checked.some(({ issues }) => issues.length > 0))
    throw new SetRefused()
  return ids.toSorted((one, other) => one - other)
}

const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && errorKinds[error.code].status < 500

/** The issues of an error in the whole body; without any, its text. */
const placed = (line: Pick<Line, 'at'>, { message, errors }: ApiError): readonly Issue[] =>
  errors.length === 0
    ? [{ path: line.at, message }]
    : errors.map((issue) => ({ ...issue, path: at(line, issue.path) }))

/** The records that were refused: one error with the code of the first, in the order of the body. */
export class Refusals {
  readonly #places = new Map<Line, number>()
  readonly #found: { readonly line: Line; readonly error: ApiError }[] = []
  #issues = 0

  /** What is written next. */
  expect(lines: readonly Line[]): void {
    for (const line of lines) this.#places.set(line, this.#places.size)
  }

  /** More are not reported. */
  get areMany(): boolean {
    return this.#issues > maxIssues
  }

  add(line: Line, error: unknown): void {
    if (!isRefusal(error)) throw error
    this.#found.push({ line, error })
    this.#issues += Math.max(1, error.errors.length)
  }

  throwAny(): void {
    const placeOf = ({ line }: { readonly line: Line }) => this.#places.get(line) ?? 0
    const found = this.#found.toSorted((one, other) => placeOf(one) - placeOf(other))
    const [first] = found
    if (!first) return
    const issues: Issue[] = []
    for (const { line, error } of found)
      for (const issue of placed(line, error)) addIssue(issues, { code: error.code, ...issue })
    throw mixedError(first.error.code, issues)
  }
}

/** What does not fit may follow from several records, so no field is named. */
export const rollUpAll = async (
  connection: Connection,
  context: WriteContext,
  wholes: Wholes,
): Promise<void> => {
  try {
    await calculate(connection, context, wholes)
  } catch (error) {
    if (!(error instanceof WriteRejected)) throw error
    throw recordError(error.results.map((issue) => ({ ...issue, path: '' })))
  }
}
