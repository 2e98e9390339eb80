/** What the form of an action consists of. */
import type { OpenAction } from '../../api/open-actions.ts'
import type { Entity, Field, WorkflowAction } from '../../api/types.ts'

export type FormFields = {
  /** Those that are asked for; what the form requires is marked so. */
  readonly fields: readonly Field[]
  /** Those that the service fills with whoever takes the action. */
  readonly callerFields: readonly Field[]
}

type Asked = { readonly key: string; readonly required: boolean }

const fieldsOf = (
  { fields }: Entity,
  asked: readonly Asked[],
  callerKeys: readonly string[],
): FormFields => {
  const find = (key: string) => fields.find((one) => one.key === key)
  return {
    fields: asked.flatMap(({ key, required }) => {
      const field = find(key)
      return field ? [{ ...field, required }] : []
    }),
    callerFields: callerKeys.flatMap((key) => find(key) ?? []),
  }
}

/** The form of an action that is open. */
export const openFormFields = (entity: Entity, { form }: OpenAction): FormFields =>
  fieldsOf(entity, form?.fields ?? [], form?.callerFields.map(({ key }) => key) ?? [])

/** The form of an action of the definition. */
export const definedFormFields = (entity: Entity, { form }: WorkflowAction): FormFields => {
  const found = entity.workflow?.forms?.find(({ key }) => key === form)
  const asked = (found?.fields ?? []).map((key) => ({
    key,
    required: found?.required?.includes(key) ?? false,
  }))
  return fieldsOf(entity, asked, found?.callerFields ?? [])
}
