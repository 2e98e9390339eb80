/**
 * Writes a record with its lines, in one transaction: what all of them need is locked at first, in the one order of all writes
 * (write/lock-record.ts). Then the record is written, and each line by the code of a write of that line alone: removals first,
 * so that their unique values are free. One line that is refused refuses everything, and all of them are named.
 */
import { type Connection, queryShaped } from '../database/pool.ts'
import { int, ints, notDeleted, ref, sql, table } from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import type { Entity } from '../definitions/catalog.ts'
import { errorKinds } from '../error-kinds.ts'
import { ApiError, validationError } from '../errors.ts'
import { addIssue, type Issue } from '../issues.ts'
import { compileScope } from '../query/compile-select.ts'
import { askedThrough } from '../query/conditions/condition-through.ts'
import {
  at,
  type Line,
  type LineOperation,
  type LinesOfBody,
  type LinesOfList,
} from './lines-of-body.ts'
import type { RecordDeps } from './record-request.ts'
import {
  changeRecord,
  createRecord,
  removeRecord,
  type WrittenWith,
} from './write/change-record.ts'
import { lockTogether, refuseUnlessLocked, type WritePart } from './write/lock-record.ts'
import { needsOfChange, needsOfNew, needsOfRemoval } from './write/operation-needs.ts'
import { rollUp } from './write/roll-up.ts'
import type { Wholes, WriteContext } from './write/write-context.ts'
import { neededLinks, readsCalculated, type WriteNeeds } from './write/write-needs.ts'
import { recordError, WriteRejected, withConflicts } from './write/write-rejected.ts'
import type { Values } from './write/write-statements.ts'

type Written = (entity: Entity, id: number) => void

/** The lines of a body on the connection of a transaction; `onWritten` is called with each of their records. */
export const linesOn =
  (deps: Pick<RecordDeps, 'onRemoved'>, { lists, issues }: LinesOfBody, onWritten: Written) =>
  (connection: Connection): WrittenWith => {
    let lockedAhead: ReadonlySet<number>[] = []
    let isLater = false
    return {
      issues,
      lock: async (context, needs, ids) => {
        const own = { context, needs: withAskedThrough(needs, lists), ids }
        const parts = issues.length > 0 ? [] : lists.map((one) => partsOf(one, ids))
        isLater = !parts.flat().some((part) => readsCalculated(part.context, part.needs))
        const [locked = new Set<number>(), ...others] = await lockTogether(connection, [
          own,
          ...parts.flat(),
        ])
        lockedAhead = parts.map((ofList) =>
          others.splice(0, ofList.length).reduce((all, some) => all.union(some), new Set<number>()),
        )
        return locked
      },
      write: async (id, wholes) => {
        const later: Wholes | undefined = isLater ? new Map(wholes) : undefined
        const refusals = new Refusals()
        for (const [index, one] of lists.entries()) {
          const more = {
            lockedAhead: lockedAhead[index] ?? new Set<number>(),
            ...(later && { laterRollups: later }),
          }
          await writeList(connection, deps, { ...one, id, more, refusals, onWritten })
        }
        refusals.throwAny()
        const [first] = lists
        if (first) await rollUpAll(connection, first.contexts.create, later ?? wholes)
      },
    }
  }

/** With what the conditions of new and changed lines read through the record: a new one cannot be followed yet. */
const withAskedThrough = (needs: WriteNeeds, lists: readonly LinesOfList[]): WriteNeeds => {
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

/** Lines that need the same are one part. */
const partsOf = (
  { list, contexts, lines }: LinesOfList,
  ids: readonly number[] | 'new',
): readonly WritePart[] => {
  const link: Values = ids === 'new' ? new Map() : new Map([[list.link, ids[0] ?? null]])
  const needsOf: Readonly<Record<LineOperation, (line: Line) => WriteNeeds>> = {
    create: ({ values }) => needsOfNew(contexts.create, new Map([...values, ...link])),
    change: ({ values }) => needsOfChange(contexts.change, values),
    remove: () => needsOfRemoval(contexts.remove),
  }
  const parts = new Map<string, WritePart>()
  for (const line of lines) {
    const context = contexts[line.operation]
    const needs = needsOf[line.operation](line)
    const links = neededLinks(context, needs)
    const key = JSON.stringify([line.operation, needs.columns, links])
    const same = parts.get(key)
    const given = line.operation === 'create' ? 'new' : [line.id]
    parts.set(
      key,
      same && given !== 'new' && same.ids !== 'new'
        ? { ...same, ids: [...same.ids, ...given] }
        : { context, needs, ids: given },
    )
  }
  return [...parts.values()]
}

type ListWrite = LinesOfList & {
  /** Of the record that has the list. */
  readonly id: number
  readonly more: Pick<WriteContext, 'lockedAhead' | 'laterRollups'>
  readonly refusals: Refusals
  readonly onWritten: Written
}

const writeList = async (
  connection: Connection,
  deps: Pick<RecordDeps, 'onRemoved'>,
  write: ListWrite,
): Promise<void> => {
  const { list, contexts, lines, id, more, refusals, onWritten } = write
  await requireOwn(connection, write)
  const writer = partOf(connection)
  const writes: Readonly<
    Record<LineOperation, (context: WriteContext, line: Line) => Promise<number>>
  > = {
    create: async (context, { body }) => {
      const record = await withConflicts({ database: connection, context }, () =>
        writer.transact((part) => createRecord(part, context, { ...body, [list.link.name]: id })),
      )
      return record.id
    },
    change: async (context, { id: lineId, precondition, body }) => {
      await changeRecord(writer, context, { id: lineId, precondition }, body)
      refuseUnlessLocked(context, lineId)
      return lineId
    },
    remove: async (context, { id: lineId, precondition }) => {
      await removeRecord(writer, context, { id: lineId, precondition }, deps.onRemoved)
      refuseUnlessLocked(context, lineId)
      return lineId
    },
  }
  for (const line of lines)
    try {
      const context = { ...contexts[line.operation], ...more }
      onWritten(list.target, await writes[line.operation](context, line))
    } catch (error) {
      refusals.add(line, error)
    }
}

/** Throws with every line that is not one of the record, or that the writer may not read. */
const requireOwn = async (
  connection: Connection,
  { list: { target, link }, contexts, lines, id }: ListWrite,
): Promise<void> => {
  const existing = lines.filter(({ operation }) => operation !== 'create')
  if (existing.length === 0) return
  const readable = contexts.change.access.readScope(target)
  const select = sql`
    SELECT t.id FROM ${table(target)} t
    WHERE t.id = ANY (${ints(existing.map((line) => line.id))}) AND ${notDeleted('t')}
      AND ${ref(link.name, 't')} = ${int(id)} AND ${compileScope(readable, target.hasOwner, 't')}`
  const own = new Set((await queryShaped<{ id: number }>(connection, select)).map((row) => row.id))
  const others = existing.filter((line) => !own.has(line.id))
  if (others.length === 0) return
  throw recordError(
    others.map((line) => ({
      path: at(line, 'id'),
      message: `there is no ${target.key} ${line.id} of this record that you may read`,
      rule: 'refused',
    })),
  )
}

const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && errorKinds[error.code].status < 500

/** The issues of an error in the whole body; without any, its text. */
const placed = (line: Pick<Line, 'at'>, { message, errors }: ApiError): readonly Issue[] =>
  errors.length === 0
    ? [{ path: line.at, message }]
    : errors.map((issue) => ({ ...issue, path: at(line, issue.path) }))

/** What does not fit may follow from several lines, so no field is named. */
const rollUpAll = async (
  connection: Connection,
  context: WriteContext,
  wholes: Wholes,
): Promise<void> => {
  try {
    await rollUp(connection, context, wholes)
  } catch (error) {
    if (!(error instanceof WriteRejected)) throw error
    throw recordError(error.results.map((issue) => ({ ...issue, path: '' })))
  }
}

/** The lines that were refused: one error with the code of the first. */
class Refusals {
  readonly #issues: Issue[] = []
  #first: ApiError | undefined

  add(line: Line, error: unknown): void {
    if (!isRefusal(error)) throw error
    this.#first ??= error
    for (const issue of placed(line, error)) addIssue(this.#issues, issue)
  }

  throwAny(): void {
    if (this.#first) throw validationError(this.#first.code, this.#issues)
  }
}
