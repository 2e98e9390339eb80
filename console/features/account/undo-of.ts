/** How something that the user did is taken back: by a second write, an action that leads back, or not at all. */
import type { OwnChange } from '../../api/own/changes.ts'
import type { Task } from '../../api/tasks.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { valuesBefore } from '../record/undo.ts'

/** Why nothing is offered. */
type Reason =
  | 'gone'
  | 'notAllowed'
  | 'changedSince'
  | 'restored'
  | 'owner'
  | 'moved'
  | 'told'
  | 'task'
  | 'onPage'

export type Undo =
  | {
      readonly kind: 'write'
      readonly method: 'PATCH' | 'PUT' | 'POST' | 'DELETE'
      readonly path: string
      readonly body?: object
      /** The version that it takes back; another one was changed by somebody else. */
      readonly etag?: string
      /** What the user must be allowed to do with the record. */
      readonly right?: 'update' | 'delete'
    }
  | { readonly kind: 'action'; readonly key: string; readonly etag: string }
  | { readonly kind: 'none'; readonly reason: Reason }

/** What is known of an entry. */
export type Known = {
  readonly change: OwnChange
  readonly entity: Entity
  /** The record as it is now; undefined where it cannot be seen any more. */
  readonly row: RecordRow | undefined
  /** The task of the entry as it is now. */
  readonly task: Task | undefined
}

const none = (reason: Reason): Undo => ({ kind: 'none', reason })

const etagOf = ({ _version: version }: RecordRow): string => `"${String(version)}"`

const pathOf = ({ change }: Known): string => `/${change.entity}/${change.entity_id}`

type Rule = (known: Known, row: RecordRow) => Undo

const change: Rule = (known, row) => {
  const { entity } = known
  if (entity.permissions.update === false || entity.isPartOfRecord) return none('notAllowed')
  const body = valuesBefore(known.change, entity, row)
  if (!body) return none('changedSince')
  const etag = etagOf(row)
  return { kind: 'write', method: 'PATCH', path: pathOf(known), body, etag, right: 'update' }
}

// Of a record that nothing was done with since.
const firstVersion = 1

const create: Rule = (known, row) => {
  if (known.entity.permissions.delete === false) return none('notAllowed')
  if (row._version !== firstVersion) return none('changedSince')
  const etag = etagOf(row)
  return { kind: 'write', method: 'DELETE', path: pathOf(known), etag, right: 'delete' }
}

/** The action of the step that was reached that leads to the one before, if the role may take it. */
const proceedToStep: Rule = ({ change: { action }, entity }, row) => {
  if (!action) return none('told')
  if (row._step !== action.to) return none('moved')
  const step = entity.workflow?.steps.find(({ key }) => key === action.to)
  const back = step?.actions?.find(
    ({ key, to }) => to === action.from && entity.permissions.actions.includes(key),
  )
  return back ? { kind: 'action', key: back.key, etag: etagOf(row) } : none('told')
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

const changeTask: Rule = (known) => {
  const { change: entry, task } = known
  if (!task) return none('gone')
  const values = new Map<string, unknown>(Object.entries(task))
  const changes = Object.entries(entry.changes)
  const isCurrent = changes.every(
    ([name, { after }]) => values.has(name) && isSame(values.get(name), after),
  )
  if (!isCurrent || changes.length === 0) return none('changedSince')
  const body = Object.fromEntries(changes.map(([name, { before = null }]) => [name, before]))
  return { kind: 'write', method: 'PUT', path: `${pathOf(known)}/${task.id}`, body }
}

const rules: Readonly<Record<string, Rule>> = {
  change,
  create,
  proceedToStep,
  remove: () => none('restored'),
  restore: () => none('onPage'),
  takeOwnership: () => none('owner'),
  createTask: () => none('onPage'),
  removeTask: () => none('task'),
  restoreTask: () => none('task'),
  changeTask,
  assignTask: changeTask,
  completeTask: changeTask,
  reopenTask: changeTask,
}

/** How an entry is taken back. */
export const undoOf = (known: Known): Undo => {
  const { change: entry, row } = known
  if (!row) return none('gone')
  if (row.$removed === true)
    return entry.operation === 'remove'
      ? { kind: 'write', method: 'POST', path: `${pathOf(known)}/restore` }
      : none('gone')
  return rules[entry.operation]?.(known, row) ?? none('onPage')
}
