/** What the form of an action that is open asks for. */
import type { Entity, Field, OpenAction } from '../../api/types.ts'

/** The fields of the form; those that it requires are marked so. */
export const actionFields = ({ fields }: Entity, { form }: OpenAction): readonly Field[] =>
  (form?.fields ?? []).flatMap(({ key, required }) => {
    const field = fields.find((one) => one.key === key)
    return field ? [{ ...field, required }] : []
  })
