/** Which fields a record has a value of itself. */
import type { Entity, Field } from '../../api/types.ts'

export const ownFields = ({ fields }: Entity): readonly Field[] =>
  fields.filter(({ column, isSystem }) => column !== null && !isSystem)

/** Whether people enter it: neither the service nor an action alone writes it. */
export const isEntered = ({ column, isSystem, isCalculated, writtenBy }: Field): boolean =>
  column !== null && !isSystem && !isCalculated && !writtenBy
