/**
 * A bulk write of records with values of their own: what to create, change and remove, all of it or nothing. Each is written as by the
 * endpoint for one record (records/write-many.ts).
 */
import type { Caller } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import type { Connection } from '../database/pool.ts'
import type { Entity } from '../definitions/catalog.ts'
import { isObject } from '../definitions/values/check-value.ts'
import { didYouMean } from '../did-you-mean.ts'
import { apiError } from '../errors.ts'
import { addIssue, type Issue } from '../issues.ts'
import {
  checkEntries,
  type Entry,
  type Line,
  operations,
  readEntries,
  readLines,
  rights,
} from '../records/lines-of-body.ts'
import type { RecordDeps } from '../records/record-request.ts'
import { linesOn } from '../records/write-lines.ts'
import { writeTogether } from '../records/write-many.ts'
import type { Outcome } from './bulk-operations.ts'
import { invalid, maxRecords, mustBe } from './bulk-request.ts'

export type OwnValues = { readonly entries: readonly Entry[]; readonly isDryRun: boolean }

/** The most lines of all new records together. */
const maxLinesOfRecords = 5000

/** Whether a body names records with values of their own. */
export const isOwnValues = (body: unknown): body is Readonly<Record<string, unknown>> =>
  isObject(body) && operations.some((name) => Object.hasOwn(body, name))

/** Throws an error 403 where the caller lacks a permission that a body of own values needs. */
export const permitOwnValues = (
  { permissions }: { readonly permissions: Permissions },
  caller: Caller,
  entity: Entity,
  body: Readonly<Record<string, unknown>>,
): void => {
  for (const operation of operations.filter((name) => Object.hasOwn(body, name))) {
    const right = rights[operation]
    if (right === 'create') permissions.permitCreate(caller, entity)
    else permissions.permit(caller, right, entity)
  }
}

const properties = [...operations, 'dryRun']

/** Throws request.invalid with every issue of the body as a whole. */
export const parseOwnValues = (body: Readonly<Record<string, unknown>>): OwnValues => {
  const issues: Issue[] = []
  const wrong = (path: string, message: string, hint?: () => string) =>
    addIssue(issues, { path, message }, hint)
  for (const name of Object.keys(body).filter((one) => !properties.includes(one)))
    wrong(name, 'is not a property of a body with records of their own values', () =>
      didYouMean(name, properties),
    )
  const { dryRun = false } = body
  if (typeof dryRun !== 'boolean') wrong('dryRun', mustBe('true or false', dryRun))
  const entries = readEntries(
    (operation) => body[operation],
    (operation) => operation,
    wrong,
  )
  if (issues.length === 0 && (entries.length === 0 || entries.length > maxRecords))
    wrong('', `must have 1 to ${maxRecords} records in all, not ${entries.length}`)
  if (issues.length > 0) throw invalid(issues)
  return { entries, isDryRun: dryRun === true }
}

type Entered = { readonly caller: Caller; readonly entity: Entity }

/** The records of the body, checked as far as their values say; throws an error 403 where a permission on their lines lacks. */
const checkRecords = (deps: RecordDeps, entered: Entered, { entries }: OwnValues) => {
  const read = entries.map((entry) =>
    entry.operation === 'create'
      ? { entry, lines: readLines(deps, { ...entered, isNew: true }, entry.sent) }
      : { entry, lines: undefined },
  )
  const count = read
    .flatMap(({ lines }) => lines?.lists ?? [])
    .reduce((sum, { lines }) => sum + lines.length, 0)
  if (count > maxLinesOfRecords)
    throw apiError(
      'bulk.too-many',
      `The records have ${count} lines; at most ${maxLinesOfRecords} are written at once.`,
    )
  const own = read.map(({ entry, lines }) => (lines ? { ...entry, sent: lines.own } : entry))
  const { contexts, lines: checked } = checkEntries(deps, entered, own)
  const lines = checked.map((line, at): Line => {
    const { lists = [], issues = [] } = read[at]?.lines ?? {}
    return lists.length + issues.length > 0 ? { ...line, nested: { lists, issues } } : line
  })
  return { contexts, lines, entity: entered.entity }
}

/** Writes all of them in a transaction: removals, then changes, then new records; or throws with every fault. */
export const ownValuesOn = (
  deps: RecordDeps,
  entered: Entered,
  asked: OwnValues,
  onWritten: RecordDeps['onWritten'],
): ((connection: Connection) => Promise<readonly Outcome[]>) => {
  const many = checkRecords(deps, entered, asked)
  return async (connection) => {
    const linesOf = ({ nested }: Line) => nested && linesOn(deps, nested, onWritten)(connection)
    const written = await writeTogether({ ...many, connection, deps, onWritten, linesOf })
    return written.map(({ id, version, isChanged }, at) => ({
      id: asked.isDryRun && many.lines[at]?.operation === 'create' ? null : id,
      status: isChanged ? 'done' : 'unchanged',
      version,
      code: null,
      detail: null,
      errors: [],
    }))
  }
}
