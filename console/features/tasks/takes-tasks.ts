/** Which entities have records for tasks. */
import type { Entity } from '../../api/types.ts'

/** Whether a task of any record of the entity may be written. Where only those of own records may, the record's page does it. */
export const takesTasks = ({ permissions, isNative }: Entity): boolean =>
  !isNative && permissions.read !== false && permissions.tasks === true
