/** Describes what operators see of jobs and do with them (src/api/job-routes.ts). */
import {
  type DescribedFeature,
  type DescribedOperation,
  type JsonSchema,
  jsonContent,
  type Parameter,
  schemaRef,
} from '../../http/described-operation.ts'
import { limit, page } from '../../http/described-parameters.ts'
import { jobStatuses } from '../../jobs/job-store.ts'

const statusSchema: JsonSchema = { type: 'string', enum: jobStatuses }

const status: Parameter = {
  name: 'status',
  in: 'query',
  description: 'Only jobs of this status.',
  schema: statusSchema,
}

const jobId: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the job.',
  schema: { type: 'integer', minimum: 1 },
}

const rows: readonly Omit<DescribedOperation, 'tag'>[] = [
  {
    method: 'get',
    path: '/api/jobs',
    id: 'listJobs',
    summary: 'Jobs, the newest first',
    description: 'A job that is done is no longer there. For administrators, as all of these.',
    parameters: [status, limit, page],
    answers: {
      200: {
        description: 'One page.',
        content: jsonContent({
          type: 'object',
          properties: { data: { type: 'array', items: schemaRef('Job') } },
          required: ['data'],
        }),
      },
    },
    errors: ['request.invalid', 'caller.forbidden'],
  },
  {
    method: 'get',
    path: '/api/jobs/count',
    id: 'countJobs',
    summary: 'How many jobs there are of each status',
    answers: { 200: { description: 'The numbers.', content: jsonContent(schemaRef('JobCounts')) } },
    errors: ['request.invalid', 'caller.forbidden'],
  },
  {
    method: 'post',
    path: '/api/jobs/{id}/retry',
    id: 'retryJob',
    summary: 'Run a job now, with all its attempts anew',
    parameters: [jobId],
    answers: { 200: { description: 'The job.', content: jsonContent(schemaRef('Job')) } },
    errors: ['request.invalid', 'caller.forbidden', 'job.unknown', 'job.running'],
  },
  {
    method: 'delete',
    path: '/api/jobs/{id}',
    id: 'removeJob',
    summary: 'Forget a job; it will not run',
    parameters: [jobId],
    answers: { 204: { description: 'It is gone.' } },
    errors: ['request.invalid', 'caller.forbidden', 'job.unknown', 'job.running'],
  },
]

const text: JsonSchema = { type: ['string', 'null'] }
const time: JsonSchema = { type: 'string', format: 'date-time' }

const properties: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'integer' },
  task: { type: 'string', description: 'What kind of job it is.', examples: ['notification.send'] },
  status: statusSchema,
  payload: { description: 'What it was given.' },
  attempts: { type: 'integer', description: 'How often it was begun.' },
  max_attempts: { type: 'integer', description: 'After so many it is dead.' },
  last_error: { ...text, description: 'First line of the last error.', maxLength: 1000 },
  key: { ...text, description: 'At most one waiting job has it.' },
  queue: { ...text, description: 'Jobs of one queue run one after the other.' },
  worker: { ...text, description: 'Host, process and session that run it.' },
  created_at: time,
  run_at: { ...time, description: 'It is not begun before.' },
  started_at: { ...text, format: 'date-time', description: 'When the running attempt began.' },
}

const counts = Object.fromEntries(
  jobStatuses.map((name) => [name, { type: 'integer', minimum: 0 }]),
)

/** /api/jobs. */
export const jobFeature: DescribedFeature = {
  tags: [{ name: 'Jobs', description: 'Work that follows changes: what waits, runs or failed.' }],
  operations: () => rows.map((row) => ({ ...row, tag: 'Jobs' })),
  schemas: {
    Job: { type: 'object', properties, required: Object.keys(properties) },
    JobCounts: { type: 'object', properties: counts, required: [...jobStatuses] },
  },
}
