/** Of which entities a task may be written from elsewhere than its record. */
import type { Entity } from '../../api/types.ts'

/** Whether tasks of every record of an entity may be written; those of own ones only are written in the record. */
export const takesTasks = ({ permissions, isNative }: Entity): boolean =>
  !isNative && permissions.read !== false && permissions.tasks === true
