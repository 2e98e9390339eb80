/**
 * Reads the body of a task: its fields by their definition, the records it is linked to, and the fields that the service
 * maintains. A client may send these back as it read them, which changes nothing.
 */
import { type Queryable, queryRow } from '../database/pool.ts'
import { int, isoTime, notDeleted, sql, table } from '../database/sql.ts'
import type { Column } from '../definitions/catalog.ts'
import { isObject, kindOf } from '../definitions/values/check-value.ts'
import { didYouMean } from '../did-you-mean.ts'
import { addIssue, isFull } from '../issues.ts'
import type { Changes } from '../records/history.ts'
import { checkGivenValues, checkNewValues, type FieldIssue } from '../records/write/check-values.ts'
import type { Values } from '../records/write/write-statements.ts'
import type { TaskContext } from './task-deps.ts'

/** A record that a task is linked to, with its place in the body. */
export type RelatedRecord = { readonly key: string; readonly id: number; readonly at: string }

export type TaskBody = {
  readonly values: Values
  /** Each record once; undefined if the body has no links. */
  readonly related: readonly RelatedRecord[] | undefined
  readonly issues: readonly FieldIssue[]
  /** Fields that the service maintains, as the client sent them back. */
  readonly kept: Readonly<Record<string, unknown>>
  /** The change of the links, once they are replaced. */
  readonly links?: Changes | undefined
}

export const maxRelatedEntities = 1000
const fromPath = ['key', 'entity_id']

/** Fields of a task that never change. */
const fixedFields = ['id', 'key', 'entity_id', '_is_deleted', '_created_by', '_created_at']
/** Fields that the service maintains; accepted as they were read. */
export const keptFields = [
  ...fixedFields,
  '_updated_by',
  '_updated_at',
  '_version',
  'updated_by',
  'assigne',
]

/** The body of a create: every field, given or by default. */
export const readNewTask = (context: TaskContext, id: number, body: unknown): TaskBody => {
  const { fields, related, issues } = readParts(body)
  for (const name of fromPath)
    if (isObject(fields) && name in fields) {
      addIssue(issues, { path: name, message: 'is given by the path', rule: 'malformed' })
      delete fields[name]
    }
  const ofPath = { key: context.entity.key, entity_id: id }
  // A body that is not an object has one issue; its fields are not reported as missing.
  const checked = isObject(fields)
    ? checkNewValues({
        ...withPath(optionsOf(context)),
        catalog: context.deps.catalog,
        body: { ...fields, ...ofPath },
      })
    : checkGivenValues({ ...optionsOf(context), body: fields })
  const all = [...issues, ...checked.issues]
  return { values: checked.values, related, issues: all, kept: {} }
}

/** The body of a change: the fields that it names, at least one. */
export const readTaskChange = (context: TaskContext, body: unknown): TaskBody => {
  const { fields, related, issues } = readParts(body)
  const kept = isObject(fields) ? takeKept(context, fields) : {}
  const checked = checkGivenValues({ ...optionsOf(context), body: fields })
  const all = [...issues, ...checked.issues]
  if (all.length === 0 && checked.values.size === 0 && related === undefined)
    all.push({ path: '', message: 'names no field to change', rule: 'malformed' })
  return { values: checked.values, related, issues: all, kept }
}

const optionsOf = ({ task, deps, rights }: TaskContext) => ({
  entity: task,
  timeZone: deps.timeZone,
  isHidden: rights.isHidden,
  isReadOnly: rights.isReadOnly,
})

// A role that hides the fields of the path, or may not write them, may create tasks all the same.
const withPath = ({ isHidden, isReadOnly, ...options }: ReturnType<typeof optionsOf>) => ({
  ...options,
  isHidden: (column: Column) => !fromPath.includes(column.name) && isHidden(column),
  isReadOnly: (column: Column) => !fromPath.includes(column.name) && isReadOnly(column),
})

/** Takes the fields that the service maintains out of a body, except those that the role hides. */
const takeKept = (
  { task, rights }: TaskContext,
  fields: Record<string, unknown>,
): Record<string, unknown> => {
  const isShown = (name: string) => {
    const column = task.columnsByName.get(name)
    return !column || !rights.isHidden(column)
  }
  const kept = Object.entries(fields).filter(([name]) => keptFields.includes(name) && isShown(name))
  for (const [name] of kept) delete fields[name]
  return Object.fromEntries(kept)
}

/** Takes the links out of the body. */
const readParts = (body: unknown) => {
  const issues: FieldIssue[] = []
  if (!isObject(body)) return { fields: body, related: undefined, issues }
  const { related_entities: list, ...fields } = body
  const related = (list ?? undefined) === undefined ? undefined : readRelated(list, issues)
  return { fields, related, issues }
}

const readRelated = (list: unknown, issues: FieldIssue[]): RelatedRecord[] => {
  const wrong: Wrong = (path, message, hint) => {
    addIssue(issues, { path, message, rule: 'malformed' }, hint)
    return []
  }
  const at = 'related_entities'
  if (!Array.isArray(list)) return wrong(at, `must be an array, not ${kindOf(list)}`)
  if (list.length > maxRelatedEntities)
    return wrong(at, `has ${list.length} entries, at most ${maxRelatedEntities} are allowed`)
  const found = new Map<string, RelatedRecord>()
  for (const [index, entry] of list.entries()) {
    if (isFull(issues)) break
    const record = readEntry(entry, `${at}[${index}]`, wrong)
    // A record that is named twice counts as one link.
    for (const one of record)
      found.set(`${one.key} ${one.id}`, found.get(`${one.key} ${one.id}`) ?? one)
  }
  return [...found.values()]
}

type Wrong = (path: string, message: string, hint?: () => string) => []

const readEntry = (entry: unknown, at: string, wrong: Wrong): RelatedRecord[] => {
  if (!isObject(entry))
    return wrong(at, `must be an object of key and entity_id, not ${kindOf(entry)}`)
  const { key, entity_id: id, ...rest } = entry
  const names = ['key', 'entity_id']
  for (const name of Object.keys(rest))
    wrong(`${at}.${name}`, 'is not a property of a related entity', () => didYouMean(name, names))
  if (typeof key !== 'string')
    wrong(`${at}.key`, `must be the key of an entity, not ${kindOf(key)}`)
  const isId = typeof id === 'number' && Number.isSafeInteger(id) && id >= 1
  if (!isId) wrong(`${at}.entity_id`, `must be the id of a record, a whole number from 1`)
  return typeof key === 'string' && isId && Object.keys(rest).length === 0 ? [{ key, id, at }] : []
}

/**
 * The body without such fields, with an issue for each that differs from the task. `_updated_by`,
 * `_updated_at` and `_version` are not compared: every change sets them, and If-Match finds a stale task.
 */
export const withoutMaintained = async (
  database: Queryable,
  { taskId }: { readonly taskId: number },
  body: TaskBody,
): Promise<TaskBody> => {
  if (Object.keys(body.kept).length === 0) return body
  const stored = await readFixed(database, taskId)
  // The change itself reports a task that does not exist.
  if (!stored) return body
  const issues = fixedFields
    .filter((name) => name in body.kept && body.kept[name] !== stored[name])
    .map(issueAt)
  const links = (body.related ?? []).map(({ key, id }) => `${key} ${id}`).sort()
  const isSame = links.join() === stored.links.sort().join()
  return {
    ...body,
    related: isSame ? undefined : body.related,
    issues: [...body.issues, ...issues],
  }
}

const issueAt = (path: string): FieldIssue => ({
  path,
  message: 'is set by the service and cannot be changed; leave it out, or send it as it was read',
  rule: 'malformed',
})

type Fixed = Readonly<Record<string, unknown>> & { readonly links: string[] }

const readFixed = async (database: Queryable, taskId: number): Promise<Fixed | undefined> => {
  const select = sql`SELECT t.id, t.key, t.entity_id, t._is_deleted, t._created_by,
      ${isoTime('t._created_at')} AS _created_at,
      (SELECT coalesce(json_agg(l.key || ' ' || l.entity_id), '[]')::text
        FROM docket.task_link l WHERE l.task_id = t.id) AS links
    FROM ${table('task')} t WHERE t.id = ${int(taskId)} AND ${notDeleted('t')}`
  const row = await queryRow<Record<string, unknown> & { links: string }>(database, select)
  return row && { ...row, links: JSON.parse(row.links) as string[] }
}
