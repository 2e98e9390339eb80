/** The steps of all workflows in which a caller may approve or reject; they follow from definitions and role. */
import { authorOf, type Caller, eachRoleOf, type Person, roleKeysOf } from '../auth/caller.ts'
import { isHidden } from '../auth/entity-rights.ts'
import type { Permissions } from '../auth/permissions.ts'
import { anyScope } from '../auth/united-rights.ts'
import { type Queryable, queryOnce } from '../database/pool.ts'
import {
  allOf,
  anyOf,
  bigint,
  int,
  isoTime,
  join,
  notDeleted,
  nothing,
  ref,
  type Sql,
  sql,
  table,
  text,
  texts,
} from '../database/sql.ts'
import { actionKindNames, actionKinds } from '../definitions/action-kinds.ts'
import { type Catalog, type Column, type Entity, getStepColumn } from '../definitions/catalog.ts'
import { didYouMean } from '../did-you-mean.ts'
import { validationError } from '../errors.ts'
import { shorten } from '../issues.ts'
import { type Access, type RecordScope, shownIn } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { compileRows } from '../query/compile-select.ts'
import type { DecidedConditions } from '../query/conditions/decide-conditions.ts'
import type { Page } from '../query/select-plan.ts'
import { mayBeNamed } from '../records/history.ts'
import { unlockedScope } from '../records/write/locks.ts'
import { decideActions, usersOf } from './demands.ts'
import { type Action, getWorkflow, mayTake, type Step } from './workflow.ts'

/** A step with the actions that decide on its records and that the caller may take. */
type DecisionStep = { readonly step: Step; readonly actions: readonly Action[] }

/** An entity whose records may wait for the caller. */
type Queue = {
  readonly entity: Entity
  /** The records that may be read. */
  readonly scope: RecordScope
  readonly isHidden: (column: Column) => boolean
  readonly steps: readonly DecisionStep[]
  /** Of a caller with several roles: the records on which those who have an action may take it. */
  readonly within?: ReadonlyMap<Action, RecordScope>
}

/** A queue with the conditions of its actions for the caller. */
export type DecidedQueue = Queue & {
  readonly conditions: DecidedConditions<Action>
  /** The records that no step of another record locks. */
  readonly unlocked: RecordScope
}

type QueueDeps = { readonly catalog: Catalog; readonly permissions: Permissions }

/** Which of them are asked for; undefined: all. */
type Wanted = {
  readonly entity: string | undefined
  /** The key or the kind of an action. */
  readonly action: string | undefined
}

/** The queues of a caller with the conditions of their actions, of which some may hold for no record. */
export const decidedQueuesOf = (
  deps: QueueDeps & { readonly timeZone: string },
  caller: Caller,
  wanted: Wanted,
): readonly DecidedQueue[] => {
  const decider = authorOf(caller)
  return wantedQueues(deps, caller, wanted).map((queue) => {
    const actions = queue.steps.flatMap((step) => step.actions)
    const decided = decideActions(deps, usersOf(decider), queue.entity, actions)
    const unlocked = unlockedScope(deps.catalog, queue.entity, roleKeysOf(caller))
    return { ...queue, unlocked, conditions: { ...decided, byKey: withinScopes(queue, decided) } }
  })
}

/** The conditions of the actions, and that a role which has the action reads the record. */
const withinScopes = (
  { entity, within }: Queue,
  { byKey }: DecidedConditions<Action>,
): DecidedConditions<Action>['byKey'] =>
  new Map([
    ...byKey,
    ...[...(within ?? [])].flatMap(([action, scope]) => {
      const holds = byKey.get(action)
      const inScope = compileScope(scope, entity.hasOwner, 't')
      return scope === 'all' ? [] : [[action, allOf([inScope, ...(holds ? [holds] : [])])] as const]
    }),
  ])

/** An error for an entity or an action that the caller has nothing to decide by. */
const wantedQueues = (deps: QueueDeps, caller: Person, { entity, action }: Wanted) => {
  const key = entity === undefined ? undefined : deps.permissions.entityFor(caller, entity).key
  const queues = queuesOf(deps, caller).filter((one) => key === undefined || one.entity.key === key)
  if (action === undefined) return queues
  const own = queues.flatMap(({ steps }) => steps.flatMap(({ actions }) => actions))
  const names = new Set([...decisionKinds, ...own.map((one) => one.key)])
  if (!names.has(action))
    throw validationError('request.invalid', [
      {
        path: 'action',
        message: `${JSON.stringify(shorten(action, 40))} is not an action that you decide by${didYouMean(action, names)}`,
      },
    ])
  const isWanted = (one: Action) => one.key === action || one.kind === action
  return queues
    .map((queue) => ({ ...queue, steps: stepsWith(queue.steps, isWanted) }))
    .filter(({ steps }) => steps.length > 0)
}

const decisionKinds = actionKindNames.filter((kind) => actionKinds[kind].isDecision)

const stepsWith = (
  steps: readonly DecisionStep[],
  isWanted: (action: Action) => boolean,
): readonly DecisionStep[] =>
  steps
    .map((one) => ({ ...one, actions: one.actions.filter(isWanted) }))
    .filter(({ actions }) => actions.length > 0)

/**
 * The queues of a caller. An entity whose steps the role hides has none: that a record is in the list would
 * tell its step. Of several roles, each decides by its own actions on the records that it reads.
 */
export const queuesOf = (deps: QueueDeps, caller: Person): readonly Queue[] => {
  const roles = eachRoleOf(caller)
  const queues = roles.flatMap((role) => queuesOfRole(deps, role))
  if (roles.length === 1) return queues
  const { permissions } = deps
  return [...Map.groupBy(queues, ({ entity }) => entity)].map(([entity, own]) => {
    const rights = permissions.rightsOf(caller, entity)
    const steps = getWorkflow(entity).steps.map((step) => ({ step, actions: step.actions ?? [] }))
    const scopesOf = (action: Action) =>
      own.flatMap((queue) =>
        queue.steps.some(({ actions }) => actions.includes(action)) ? [queue.scope] : [],
      )
    const taken = stepsWith(steps, (action) => scopesOf(action).length > 0)
    return {
      entity,
      scope: permissions.scopeOf(caller, 'read', entity),
      isHidden: (column) => isHidden(rights, column),
      steps: taken,
      within: new Map(
        taken.flatMap(({ actions }) =>
          actions.map((action) => [action, anyScope(scopesOf(action))] as const),
        ),
      ),
    }
  })
}

const queuesOfRole = ({ catalog, permissions }: QueueDeps, caller: Person): readonly Queue[] =>
  [...catalog.entities.values()].flatMap((entity) => {
    const scope = permissions.scopeOf(caller, 'read', entity)
    if (!entity.hasWorkflow || scope === 'none') return []
    const rights = permissions.rightsOf(caller, entity)
    const isHiddenHere = (column: Column) => isHidden(rights, column)
    if (isHiddenHere(getStepColumn(entity))) return []
    const mayDecide = (action: Action) =>
      actionKinds[action.kind].isDecision === true && mayTake(entity, rights, action)
    const all = getWorkflow(entity).steps.map((step) => ({ step, actions: step.actions ?? [] }))
    const steps = stepsWith(all, mayDecide)
    return steps.length === 0 ? [] : [{ entity, scope, isHidden: isHiddenHere, steps }]
  })

/** How many records of one entity are listed, and how far all of them are counted. */
export const maxWaiting = 10_000
const maxDisplayed = 500

export type WaitingRow = {
  readonly entity_key: string
  readonly id: number
  readonly version: number
  readonly step: string
  /** Whether an action that approves is open; otherwise one that rejects is. */
  readonly is_approvable: boolean
  /** Keys of the actions whose condition holds for it; those without a condition are not in it. */
  readonly met: readonly string[]
  readonly display: string
  readonly since: string | null
  readonly user_id: number | null
  readonly full_name: string | null
  readonly acting_user_id: number | null
  readonly acting_name: string | null
}

type Listing = {
  readonly queues: readonly DecidedQueue[]
  readonly reader: { readonly people: Entity; readonly access: Access }
  readonly order: 'oldest' | 'newest'
  readonly page: Page
}

/** One page of the waiting records. */
export const listWaiting = async (
  database: Queryable,
  { queues, reader, order, page }: Listing,
): Promise<readonly WaitingRow[]> => {
  if (queues.length === 0) return []
  const direction = order === 'oldest' ? sql`ASC NULLS FIRST` : sql`DESC NULLS LAST`
  const ordering = sql`ORDER BY is_approvable DESC, since ${direction}, entity_key, id`
  // The page is cut first, so that only its records are printed.
  const select = sql`
    SELECT p.entity_key, p.id, p.version, p.step, p.met, p.is_approvable, ${displayOf(queues)} AS display,
      p.user_id, u.full_name, p.acting_user_id, a.full_name AS acting_name,
      ${isoTime('p.since')} AS since
    FROM (
      SELECT w.*, coalesce(s.at, w.created_at) AS since, coalesce(s.user_id, w.created_by) AS user_id,
        s.acting_user_id
      FROM (${union(queues, candidates)}) w
      LEFT JOIN LATERAL (${arrival}) s ON true
      ${ordering}
      LIMIT ${bigint(page.limit)} OFFSET ${bigint(page.offset)}
    ) p
    LEFT JOIN ${table('user')} u ON u.id = p.user_id AND ${mayBeNamed(reader, 'u')}
    LEFT JOIN ${table('user')} a ON a.id = p.acting_user_id AND ${mayBeNamed(reader, 'a')}
    ${ordering}`
  return queryOnce<WaitingRow>(database, select)
}

/** The number of waiting records, up to one more than the maximum. */
export const countWaiting = async (
  database: Queryable,
  queues: readonly DecidedQueue[],
): Promise<number> => {
  if (queues.length === 0) return 0
  const most = bigint(maxWaiting + 1)
  const ofEntity = (queue: DecidedQueue) => sql`SELECT FROM ${waiting(queue)} LIMIT ${most}`
  const select = sql`
    SELECT count(*) AS count
    FROM (SELECT FROM (${union(queues, ofEntity)}) w LIMIT ${most}) w`
  const [row] = await queryOnce<{ count: number }>(database, select)
  return row?.count ?? 0
}

const union = (queues: readonly DecidedQueue[], ofEntity: (queue: DecidedQueue) => Sql): Sql =>
  join(
    queues.map((queue) => sql`(${ofEntity(queue)})`),
    ' UNION ALL ',
  )

const waiting = ({ entity, scope, unlocked, steps, conditions }: DecidedQueue): Sql => {
  const keys = texts(steps.map(({ step }) => step.key))
  // A step with an action that always is open needs no further condition.
  const limits = steps.flatMap(({ step, actions }) => {
    const holds = actions.map((action) => conditions.byKey.get(action) ?? 'always')
    const conditional = holds.filter((one) => one !== 'always')
    return conditional.length < holds.length
      ? []
      : [sql`(t._step <> ${text(step.key)} OR ${anyOf(conditional)})`]
  })
  const scopes = [scope, ...(unlocked === 'all' ? [] : [unlocked])]
  const within = scopes.map((one) => compileScope(one, entity.hasOwner, 't'))
  return sql`${table(entity)} t${conditions.joins}
    WHERE t._step = ANY (${keys}) AND ${notDeleted('t')}
      AND ${allOf([...within, ...limits])}`
}

/** The keys of the actions with a condition that holds for the record `t` in its step. */
const metActions = ({ steps, conditions }: DecidedQueue): Sql => {
  const isMet = (stepKey: string, action: Action): Sql[] => {
    const holds = conditions.byKey.get(action)
    const key = text(action.key)
    return holds ? [sql`CASE WHEN t._step = ${text(stepKey)} AND ${holds} THEN ${key} END`] : []
  }
  const keys = steps.flatMap(({ step, actions }) =>
    actions.flatMap((action) => isMet(step.key, action)),
  )
  return sql`array_remove(ARRAY[${join(keys, ', ')}]::text[], NULL)`
}

/** Whether an action that approves is open for the record `t`; undefined: one is for every record. */
const approvable = ({ steps, conditions }: DecidedQueue): Sql | undefined => {
  const ways = steps.map(({ step, actions }) => {
    const approving = actions.filter(({ kind }) => kind === 'approveWorkflow')
    const holds = approving.map((action) => conditions.byKey.get(action) ?? 'always')
    const isAlways = holds.includes('always')
    const open = isAlways ? sql`true` : anyOf(holds.filter((one) => one !== 'always'))
    return { isAlways, sql: sql`t._step = ${text(step.key)} AND ${open}` }
  })
  return ways.every(({ isAlways }) => isAlways)
    ? undefined
    : sql`coalesce(${anyOf(ways.map((way) => way.sql))}, false)`
}

/** What can be approved, and then the order by id, decides which records of a very long queue are listed. */
const candidates = (queue: DecidedQueue): Sql => {
  const { entity, scope, isHidden } = queue
  const isApprovable = approvable(queue)
  const shown = (name: string, type: Sql): Sql => {
    const column = entity.columnsByName.get(name)
    if (!column || isHidden(column)) return sql`NULL::${type}`
    const shown = shownIn(scope, column)
    if (shown === scope) return ref(name, 't')
    return sql`CASE WHEN ${compileScope(shown, entity.hasOwner, 't')} THEN ${ref(name, 't')} END`
  }
  return sql`
    SELECT ${text(entity.key)} AS entity_key, t.id, t._version AS version, t._step AS step,
      ${metActions(queue)} AS met, ${isApprovable ?? sql`true`} AS is_approvable,
      ${shown('_created_at', sql`timestamptz`)} AS created_at,
      ${shown('_created_by', sql`integer`)} AS created_by
    FROM ${waiting(queue)}
    ORDER BY ${isApprovable ? sql`is_approvable DESC, ` : nothing}t.id
    LIMIT ${bigint(maxWaiting)}`
}

/** How the record `w` came to its step; an action that leads to the same step is not an arrival. */
const arrival = sql`
  SELECT h.at, h.user_id, h.acting_user_id
  FROM docket.history h
  WHERE h.entity_key = w.entity_key AND h.entity_id = w.id AND h.part_id IS NULL
    AND (
      h.operation = 'create'
      OR (h.operation = 'proceedToStep' AND h.action->>'from' <> h.action->>'to')
    )
  ORDER BY h.id DESC
  LIMIT 1`

/** The display field of the record `p`, cut to what a list shows; the id where it is empty or hidden. */
const displayOf = (queues: readonly DecidedQueue[]): Sql => {
  const cases = queues.map(({ entity, scope, isHidden }) => {
    const { displayField = 'id' } = entity.definition
    const column = entity.columnsByName.get(displayField) ?? entity.associations.get(displayField)
    const name = column && !isHidden(column) ? column.name : 'id'
    const cut = sql`left(${ref(name, 'd')}::text, ${int(maxDisplayed)})`
    return sql`
      WHEN p.entity_key = ${text(entity.key)}
      THEN (
        SELECT coalesce(nullif(${cut}, ''), d.id::text)
        FROM ${compileRows(entity, scope, 'd')}
        WHERE d.id = p.id
      )`
  })
  return sql`CASE ${join(cases, ' ')} END`
}
