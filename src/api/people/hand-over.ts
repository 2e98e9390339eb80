/**
 * A user leaves: they are deactivated, all that signs them in ends, and their work is handed over, in one transaction. Each record
 * and task is written like one that is changed, with history and events, behind a savepoint: one that its own rules refuse
 * stays, and is named. What steps lock is content; who works on it is not, so that locks do not keep a record with the user.
 */
import { type Origin, recordAudit } from '../../audit/record-audit.ts'
import { authorOf, type Caller } from '../../auth/caller.ts'
import { removeCredentials } from '../../auth/credentials/remove-credentials.ts'
import { lockSignIns } from '../../auth/second-factor/second-factor-store.ts'
import type { Connection } from '../../database/pool.ts'
import { partOf } from '../../database/transaction.ts'
import { type Entity, getEntity } from '../../definitions/catalog.ts'
import { errorKinds } from '../../error-kinds.ts'
import { ApiError, apiError } from '../../errors.ts'
import { createWriteContext, type RecordDeps } from '../../records/record-request.ts'
import { changeRecord, updateRecord } from '../../records/write/change-record.ts'
import { requireValid, validationConditions } from '../../records/write/conditions.ts'
import { lockAhead } from '../../records/write/lock-record.ts'
import { catchConflicts, withConflicts } from '../../records/write/write-rejected.ts'
import { closeFeed } from '../../tasks/calendar.ts'
import { assignTask } from '../../tasks/change-task.ts'
import { createWrittenContext } from '../../tasks/task-deps.ts'
import { findUserById, type User } from '../../users/user-store.ts'
import {
  findRecordsOfWork,
  findTasksOfWork,
  type PlaceOfWork,
  placesOfWork,
  type TaskOfWork,
  type WorkItem,
} from './work-of-user.ts'

/** A record or task that its rules keep with the user. */
type KeptWork = {
  readonly entity: string
  readonly id: number
  readonly task_id: number | null
  readonly detail: string
}

type HandedOver = {
  readonly items: readonly WorkItem[]
  readonly kept: readonly KeptWork[]
  readonly sessions: number
  readonly keys: number
}

type Leaving = {
  readonly caller: Caller
  readonly user: Pick<User, 'id' | 'full_name'>
  /** Who takes the work over; undefined: there must be none. */
  readonly to: number | undefined
  readonly origin: Origin
}

// It names nobody: the entry says from whom to whom, and follows when a user is anonymised.
const comment = 'Handed over: a user has left.'

/** The most records and tasks of one transaction. */
export const maxHandedOver = 5_000

// Of more, the first ones show what is wrong.
const maxKept = 100

/** Deactivates a user and hands their work over. */
export const leave = async (
  connection: Connection,
  deps: RecordDeps,
  leaving: Leaving,
): Promise<{ readonly done: HandedOver; readonly written: readonly [Entity, number][] }> => {
  const { caller, user } = leaving
  await requireTaker(connection, leaving)
  const users = getEntity(deps.catalog, 'user')
  const context = createWriteContext(deps, { caller, entity: users, scope: 'all' })
  const target = { id: user.id, precondition: 'any' } as const
  // In the order of a sign-in: the user, then their sessions.
  await lockSignIns(connection, user.id)
  // Before the database ends the sessions of a user who is not active, so that they are counted and reported.
  const ended = await endCredentials(connection, leaving)
  // Before the work is moved, so that nothing is assigned to them meanwhile.
  await changeRecord(partOf(connection), context, target, { is_active: false })
  const moved = await handOver(connection, deps, leaving)
  const { written, ...work } = moved
  await recordAudit(connection, {
    kind: 'leave',
    by: authorOf(caller),
    aboutUserId: user.id,
    entityKey: users.key,
    entityId: user.id,
    origin: leaving.origin,
    detail: { ...(leaving.to !== undefined && { to: leaving.to }), ...countsOf(work), ...ended },
  })
  return { done: { ...work, ...ended }, written: [[users, user.id], ...written] }
}

const countsOf = ({ items, kept }: Pick<HandedOver, 'items' | 'kept'>) => {
  const sum = (ofTasks: boolean) =>
    items.reduce((all, { field, count }) => ((field === null) === ofTasks ? all + count : all), 0)
  return { tasks: sum(true), records: sum(false), kept: kept.length }
}

/** Ends what signs the user in, for good; sessions, keys and an invitation each as an audit event. */
const endCredentials = async (connection: Connection, { caller, user, origin }: Leaving) => {
  const about = { by: authorOf(caller), aboutUserId: user.id, origin }
  const { sessions, keys, invitations } = await removeCredentials(connection, user.id)
  await closeFeed(connection, user.id)
  if (sessions > 0)
    await recordAudit(connection, { kind: 'endSession', ...about, detail: { sessions } })
  for (const key_id of keys)
    await recordAudit(connection, { kind: 'revokeApiKey', ...about, detail: { key_id } })
  if (invitations > 0) await recordAudit(connection, { kind: 'revokeInvitation', ...about })
  return { sessions, keys: keys.length }
}

const requireTaker = async (connection: Connection, { user, to }: Leaving): Promise<void> => {
  if (to === undefined) return
  const taker = to === user.id ? undefined : await findUserById(connection, to)
  if (!taker?.is_active || taker.is_blocked)
    throw apiError('record.invalid', `There is no other active user ${to} who could take over.`)
}

type Move = {
  readonly entity: Entity
  readonly field: string | null
  readonly id: number
  readonly taskId: number | null
  readonly run: () => Promise<void>
}

const handOver = async (connection: Connection, deps: RecordDeps, leaving: Leaving) => {
  const moves: Move[] = []
  for (const task of await findTasksOfWork(connection, leaving.user.id))
    moves.push(...moveOfTask(connection, deps, leaving, task))
  for (const place of placesOfWork(deps.catalog))
    moves.push(...(await movesOfRecords(connection, deps, leaving, place)))
  const { full_name: name } = leaving.user
  if (moves.length > maxHandedOver)
    throw apiError(
      'bulk.too-many',
      `${name} has ${moves.length} open tasks and records; at most ${maxHandedOver} are handed over at once. Change a part of them first.`,
    )
  if (moves.length > 0 && leaving.to === undefined)
    throw apiError(
      'record.invalid',
      `${name} has ${moves.length} open tasks and records, and nobody is named who takes them over.`,
    )
  const kept: KeptWork[] = []
  const done: Move[] = []
  for (const move of moves) {
    const detail = await refusalOf(move.run)
    if (detail === undefined) done.push(move)
    else if (kept.length < maxKept)
      kept.push({ entity: move.entity.key, id: move.id, task_id: move.taskId, detail })
  }
  const written = done.map(({ entity, id }): [Entity, number] => [entity, id])
  return { items: itemsOf(done), kept, written }
}

const itemsOf = (moves: readonly Move[]): readonly WorkItem[] =>
  [...Map.groupBy(moves, ({ entity, field }) => `${entity.key} ${field}`).values()].flatMap(
    (alike) =>
      alike
        .slice(0, 1)
        .map(({ entity, field }) => ({ entity: entity.key, field, count: alike.length })),
  )

/** Why a move was refused; what is no matter of the record ends all. */
const refusalOf = async (run: () => Promise<void>): Promise<string | undefined> => {
  try {
    await run()
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError) || errorKinds[error.code].status >= 500) throw error
    const [first] = error.errors
    return first ? `${first.path} ${first.message}`.trim() : error.message
  }
}

/** A task of an entity that is not defined any more is shown nowhere, and stays. */
const moveOfTask = (
  connection: Connection,
  deps: RecordDeps,
  { caller, to = 0 }: Leaving,
  { id: taskId, key, entityId: id }: TaskOfWork,
): readonly Move[] => {
  const entity = deps.catalog.entities.get(key)
  if (!entity) return []
  const run = () =>
    partOf(connection).transact(async (part) => {
      const context = await createWrittenContext(part, deps, { caller, entity, id })
      await assignTask(part, context, { id, taskId, precondition: 'any' }, to)
    })
  return [{ entity, field: null, id, taskId, run }]
}

const movesOfRecords = async (
  connection: Connection,
  deps: RecordDeps,
  { caller, user, to = 0 }: Leaving,
  place: PlaceOfWork,
): Promise<readonly Move[]> => {
  const { entity, column } = place
  const found = await findRecordsOfWork(connection, place, user.id)
  if (found.length === 0) return []
  const context = createWriteContext(deps, { caller, entity, scope: 'all' })
  const values = new Map([[column, to]])
  const needs = {
    columns: [column.name],
    links: values,
    conditions: validationConditions(context, [column]),
  }
  // What would be too many is not locked.
  const isMany = found.length > maxHandedOver
  const lockedAhead = isMany ? new Set(found) : await lockAhead(connection, context, needs, found)
  const isOwner = column.name === '_owned_by'
  const operation = isOwner ? 'takeOwnership' : 'change'
  const moveOne = (id: number) => () =>
    withConflicts({ database: connection, context, id }, () =>
      partOf(connection).transact(async (part) => {
        if (entity.key === 'user' && id === to)
          throw apiError('record.invalid', 'Nobody takes over their own user record.')
        await catchConflicts(values, () =>
          updateRecord(part, context, id, { values, operation, comment }),
        )
        await requireValid(part, context, id, { written: [column] })
      }),
    )
  return found
    .filter((id) => lockedAhead.has(id))
    .map((id) => ({ entity, field: column.field.key, id, taskId: null, run: moveOne(id) }))
}
