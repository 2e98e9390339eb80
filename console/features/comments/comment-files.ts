/** The field of the service that has the files of a comment. */
import type { Field } from '../../api/types.ts'

// As its native entity has it.
const most = 20

/** For the input of files. */
export const filesField = (name: string): Field =>
  ({ key: 'files', column: 'files', name, type: 'files', maxFiles: most }) as Field
