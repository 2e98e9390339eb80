/** Undo of an entry of the history: a second write of the values before it, with all checks of the service. */
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiProblem, request } from '../../api/client.ts'
import { ownChangesKey } from '../../api/own/changes.ts'
import { actionsQuery, userKey } from '../../api/queries.ts'
import { noteUnread } from '../../api/record.ts'
import type { Task } from '../../api/tasks.ts'
import type { Entity, HistoryEntry, RecordRow } from '../../api/types.ts'
import { isFileField } from '../files/file-values.ts'
import { isSame } from '../values/entered.ts'
import { columnOf, isEntered } from '../values/own-fields.ts'

/** An entry, with what has become of its record since. */
export type Change = {
  readonly entry: HistoryEntry
  readonly entity: Entity
  readonly id: number
  /** The record as it is now; undefined where the user cannot see it any more. */
  readonly row: RecordRow | undefined
  /** The version of `row`. */
  readonly etag: string | undefined
  /** The task of the entry as it is now. */
  readonly task?: Task | undefined
}

/** Why an entry cannot be undone. */
type Reason =
  | 'gone'
  | 'notAllowed'
  | 'changedSince'
  | 'locked'
  | 'restored'
  | 'owner'
  | 'moved'
  | 'told'
  | 'task'
  | 'onPage'

export type UndoWrite = {
  readonly kind: 'write'
  readonly entity: string
  readonly id: number
  readonly method: 'PATCH' | 'PUT' | 'POST' | 'DELETE'
  /** What follows the address of the record. */
  readonly path?: string
  readonly body?: object
  /** The version that it undoes; the service refuses another one. */
  readonly etag?: string | undefined
  /** A permission of which only the service knows whether it holds for the record. */
  readonly right?: 'update' | 'delete'
}

/** By a write, by an action that leads back, or not at all. */
export type Undo =
  | UndoWrite
  | { readonly kind: 'action'; readonly key: string; readonly etag: string | undefined }
  | { readonly kind: 'none'; readonly reason: Reason }

const none = (reason: Reason): Undo => ({ kind: 'none', reason })

/** The values before changes; undefined where there are none, or a value was changed again since. */
const valuesBefore = (
  changes: readonly (readonly [string, HistoryEntry['changes'][string]])[],
  current: object,
): object | undefined => {
  const now = new Map<string, unknown>(Object.entries(current))
  const isCurrent = changes.every(([name, { after }]) => isSame(now.get(name), after))
  if (changes.length === 0 || !isCurrent) return undefined
  return Object.fromEntries(changes.map(([name, { before = null }]) => [name, before]))
}

/** Whether the step of the record locks one of the changed fields. Which other record locks it, the service says alone. */
const isLocked = ({ entry, entity: { fields, workflow }, row }: Change): boolean =>
  fields.some(
    (field) =>
      field.column !== null &&
      field.column in entry.changes &&
      !field.isCalculated &&
      isLockedIn(workflow, row?._step, field.key),
  )

/** Undoes a change of fields; undefined for any other entry, and where a value was changed again since or is locked. */
export const undoOfFields = (change: Change): UndoWrite | undefined => {
  const { entry, entity, id, row, etag } = change
  if (entry.operation !== 'change' || entry.task_id !== null || !row) return undefined
  if (isLocked(change)) return undefined
  const fieldOf = (name: string) => entity.fields.find(({ column }) => column === name)
  // Calculated values follow by themselves.
  const changes = Object.entries(entry.changes).filter(([name]) => !fieldOf(name)?.isCalculated)
  const areEntered = changes.every(([name]) => {
    const field = fieldOf(name)
    return field !== undefined && isEntered(field)
  })
  // The history has no list without files.
  const current = Object.fromEntries(
    entity.fields.map((field) => {
      const value = row[columnOf(field)]
      return [columnOf(field), isFileField(field) && isSame(value, []) ? null : value]
    }),
  )
  const body = areEntered ? valuesBefore(changes, current) : undefined
  return body && { kind: 'write', entity: entity.key, id, method: 'PATCH', body, etag }
}

type Rule = (change: Change) => Undo

const undoChange: Rule = (change) => {
  const { entity, entry } = change
  const { permissions, isPartOfRecord, fields } = entity
  const isReadOnly = fields.some(
    ({ column, isReadOnly }) => isReadOnly && column !== null && column in entry.changes,
  )
  if (permissions.update === false || isPartOfRecord || isReadOnly) return none('notAllowed')
  if (isLocked(change)) return none('locked')
  const undo = undoOfFields(change)
  return undo ? { ...undo, right: 'update' } : none('changedSince')
}

const undoCreate: Rule = ({ entity, id, row, etag }) => {
  if (entity.permissions.delete === false) return none('notAllowed')
  // Nothing was done with the record since.
  if (row?._version !== 1) return none('changedSince')
  return { kind: 'write', entity: entity.key, id, method: 'DELETE', etag, right: 'delete' }
}

/** The action from the step that was reached to the one before, if the role may take it. */
const undoStep: Rule = ({ entry: { action }, entity, row, etag }) => {
  if (!action) return none('told')
  if (row?._step !== action.to) return none('moved')
  const step = entity.workflow?.steps.find(({ key }) => key === action.to)
  const back = step?.actions?.find(
    ({ key, to }) => to === action.from && entity.permissions.actions.includes(key),
  )
  return back ? { kind: 'action', key: back.key, etag } : none('told')
}

const undoTask: Rule = ({ entry, entity, id, task }) => {
  if (!task) return none('gone')
  const changes = Object.entries(entry.changes)
  const body = changes.every(([name]) => name in task) ? valuesBefore(changes, task) : undefined
  if (!body) return none('changedSince')
  return { kind: 'write', entity: entity.key, id, method: 'PUT', path: `/${task.id}`, body }
}

const rules: Readonly<Record<string, Rule>> = {
  change: undoChange,
  create: undoCreate,
  proceedToStep: undoStep,
  remove: () => none('restored'),
  restore: () => none('onPage'),
  takeOwnership: () => none('owner'),
  anonymise: () => none('task'),
  createTask: () => none('onPage'),
  removeTask: () => none('task'),
  restoreTask: () => none('task'),
  changeTask: undoTask,
  assignTask: undoTask,
  completeTask: undoTask,
  reopenTask: undoTask,
}

/** How an entry is undone. */
export const undoOf = (change: Change): Undo => {
  const { entry, entity, id, row } = change
  if (!row) return none('gone')
  if (row.$removed === true)
    return entry.operation === 'remove' ? undoOfRemoval(entity.key, id) : none('gone')
  return rules[entry.operation]?.(change) ?? none('onPage')
}

/** Puts a removed record back. */
export const undoOfRemoval = (entity: string, id: number): UndoWrite => ({
  kind: 'write',
  entity,
  id,
  method: 'POST',
  path: '/restore',
})

/** Sends an undo. Where the role alone does not decide, the service is asked first, so that it refuses nothing. */
export const sendUndo = async (
  client: QueryClient,
  { entity, id, method, path = '', body, etag, right }: UndoWrite,
): Promise<void> => {
  if (right) {
    const { may } = await client.fetchQuery(actionsQuery(entity, id))
    if (!may[right]) throw new ApiProblem(403, { code: 'notAllowed' })
  }
  const answer = await request<object>(`/${entity}/${id}${path}`, { method, body, etag })
  if (method === 'PATCH' && path === '') noteUnread(client, { entity, id }, answer)
}

/** Reads again what a change of a record may have changed; resolves when its history is read. */
export const refreshChanged = async (client: QueryClient, entity: string): Promise<void> => {
  for (const part of ['approvals', 'tasks'])
    void client.invalidateQueries({ queryKey: [userKey, part] })
  void client.invalidateQueries({ queryKey: [userKey, 'list', entity] })
  const record = client.invalidateQueries({ queryKey: [userKey, 'record'] })
  await Promise.all([record, client.invalidateQueries({ queryKey: ownChangesKey })])
}

/** Undoes an entry of the history. */
export const useUndo = () => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (undo: UndoWrite) => sendUndo(client, undo),
    onSettled: (_answer, _error, { entity }) => refreshChanged(client, entity),
  })
}

/**
 * Whether a step locks a field for the roles of the user by the definition, without asking the service: for bulk changes and for
 * undoing. Other records may lock the fields of a record, too, so a form of one record asks (`isOpenTo`).
 */
export const isLockedIn = (
  workflow: Entity['workflow'],
  step: unknown,
  fieldKey: string,
): boolean => {
  const locks = workflow?.steps.find(({ key }) => key === step)?.locks
  return locks !== undefined && (locks.fields === 'all' || locks.fields.includes(fieldKey))
}
