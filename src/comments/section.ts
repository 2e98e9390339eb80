/** Comments in the API: those on the records of every entity that has them, and who follows these. */
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import type { RecordDeps } from '../records/record-request.ts'
import { commentEndpoints } from './endpoints.ts'

export const commentSection: ApiSection<RecordDeps> = { endpoints: commentEndpoints }
