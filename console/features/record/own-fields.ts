/** Which fields a record has a value of itself. */
import type { Entity, Field } from '../../api/types.ts'

export const ownFields = ({ fields }: Entity): readonly Field[] =>
  fields.filter(({ column, isSystem }) => column !== null && !isSystem)

/** Those that people enter. */
export const enteredFields = (entity: Entity): readonly Field[] =>
  ownFields(entity).filter(({ isCalculated }) => !isCalculated)
