/** A run as it is worked on: its definitions, and its user with the rights that they have now. */
import { hash } from 'node:crypto'
import { type Caller, withScope } from '../auth/caller.ts'
import { findUserCaller } from '../auth/callers/find-callers.ts'
import type { Permissions } from '../auth/permissions.ts'
import type { Queryable } from '../database/pool.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { ApiError } from '../errors.ts'
import { type LinesOfBody, readLines } from '../records/lines-of-body.ts'
import { createWriteContext } from '../records/record-request.ts'
import type { WithRecord } from '../records/write/change-record.ts'
import { writableColumn } from '../records/write/check-values.ts'
import { grantedBy, type RoleGrant, type WriteContext } from '../records/write/write-context.ts'
import {
  byList,
  columnsOfPlan,
  type ImportColumn,
  type ImportPlan,
  isHistoryColumn,
} from './import-plan.ts'
import type { ImportRun } from './run-store.ts'
import type { Staged } from './staged-rows.ts'

export type ImportDeps = {
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly timeZone: string
}

/** What is checked and written, by whom. */
export type OpenRun = Staged & {
  readonly run: ImportRun
  /** For new records; undefined: the caller creates none. */
  readonly creating: WriteContext | undefined
  /** For records that exist; undefined: the caller changes none. */
  readonly updating: WriteContext | undefined
  /** Reads the lines of a new record in its body. */
  readonly readLines: (body: Readonly<Record<string, unknown>>) => LinesOfBody
  readonly onRemoved: WithRecord
}

/** Why a run cannot go on as it is. */
export class RunRefused extends Error {}

/** Of all that decides how a file is read. */
export const definitionsDigest = (
  catalog: Catalog,
  entity: Entity,
  columns: readonly ImportColumn[],
): string => {
  const written = [entity, ...byList(columns).map(({ list }) => list.target)]
  const all = written.flatMap((one) => [
    one,
    ...one.columns.flatMap(({ target }) => catalog.entities.get(target ?? '') ?? []),
  ])
  const definitions = all.map(({ definition }) => definition.fields)
  return hash('sha256', JSON.stringify(definitions), 'base64url')
}

/** The user of a run as they may write now; throws RunRefused. */
export const openRun = async (
  database: Queryable,
  deps: ImportDeps & { readonly onRemoved: WithRecord },
  run: ImportRun,
): Promise<OpenRun> => {
  const caller = await callerOfRun(database, run)
  const entity = deps.catalog.entities.get(run.entity_key)
  const columns = entity && columnsOfPlan(deps.catalog, entity, run.plan)
  if (!entity || !columns || definitionsDigest(deps.catalog, entity, columns) !== run.digest)
    throw new RunRefused('The definitions have changed since the file was read: send it again.')
  const asked = { caller, entity, plan: run.plan, columns }
  const { context, creating, updating } = contextsOf(deps, asked)
  const [issue] = rightIssues(deps, asked)
  if (issue !== undefined) throw new RunRefused(issue)
  const isRest = run.written !== null
  // Also of what is calculated from the records.
  const isQuiet = !run.plan.notify
  const told = (one: WriteContext | undefined) => one && { ...one, isQuiet }
  const all = { run, id: run.id, plan: run.plan, entity, isRest, context }
  const lists = byList(columns).map((ofList) => {
    const { target } = ofList.list
    const { context: writing } = contextsOf(deps, { caller, entity: target })
    return { ...all, entity: target, context: writing, columns: ofList.columns, ofList, lists: [] }
  })
  return {
    ...all,
    columns: columns.filter(({ list }) => !list),
    lists,
    creating: told(creating),
    updating: told(updating),
    readLines: (body) => quiet(readLines(deps, { caller, entity, isNew: true }, body), isQuiet),
    onRemoved: deps.onRemoved,
  }
}

const quiet = ({ lists, ...read }: LinesOfBody, isQuiet: boolean): LinesOfBody => ({
  ...read,
  lists: lists.map(({ contexts, ...one }) => ({
    ...one,
    contexts: {
      create: { ...contexts.create, isQuiet },
      change: { ...contexts.change, isQuiet },
      remove: { ...contexts.remove, isQuiet },
    },
  })),
})

/** The user of a run with the rights that they have now; throws RunRefused. */
export const callerOfRun = async (database: Queryable, run: ImportRun): Promise<Caller> => {
  try {
    const user = await findUserCaller(database, run.user_id)
    const { key_scope: scope, acting_user_id: actingId } = run
    const caller = scope === null ? user : { ...user, roleKey: withScope(user.roleKey, scope) }
    // Of the one who acts as the user, only the id is stored with what is written.
    return actingId === null ? caller : { ...caller, actingUser: { id: actingId, fullName: '' } }
  } catch (error) {
    if (error instanceof ApiError) throw new RunRefused(error.message)
    throw error
  }
}

type Asked = {
  readonly caller: Caller
  readonly entity: Entity
  readonly plan: ImportPlan
  readonly columns: readonly ImportColumn[]
}

/** By what the caller writes; `context` is for what both have in common. */
export const contextsOf = (
  deps: ImportDeps,
  { caller, entity }: Pick<Asked, 'caller' | 'entity'>,
): Pick<OpenRun, 'context' | 'creating' | 'updating'> => {
  const rights = deps.permissions.rightsOf(caller, entity)
  const scope = deps.permissions.scopeOf(caller, 'update', entity)
  const context = createWriteContext(deps, { caller, entity, scope })
  // Of several roles, those that never grant a write do not let it write their columns either.
  const grantedTo = (grants: (role: RoleGrant) => boolean): WriteContext =>
    context.roles ? grantedBy(context, context.roles.filter(grants)) : context
  return {
    context,
    creating: rights.create ? grantedTo((role) => role.rights.create) : undefined,
    updating: scope === 'none' ? undefined : grantedTo(mayChange),
  }
}

const mayChange = ({ scopeOf }: RoleGrant): boolean =>
  scopeOf('update') !== 'none' && scopeOf('read') !== 'none'

/** Why the caller may not import so; each is a sentence. */
export const rightIssues = (deps: ImportDeps, asked: Asked): readonly string[] => {
  const { caller, entity, plan, columns } = asked
  const rights = deps.permissions.rightsOf(caller, entity)
  const { creating, updating } = contextsOf(deps, asked)
  const lacks = (right: string) => `The permission "${right}" on "${entity.key}" is lacking.`
  return [
    ...(rights.import === false ? [lacks('import')] : []),
    ...(plan.mode !== 'update' && !creating ? [lacks('create')] : []),
    ...(plan.mode !== 'insert' && !updating ? [lacks('update')] : []),
    ...columns.flatMap((one) => (one.list ? [] : (columnIssue(deps, asked, one) ?? []))),
    ...byList(columns).flatMap(({ list, columns: ofList }) => {
      const own = ofList.map((one) => ({ ...one, list: undefined }))
      return rightIssues(deps, { ...asked, entity: list.target, columns: own })
    }),
  ]
}

const columnIssue = (
  deps: ImportDeps,
  asked: Asked,
  { head, column }: ImportColumn,
): string | undefined => {
  const { caller, entity, plan } = asked
  const { creating, updating } = contextsOf(deps, asked)
  if (isHistoryColumn(column) || column.series) {
    if (plan.mode === 'update' && plan.match.includes(column.name)) return undefined
    return deps.permissions.rightsOf(caller, entity).import === 'history'
      ? undefined
      : `The column "${head}" needs the permission "import": "history" on "${entity.key}".`
  }
  const written = [
    ...(plan.mode === 'update' ? [] : [creating]),
    ...(plan.mode === 'insert' || plan.match.includes(column.name) ? [] : [updating]),
  ]
  for (const context of written) {
    const found = context && writableColumn(context, column.name)
    if (found && 'message' in found)
      return `The column "${head}": "${column.name}" ${found.message}.`
  }
  return undefined
}
