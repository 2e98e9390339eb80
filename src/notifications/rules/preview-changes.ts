/** The changes that an operation of the caller would make now; each operation checks the permission for it. */
import type { Caller } from '../../auth/caller.ts'
import { isHidden } from '../../auth/permissions.ts'
import type { Sql } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import type { TakenAction } from '../../definitions/notification-matching.ts'
import type { NotifiedOperation } from '../../definitions/operations.ts'
import { validationError } from '../../errors.ts'
import { createReferenceCheck } from '../../records/references.ts'
import type { ChangeMessage } from '../../records/write/change-events.ts'
import { checkNewValues } from '../../records/write/check-values.ts'
import { rowOfNew } from '../../records/write/write-record.ts'
import { findOpenActions } from '../../workflow/action-kinds.ts'
import { permitAction } from '../../workflow/endpoints.ts'
import {
  actionKeys,
  formOf,
  getWorkflow,
  isFillable,
  openActions,
} from '../../workflow/workflow.ts'
import type { EngineDeps } from './evaluate-rules.ts'
import { unknownAction } from './explain-notifications.ts'
import { imagineChange } from './imagined-change.ts'
import {
  type ActedRecord,
  findStanding,
  rowsAfter,
  type StandingRecord,
  withoutLostLinks,
} from './preview-store.ts'

/** What is asked, by a caller who may know the entity. */
export type Asked = {
  readonly caller: Caller
  readonly entity: Entity
  readonly entityIds: readonly number[]
  /** Key of the action, with `proceedToStep`. */
  readonly action: string
  /** Of the new record, with `create`. */
  readonly values: object
}

type Changes = { readonly messages: readonly ChangeMessage[]; readonly source?: Sql }

/** Throws the error of a caller who may not do it; records that it cannot be done with are left out. */
export const changesOf: Readonly<
  Record<NotifiedOperation, (deps: EngineDeps, asked: Asked) => Promise<Changes>>
> = {
  create: async (deps, asked) => {
    const { pool, catalog, permissions, timeZone } = deps
    const { caller, entity } = asked
    permissions.permitCreate(caller, entity)
    const rights = permissions.rightsOf(caller, entity)
    const hides = { isHidden: (column: Parameters<typeof isHidden>[1]) => isHidden(rights, column) }
    const { values, issues } = checkNewValues({ entity, timeZone, body: asked.values, ...hides })
    // What is missing or refused counts as empty: the form is not filled in yet.
    const wrong = issues.filter(({ rule }) => rule === 'malformed')
    if (wrong.length > 0)
      throw validationError(
        'request.invalid',
        wrong.map(({ path, message }) => ({
          path: path === '' ? 'values' : `values.${path}`,
          message,
        })),
      )
    const access = permissions.accessOf(caller)
    const isAdministrator = caller.roleKey === administratorRole
    const references = createReferenceCheck({ catalog, access, isAdministrator })
    const there = await withoutLostLinks(pool, references, values)
    return {
      messages: [messageOf(asked, 'create', 0, null)],
      source: rowOfNew(entity, caller.userId, there),
    }
  },
  takeOwnership: async ({ pool, permissions }, asked) => {
    const { caller, entity, entityIds } = asked
    const scopes = (['takeOwnership', 'read'] as const).map((right) =>
      permissions.permit(caller, right, entity),
    )
    const records = entity.hasOwner ? await findStanding(pool, entity, entityIds, scopes) : []
    return { messages: records.map(({ id }) => messageOf(asked, 'takeOwnership', id, null)) }
  },
  proceedToStep: async (deps, asked) => {
    const { pool, permissions } = deps
    const { caller, entity, entityIds, action } = asked
    if (!actionKeys(getWorkflow(entity)).includes(action)) throw unknownAction(entity, action)
    permitAction(deps, caller, entity, { action })
    const scope = permissions.permit(caller, 'read', entity)
    const records = await findStanding(pool, entity, entityIds, [scope])
    const messages: ChangeMessage[] = []
    const acted: ActedRecord[] = []
    for (const { id, step } of records) {
      const open = await findOpen(deps, asked, { id, step })
      if (!open) continue
      messages.push(messageOf(asked, 'proceedToStep', id, open.taken))
      acted.push({ id, values: open.values })
    }
    return { messages, source: rowsAfter(entity, acted) }
  },
}

const messageOf = (
  { caller, entity }: Asked,
  operation: NotifiedOperation,
  id: number,
  action: TakenAction | null,
): ChangeMessage =>
  imagineChange({
    ...{ entity_key: entity.key, entity_id: id, operation, action },
    actor_id: caller.userId,
  })

type OpenHere = { readonly taken: TakenAction; readonly values: ActedRecord['values'] }

/** The action in the step of the record, if it is open there and the caller may fill in its form. */
const findOpen = async (
  { pool, permissions, catalog, timeZone }: EngineDeps,
  { caller, entity, action: key }: Asked,
  { id, step }: StandingRecord,
): Promise<OpenHere | undefined> => {
  const workflow = getWorkflow(entity)
  const action = openActions(workflow, step).find((one) => one.key === key)
  if (!action) return undefined
  const rights = permissions.rightsOf(caller, entity)
  const form = formOf(entity, workflow, action)
  if (!isFillable(form, (column) => isHidden(rights, column))) return undefined
  const decider = { catalog, timeZone, userId: caller.userId }
  const record = { entity, id, step }
  const {
    open: [found],
  } = await findOpenActions(pool, decider, record, [action])
  if (!found) return undefined
  const { to } = found
  const signed = form?.callerColumns.map(({ name }) => [name, caller.userId]) ?? []
  return {
    taken: { key, kind: action.kind, form: action.form, from: step, to },
    values: { ...Object.fromEntries(signed), _step: to, _updated_by: caller.userId },
  }
}
