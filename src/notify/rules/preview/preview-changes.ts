/** The changes that an operation of the caller would make now; each operation checks the permission for it. */
import type { Caller } from '../../../auth/caller.ts'
import { isHidden } from '../../../auth/permissions.ts'
import type { Sql } from '../../../database/sql.ts'
import type { Entity } from '../../../definitions/catalog.ts'
import type { TakenAction } from '../../../definitions/notification-matching.ts'
import type { NotifiedOperation } from '../../../definitions/operations.ts'
import type { ChangeMessage } from '../../../records/write/change-events.ts'
import { rowOfNew, type Values } from '../../../records/write/write-record.ts'
import {
  findOpenActions,
  findStanding,
  type StandingRecord,
} from '../../../workflow/action-kinds.ts'
import { permitAction } from '../../../workflow/endpoints.ts'
import {
  type Action,
  actionKeys,
  type Form,
  formOf,
  getWorkflow,
  isFillable,
  openActions,
} from '../../../workflow/workflow.ts'
import type { EngineDeps } from '../evaluate-rules.ts'
import { unknownAction } from '../explain-notifications.ts'
import { imagineChange } from '../imagined-change.ts'
import { valuesOfForm, valuesOfNew } from './preview-form.ts'
import { type ActedRecord, rowsAfter } from './preview-store.ts'

/** What is asked, by a caller who may know the entity. */
export type Asked = {
  readonly caller: Caller
  readonly entity: Entity
  readonly entityIds: readonly number[]
  /** Key of the action, with `proceedToStep`. */
  readonly action: string
  /** Of the new record, or of the form of the action. */
  readonly values: Readonly<Record<string, unknown>>
}

type Changes = { readonly messages: readonly ChangeMessage[]; readonly source?: Sql }

/** Throws the error of a caller who may not do it; records that it cannot be done with are left out. */
export const changesOf: Readonly<
  Record<NotifiedOperation, (deps: EngineDeps, asked: Asked) => Promise<Changes>>
> = {
  create: async (deps, asked) => {
    const { caller, entity } = asked
    deps.permissions.permitCreate(caller, entity)
    const values = await valuesOfNew(deps, asked)
    return {
      messages: [messageOf(asked, 'create', 0, null)],
      source: rowOfNew(deps.catalog, entity, caller.userId, values),
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
    // Of each step in which the action is open.
    const typed = new Map<Action, Values>()
    for (const [id, open] of await findOpen(deps, asked, records)) {
      const values = typed.get(open.action) ?? (await valuesOfForm(deps, asked, open))
      typed.set(open.action, values)
      messages.push(messageOf(asked, 'proceedToStep', id, open.taken))
      acted.push({ id, values: { ...jsonOf(values), ...open.values } })
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
    entity_key: entity.key,
    entity_id: id,
    operation,
    action,
    actor_id: caller.userId,
  })

/** The values as JSON, by column. */
const jsonOf = (values: Values): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...values].map(([{ name, field }, value]) => [
      name,
      field.type === 'json' && typeof value === 'string' ? JSON.parse(value) : value,
    ]),
  )

type OpenHere = {
  readonly action: Action
  readonly form: Form | undefined
  readonly taken: TakenAction
  readonly values: ActedRecord['values']
}

/** By id, the action in the step of each record where it is open and the caller may fill in its form. */
const findOpen = async (
  { pool, permissions, catalog, timeZone }: EngineDeps,
  { caller, entity, action: key }: Asked,
  records: readonly StandingRecord[],
): Promise<ReadonlyMap<number, OpenHere>> => {
  const workflow = getWorkflow(entity)
  const rights = permissions.rightsOf(caller, entity)
  const isFilled = (action: Action) =>
    isFillable(formOf(entity, workflow, action), (column) => isHidden(rights, column))
  const candidates = records.map((record) => ({
    ...record,
    actions: openActions(workflow, record.step).filter((one) => one.key === key && isFilled(one)),
  }))
  const decider = { catalog, timeZone, userId: caller.userId }
  const found = await findOpenActions(pool, decider, entity, candidates)
  return new Map(
    records.flatMap(({ id, step }): [number, OpenHere][] => {
      const [open] = found.get(id)?.open ?? []
      if (!open) return []
      const { action, to } = open
      const taken = { key, kind: action.kind, form: action.form, from: step, to }
      const values = { _step: to, _updated_by: caller.userId }
      return [[id, { action, form: formOf(entity, workflow, action), taken, values }]]
    }),
  )
}
