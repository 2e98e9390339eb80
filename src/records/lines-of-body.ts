/**
 * Reads the lines in the body of a create or change: by the name of a one-to-many field, what to create, change and remove of
 * its records. Each is checked as in a write of that record alone.
 */
import { isHidden } from '../auth/entity-rights.ts'
import { findList, type List } from '../definitions/association-path.ts'
import { isWrittenWithRecord, maxLines } from '../definitions/lines.ts'
import { isObject, kindOf } from '../definitions/values/check-value.ts'
import { didYouMean } from '../did-you-mean.ts'
import { maxRecordId } from '../http/endpoint/parameters.ts'
import type { Precondition } from '../http/preconditions.ts'
import { addIssue, isFull } from '../issues.ts'
import { createWriteContext, type Entered, type RecordDeps } from './record-request.ts'
import { creatingContext } from './write/change-record.ts'
import { checkGivenValues, checkNewValues, type FieldIssue } from './write/check-values.ts'
import type { WriteContext } from './write/write-context.ts'
import type { Values } from './write/write-statements.ts'

const operations = ['remove', 'change', 'create'] as const
export type LineOperation = (typeof operations)[number]

/** A line of a body. */
export type Line = {
  /** Its path in the body: `lines.create[2]`. */
  readonly at: string
  readonly operation: LineOperation
  /** Of an existing record. */
  readonly id: number
  readonly precondition: Precondition
  /** Its fields, without id, version and link. */
  readonly body: Readonly<Record<string, unknown>>
  /** Their values, without the link. */
  readonly values: Values
}

/** The lines of a one-to-many field. */
export type LinesOfList = {
  readonly list: List
  /** By operation, what the caller may write. */
  readonly contexts: Readonly<Record<LineOperation, WriteContext>>
  readonly lines: readonly Line[]
}

export type LinesOfBody = {
  /** The body without its lines. */
  readonly own: unknown
  /** None: the body names no one-to-many field. */
  readonly lists: readonly LinesOfList[]
  readonly issues: readonly FieldIssue[]
}

/** Who writes a record of which entity. */
export type Asked = Omit<Entered, 'scope'> & { readonly isNew: boolean }

/** Throws an error 403 where the caller's role lacks a permission on the records of a list; issues are collected. */
export const readLines = (deps: RecordDeps, asked: Asked, body: unknown): LinesOfBody => {
  const { caller, entity } = asked
  const { hiddenFields } = deps.permissions.rightsOf(caller, entity)
  const names = isObject(body)
    ? Object.keys(body).filter((name) => entity.oneToMany.has(name) && !hiddenFields.has(name))
    : []
  if (!isObject(body) || names.length === 0) return { own: body, lists: [], issues: [] }
  const issues: FieldIssue[] = []
  const given = names.flatMap((name) => readList(deps, { ...asked, name, issues }, body[name]))
  const count = given.reduce((sum, { entries }) => sum + entries.length, 0)
  if (count > maxLines)
    addIssue(issues, {
      path: '',
      message: `has ${count} lines; at most ${maxLines} are written with a record`,
      rule: 'malformed',
    })
  const lists =
    count > maxLines ? [] : given.map((one) => checkLines(deps, { ...asked, issues }, one))
  const own = Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
  return { own, lists, issues }
}

type Entry = { readonly at: string; readonly operation: LineOperation; readonly sent: unknown }

type GivenList = { readonly list: List; readonly entries: readonly Entry[] }

type Reading = Asked & { readonly issues: FieldIssue[] }

const readList = (
  { catalog, permissions }: RecordDeps,
  { caller, entity, isNew, name, issues }: Reading & { readonly name: string },
  sent: unknown,
): readonly GivenList[] => {
  const wrong = (path: string, message: string, hint?: () => string) =>
    addIssue(issues, { path, message, rule: 'malformed' }, hint)
  const list = findList(catalog, entity, name)
  if (!list || !isKnown(permissions, caller, list)) {
    wrong(name, 'has records that your role may not write')
    return []
  }
  if (!isWrittenWithRecord(list)) {
    wrong(name, 'has records that are not written with another one; write them by themselves')
    return []
  }
  if (!isObject(sent)) {
    const shape = isNew ? '{ "create": […] }' : '{ "create": […], "change": […], "remove": […] }'
    wrong(name, `must be ${shape}, not ${kindOf(sent)}`)
    return []
  }
  const possible: readonly string[] = isNew ? ['create'] : operations
  for (const key of Object.keys(sent).filter((one) => !possible.includes(one)))
    wrong(
      `${name}.${key}`,
      isNew && operations.some((one) => one === key)
        ? 'is not for a new record, which has no lines yet'
        : 'is not a property of this object',
      () => didYouMean(key, possible),
    )
  const entries = operations.flatMap((operation) => {
    const entriesOf = isNew && operation !== 'create' ? undefined : sent[operation]
    if (entriesOf === undefined) return []
    const path = `${name}.${operation}`
    if (!Array.isArray(entriesOf)) {
      wrong(path, `must be an array, not ${kindOf(entriesOf)}`)
      return []
    }
    return entriesOf.map((one, at): Entry => ({ at: `${path}[${at}]`, operation, sent: one }))
  })
  return [{ list, entries }]
}

/** Whether the caller knows the records of a list, and what links them. */
const isKnown = (
  { touches, rightsOf }: RecordDeps['permissions'],
  caller: Asked['caller'],
  { target, link }: List,
): boolean => touches(caller, target) && !isHidden(rightsOf(caller, target), link)

const rights = { create: 'create', change: 'update', remove: 'delete' } as const

const checkLines = (
  deps: RecordDeps,
  { caller, issues }: Reading,
  { list, entries }: GivenList,
): LinesOfList => {
  const { permissions } = deps
  const contextOf = (operation: LineOperation) => {
    const right = rights[operation]
    const isAsked = entries.some((one) => one.operation === operation)
    const scope =
      right === 'create' || !isAsked ? 'all' : permissions.permit(caller, right, list.target)
    if (isAsked && right === 'create') permissions.permitCreate(caller, list.target)
    return createWriteContext(deps, { caller, entity: list.target, scope })
  }
  const contexts = {
    create: creatingContext(contextOf('create')),
    change: contextOf('change'),
    remove: contextOf('remove'),
  }
  const creating = entries.find(({ operation }) => operation === 'create')
  if (creating && contexts.create.isReadOnly(list.link))
    addIssue(issues, {
      path: creating.at,
      message: `links to the record by "${list.link.name}", which your role may not write`,
      rule: 'malformed',
    })
  const seen = new Set<number>()
  const lines = entries.flatMap((entry) => {
    if (isFull(issues)) return []
    const found: FieldIssue[] = []
    const line = checkLine(list, contexts[entry.operation], entry, { seen, issues: found })
    for (const { path, ...issue } of found) addIssue(issues, { ...issue, path: at(entry, path) })
    return line
  })
  return { list, contexts, lines }
}

/** The path in the whole body of an issue in a line. */
export const at = (line: Pick<Line, 'at'>, path: string): string =>
  path === '' ? line.at : `${line.at}.${path}`

const isId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxRecordId

type Checking = { readonly seen: Set<number>; readonly issues: FieldIssue[] }

const checkLine = (
  { link }: List,
  context: WriteContext,
  { at: place, operation, sent }: Entry,
  { seen, issues }: Checking,
): readonly Line[] => {
  const wrong = (path: string, message: string) =>
    addIssue(issues, { path, message, rule: 'malformed' })
  if (!isObject(sent)) {
    wrong('', `must be an object, not ${kindOf(sent)}`)
    return []
  }
  const { [link.name]: given, ...others } = sent
  if (given !== undefined)
    wrong(link.name, 'is the record with which this one is written, and is not given')
  if (operation === 'create') {
    // Which record it will be does not matter for what can be wrong here.
    const { values, issues: found } = checkNewValues({
      ...context,
      body: { ...others, [link.name]: 1 },
    })
    issues.push(...found.filter(({ path }) => path !== link.name))
    const own = new Map([...values].filter(([column]) => column.name !== link.name))
    return [{ at: place, operation, id: 0, precondition: 'any', body: others, values: own }]
  }
  const { id, _version: version, ...body } = others
  if (!isId(id)) wrong('id', id === undefined ? 'is required' : 'must be the id of a record')
  else if (seen.has(id)) wrong('id', `is ${id} again`)
  else seen.add(id)
  if (version !== undefined && !isId(version)) wrong('_version', 'must be a version')
  if (operation === 'remove')
    for (const name of Object.keys(body)) wrong(name, 'is not for a record that is removed')
  const { values, issues: found } = checkGivenValues({
    ...context,
    body: operation === 'remove' ? {} : body,
  })
  issues.push(...found)
  if (operation === 'change' && Object.keys(body).length === 0)
    wrong('', 'names no field to change')
  const precondition = isId(version) ? [version] : 'any'
  return isId(id) ? [{ at: place, operation, id, precondition, body, values }] : []
}
