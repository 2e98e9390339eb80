/**
 * Reads the lines in the body of a create or change: by the name of a one-to-many field, what to create, change and remove of
 * its records. Each is checked as in a write of that record alone.
 */
import { isHidden } from '../auth/entity-rights.ts'
import { findList, type List } from '../definitions/association-path.ts'
import type { Column } from '../definitions/catalog.ts'
import { isWrittenWithRecord, maxLines } from '../definitions/lines.ts'
import { isObject, kindOf } from '../definitions/values/check-value.ts'
import { didYouMean } from '../did-you-mean.ts'
import { isId } from '../http/endpoint/parameters.ts'
import type { Precondition } from '../http/preconditions.ts'
import { addIssue, maxIssues } from '../issues.ts'
import { createWriteContext, type Entered, type RecordDeps } from './record-request.ts'
import { checkGivenValues, checkNewValues, type FieldIssue } from './write/check-values.ts'
import { creatingContext, type WriteContext } from './write/write-context.ts'
import type { Values } from './write/write-statements.ts'

/** In the order in which they are done: what is removed frees unique values. */
export const operations = ['remove', 'change', 'create'] as const
export type LineOperation = (typeof operations)[number]

/** A record in a body, with values of its own. */
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
  /** What is wrong with it, with paths in itself. */
  readonly issues: readonly FieldIssue[]
  /** Whether a write of it would say so, too, and all else that is wrong with it. */
  readonly isTryable: boolean
  /** What is written with it. */
  readonly nested?: Pick<LinesOfBody, 'lists' | 'issues'>
}

/** The lines of a one-to-many field. */
export type LinesOfList = {
  readonly list: List
  /** By operation, what the caller may write. */
  readonly contexts: Readonly<Record<LineOperation, WriteContext>>
  readonly lines: readonly Line[]
}

/** Entries of a body, by operation. */
export type Entry = {
  readonly at: string
  readonly operation: LineOperation
  readonly sent: unknown
}

export type LinesOfBody = {
  /** The body without its lines. */
  readonly own: unknown
  /** None: the body names no one-to-many field. */
  readonly lists: readonly LinesOfList[]
  readonly issues: readonly FieldIssue[]
}

type Deps = Pick<RecordDeps, 'catalog' | 'permissions' | 'timeZone'>

/** Who writes a record of which entity. */
export type Asked = Omit<Entered, 'scope'> & { readonly isNew: boolean }

/** Throws an error 403 where the caller's role lacks a permission on the records of a list; issues are collected. */
export const readLines = (deps: Deps, asked: Asked, body: unknown): LinesOfBody => {
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

type GivenList = { readonly list: List; readonly entries: readonly Entry[] }

type Reading = Asked & { readonly issues: FieldIssue[] }

const readList = (
  { catalog, permissions }: Deps,
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
  const sentOf = (operation: LineOperation) =>
    isNew && operation !== 'create' ? undefined : sent[operation]
  const entries = readEntries(sentOf, (operation) => `${name}.${operation}`, wrong)
  return [{ list, entries }]
}

/** The entries of the array of each operation. */
export const readEntries = (
  sentOf: (operation: LineOperation) => unknown,
  pathOf: (operation: LineOperation) => string,
  wrong: (path: string, message: string) => void,
): readonly Entry[] =>
  operations.flatMap((operation) => {
    const sent = sentOf(operation)
    if (sent === undefined) return []
    const path = pathOf(operation)
    if (!Array.isArray(sent)) {
      wrong(path, `must be an array, not ${kindOf(sent)}`)
      return []
    }
    return sent.map((one, at) => ({ at: `${path}[${at}]`, operation, sent: one }))
  })

/** Whether the caller knows the records of a list, and what links them. */
const isKnown = (
  { touches, rightsOf }: RecordDeps['permissions'],
  caller: Asked['caller'],
  { target, link }: List,
): boolean => touches(caller, target) && !isHidden(rightsOf(caller, target), link)

/** The right that each operation needs. */
export const rights = { create: 'create', change: 'update', remove: 'delete' } as const

const checkLines = (
  deps: Deps,
  { caller, issues }: Reading,
  { list, entries }: GivenList,
): LinesOfList => {
  const { target, link } = list
  const checked = checkEntries(deps, { caller, entity: target, link }, entries)
  const creating = entries.find(({ operation }) => operation === 'create')
  if (creating && checked.contexts.create.isReadOnly(link))
    addIssue(issues, {
      path: creating.at,
      message: `links to the record by "${link.name}", which your role may not write`,
      rule: 'malformed',
    })
  for (const line of checked.lines)
    for (const { path, ...issue } of line.issues)
      addIssue(issues, { ...issue, path: at(line, path) })
  return { list, ...checked }
}

type Checked = Omit<Asked, 'isNew'> & {
  /** What links them to the record with which they are written. */
  readonly link?: Column
}

/** Throws an error 403 where the caller's role lacks a permission that the entries need; what is wrong with each is said in it. */
export const checkEntries = (
  deps: Deps,
  { caller, entity, link }: Checked,
  entries: readonly Entry[],
): Omit<LinesOfList, 'list'> => {
  const { permissions } = deps
  const contextOf = (operation: LineOperation) => {
    const right = rights[operation]
    const isAsked = entries.some((one) => one.operation === operation)
    const scope = right === 'create' || !isAsked ? 'all' : permissions.permit(caller, right, entity)
    if (isAsked && right === 'create') permissions.permitCreate(caller, entity)
    return createWriteContext(deps, { caller, entity, scope })
  }
  const contexts = {
    create: creatingContext(contextOf('create')),
    change: contextOf('change'),
    remove: contextOf('remove'),
  }
  const seen = new Set<number>()
  let found = 0
  const lines = entries.map((entry): Line => {
    // Further ones are not reported.
    const line =
      found > maxIssues
        ? untryable(entry, 'is not checked')
        : checkLine(link, contexts[entry.operation], entry, seen)
    found += line.issues.length
    return line
  })
  return { contexts, lines }
}

/** The path in the whole body of an issue in a line. */
export const at = (line: Pick<Line, 'at'>, path: string): string =>
  path === '' ? line.at : `${line.at}.${path}`

const untryable = ({ at: place, operation }: Entry, message: string): Line => ({
  at: place,
  operation,
  id: 0,
  precondition: 'any',
  body: {},
  values: new Map(),
  issues: [{ path: '', message, rule: 'malformed' }],
  isTryable: false,
})

const checkLine = (
  link: Column | undefined,
  context: WriteContext,
  entry: Entry,
  seen: Set<number>,
): Line => {
  const { sent } = entry
  if (!isObject(sent)) return untryable(entry, `must be an object, not ${kindOf(sent)}`)
  const { at: place, operation } = entry
  const issues: FieldIssue[] = []
  const wrong = (path: string, message: string) =>
    addIssue(issues, { path, message, rule: 'malformed' })
  const { given, others } = withoutLink(sent, link)
  if (given !== undefined && link)
    wrong(link.name, 'is the record with which this one is written, and is not given')
  const line = { at: place, operation, id: 0, precondition: 'any', issues } as const
  if (operation === 'create') {
    // Which record it will be does not matter for what can be wrong here.
    const body = link ? { ...others, [link.name]: 1 } : others
    const { values, issues: found } = checkNewValues({ ...context, body })
    const isTryable = issues.length === 0
    issues.push(...found.filter(({ path }) => path !== link?.name))
    const own = new Map([...values].filter(([column]) => column.name !== link?.name))
    return { ...line, body: others, values: own, isTryable }
  }
  const { id, _version: version, ...body } = others
  if (!isId(id)) wrong('id', id === undefined ? 'is required' : 'must be the id of a record')
  else if (seen.has(id)) wrong('id', `is ${id} again`)
  else seen.add(id)
  if (version !== undefined && !isId(version)) wrong('_version', 'must be a version')
  if (operation === 'remove')
    for (const name of Object.keys(body)) wrong(name, 'is not for a record that is removed')
  if (operation === 'change' && Object.keys(body).length === 0)
    wrong('', 'names no field to change')
  const isTryable = issues.length === 0
  const { values, issues: found } = checkGivenValues({
    ...context,
    body: operation === 'remove' ? {} : body,
  })
  issues.push(...found)
  const precondition = isId(version) ? [version] : 'any'
  return { ...line, id: isId(id) ? id : 0, precondition, body, values, isTryable }
}

const withoutLink = (
  sent: Readonly<Record<string, unknown>>,
  link: Column | undefined,
): { readonly given: unknown; readonly others: Readonly<Record<string, unknown>> } => {
  if (!link) return { given: undefined, others: sent }
  const { [link.name]: given, ...others } = sent
  return { given, others }
}
