/** What can be done with many records at once: the operations of the role, their names, and why records are refused. */

import { labelOf, nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import type { Instruction, Outcome } from '../../api/bulk.ts'
import type { Group } from '../../api/totals.ts'
import type { Entity, Field, WorkflowAction } from '../../api/types.ts'
import type { WorkTexts } from '../../texts/texts.ts'
import { isFileField } from '../files/file-values.ts'
import { isLockedIn } from '../forms/undo.ts'
import { isEntered } from '../values/own-fields.ts'

export type Operation =
  | { readonly kind: 'change' }
  | { readonly kind: 'action'; readonly action: WorkflowAction }
  | { readonly kind: 'takeOwnership' }
  | { readonly kind: 'remove' }

/** An operation after its form. */
export type NamedOperation =
  | Exclude<Operation, { kind: 'action' }>
  | { readonly kind: 'action'; readonly action: Pick<WorkflowAction, 'key' | 'name'> }

/** The operations that the role has for some records; the service decides for each of them. */
export const operationsOf = (entity: Entity): readonly Operation[] => {
  const { permissions, ownership } = entity
  if (entity.isPartOfRecord) return []
  return [
    ...(permissions.update === false || changeableFields(entity).length === 0
      ? []
      : [{ kind: 'change' } as const]),
    ...actionsOf(entity).map((action) => ({ kind: 'action', action }) as const),
    ...(ownership && permissions.takeOwnership !== false
      ? [{ kind: 'takeOwnership' } as const]
      : []),
    ...(permissions.delete === false ? [] : [{ kind: 'remove' } as const]),
  ]
}

/** The actions of all steps, each key once. */
const actionsOf = ({ workflow, permissions }: Entity): readonly WorkflowAction[] => {
  const all = workflow?.steps.flatMap(({ actions = [] }) => actions) ?? []
  const byKey = new Map(all.toReversed().map((action) => [action.key, action]))
  return [...byKey.values()].toReversed().filter(({ key }) => permissions.actions.includes(key))
}

/** The fields that a bulk write can change; a unique value and a file belong to one record. */
export const changeableFields = ({ fields }: Entity): readonly Field[] =>
  fields.filter((field) => isEntered(field) && !field.unique && !isFileField(field))

/** The key of each field with the number of the records whose step locks it; `groups` counts them by step. */
export const lockedCounts = (
  { workflow }: Pick<Entity, 'workflow'>,
  fields: readonly Field[],
  groups: readonly Group[],
): ReadonlyMap<string, number> =>
  new Map(
    fields.map(({ key }) => [
      key,
      countOf(groups.filter((group) => isLockedIn(workflow, group.key._step, key))),
    ]),
  )

/** The number of records of some groups. */
export const countOf = (groups: readonly Group[]): number =>
  groups.reduce((all, { count }) => all + count, 0)

/** Whether the user fills in a form before the check. */
export const hasForm = ({ kind }: NamedOperation): boolean => kind === 'change' || kind === 'action'

/** The request of an operation without a form. */
export const withoutForm = ({ kind }: NamedOperation): Instruction =>
  kind === 'remove' ? { remove: true } : { takeOwnership: true }

/** The columns whose values a change replaces. */
export const changedColumns = (instruction: Instruction): readonly string[] =>
  'change' in instruction ? Object.keys(instruction.change) : []

/** The name of an operation. */
export const operationName = (operation: NamedOperation, bulk: WorkTexts['bulk']): string => {
  if (operation.kind !== 'action') return bulk.operations[operation.kind]
  const { key, name } = operation.action
  return name ?? nameOfKey(key)
}

/** Why a record was refused; the text is the same for all records of one reason. */
export const reasonOf = (
  { code, detail, errors }: Pick<Outcome, 'code' | 'detail' | 'errors'>,
  { fields, validations = [] }: Entity,
  bulk: WorkTexts['bulk'],
): string => {
  const reason = code === null ? undefined : bulk.reasons[code]
  if (reason !== undefined) return reason
  const named = errors.map(({ path, message, validation }) => {
    if (validation) return validations.find(({ key }) => key === validation)?.message ?? message
    const column = path.replace(/^values\./, '')
    const field = fields.find((one) => one.column === column)
    return `${field ? labelOf(field) : path} ${message}`
  })
  return named.length > 0 ? named.join('; ') : (detail ?? code ?? '')
}
