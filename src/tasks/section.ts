/** Tasks in the API: those under the records of every entity, a user's own tasks, and the calendar feed. */
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { type OwnTaskDeps, ownTaskEndpoints } from './own-endpoints.ts'
import { recordTaskEndpoints } from './record-endpoints.ts'
import { taskSchemas } from './task-json.ts'

export const taskSection: ApiSection<OwnTaskDeps> = {
  tags: [{ name: 'Tasks', description: 'Pieces of work attached to records.' }],
  endpoints: [...recordTaskEndpoints, ...ownTaskEndpoints],
  schemas: taskSchemas,
}
