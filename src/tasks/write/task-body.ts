/** Reads the body of a task: its fields by their definition, and the records it is linked to. */

import type { Column } from '../../definitions/catalog.ts'
import { kindOf, type SqlValue } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { addIssue, isFull } from '../../issues.ts'
import type { Changes } from '../../records/history.ts'
import {
  checkGivenValues,
  checkNewValues,
  type FieldIssue,
} from '../../records/write/check-values.ts'
import type { TaskContext } from '../task-deps.ts'

/** A record that a task is linked to, with its place in the body. */
export type RelatedRecord = { readonly key: string; readonly id: number; readonly at: string }

export type TaskBody = {
  readonly values: ReadonlyMap<Column, SqlValue>
  /** Each record once; undefined if the body has no links. */
  readonly related: readonly RelatedRecord[] | undefined
  readonly issues: readonly FieldIssue[]
  /** Fields that the service maintains, as the client sent them back. */
  readonly kept: Readonly<Record<string, unknown>>
  /** The change of the links, once they are replaced. */
  readonly links?: Changes | undefined
}

/** The most links of a task. */
export const maxRelatedEntities = 1000
const fromPath = ['key', 'entity_id']

/** Fields of a task that never change. */
export const fixedFields = ['id', 'key', 'entity_id', '_is_deleted', '_created_by', '_created_at']
/** Fields that the service maintains; accepted as they were read. */
export const keptFields = [...fixedFields, '_updated_by', '_updated_at', '_version', 'updated_by']

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
    ? checkNewValues({ ...withPath(optionsOf(context)), body: { ...fields, ...ofPath } })
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

const optionsOf = ({ task, deps, isHidden }: TaskContext) => ({
  entity: task,
  timeZone: deps.timeZone,
  isHidden,
})

// A role that hides the fields of the path may create tasks all the same.
const withPath = ({ isHidden, ...options }: ReturnType<typeof optionsOf>) => ({
  ...options,
  isHidden: (column: Column) => !fromPath.includes(column.name) && isHidden(column),
})

/** Takes the fields that the service maintains out of a body, except those that the role hides. */
const takeKept = (
  { task, isHidden }: TaskContext,
  fields: Record<string, unknown>,
): Record<string, unknown> => {
  const isShown = (name: string) => {
    const column = task.columnsByName.get(name)
    return !column || !isHidden(column)
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
