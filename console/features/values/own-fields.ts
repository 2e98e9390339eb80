/** The fields whose values a record has itself. */
import type { Entity, Field } from '../../api/types.ts'

export const ownFields = ({ fields }: Entity): readonly Field[] =>
  fields.filter(({ column, isSystem }) => column !== null && !isSystem)

/** The column of an own field. */
export const columnOf = ({ column, key }: Field): string => column ?? key

/** Whether people enter it: neither the service nor an action alone writes it. */
export const isEntered = ({ column, isSystem, isCalculated, writtenBy }: Field): boolean =>
  column !== null && !isSystem && !isCalculated && !writtenBy
