/** Jobs for operators over HTTP (docs/jobs.md). */
import type { Pool } from '../database/pool.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { type ApiSection, endpoint } from '../http/endpoint/endpoint.ts'
import { dataText, JsonText } from '../http/endpoint/mount-path.ts'
import { id, oneOf, pageOf, pageParameters } from '../http/endpoint/parameters.ts'
import {
  assertIdsOrStatus,
  maxRetried,
  retriedPage,
  retriedSchema,
  retryIds,
} from '../http/endpoint/retry-many.ts'
import {
  component,
  count,
  dataOf,
  empty,
  json,
  objectOf,
  schemasBy,
  textOrNull,
  time,
  type ValueOf,
} from '../http/openapi/operation.ts'
import {
  countJobs,
  jobStatuses,
  listJobs,
  removeJob,
  retryJob,
  retryJobs,
  unknownJob,
} from '../jobs/job-store.ts'

type JobDeps = { readonly pool: Pool }

const job = component(
  'Job',
  objectOf({
    id: { type: 'integer' },
    task: {
      type: 'string',
      description: 'What kind of job it is.',
      examples: ['notification.send'],
    },
    status: { type: 'string', enum: jobStatuses },
    payload: { description: 'Its input.' },
    attempts: { type: 'integer', description: 'How often it was started.' },
    max_attempts: { type: 'integer', description: 'After so many it is dead.' },
    last_error: { ...textOrNull, description: 'First line of the last error.', maxLength: 1000 },
    key: { ...textOrNull, description: 'Always null.' },
    queue: { ...textOrNull, description: 'Always null.' },
    worker: { ...textOrNull, description: 'Host, process and session that run it.' },
    created_at: time,
    run_at: { ...time, description: 'It does not start before.' },
    started_at: {
      ...textOrNull,
      format: 'date-time',
      description: 'When the running attempt began.',
    },
  }),
)
const jobCounts = component('JobCounts', objectOf(schemasBy(jobStatuses, count)))
export type Job = ValueOf<typeof job>
export type JobCounts = ValueOf<typeof jobCounts>

const common = { tag: 'Jobs', who: 'administrator' } as const

// Larger than the id of a record: a service creates many more jobs.
const maxJobId = 999_999_999_999_999

const retryBody = checkedBody(
  Type.Object(
    {
      ids: retryIds(maxJobId),
      status: Type.Optional(
        Type.Enum(['dead', 'failing'], { type: 'string', description: 'All of this status.' }),
      ),
      task: Type.Optional(
        Type.String({
          maxLength: 128,
          pattern: '^[\\w.:-]+$',
          description: 'Only those of this kind.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  { dead: { summary: 'All dead jobs', value: { status: 'dead' } } },
)

const params = {
  id: id({
    description: 'Id of the job.',
    max: maxJobId,
    unknown: unknownJob,
    errors: ['job.unknown'],
  }),
}

/** /api/jobs. */
export const jobSection: ApiSection<JobDeps> = {
  tags: [{ name: 'Jobs', description: 'Work that follows changes: what waits, runs or failed.' }],
  endpoints: [
    endpoint({
      ...common,
      method: 'get',
      path: '/api/jobs',
      id: 'listJobs',
      summary: 'Jobs, the newest first',
      description:
        'A job that is done is removed. For administrators, like all operations on jobs.',
      query: {
        status: oneOf(jobStatuses, { description: 'Only jobs of this status.' }),
        ...pageParameters,
      },
      answers: { 200: json('One page.', dataOf(job)) },
      handle: async ({ query }, { pool }: JobDeps) =>
        dataText(await listJobs(pool, { status: query.status, page: pageOf(query) })),
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/api/jobs/count',
      id: 'countJobs',
      summary: 'How many jobs there are of each status',
      answers: { 200: json('The numbers.', jobCounts) },
      handle: (_call, { pool }: JobDeps) => countJobs(pool),
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/api/jobs/{id}/retry',
      id: 'retryJob',
      summary: 'Run a job now and reset its attempts',
      params,
      errors: ['job.running'],
      answers: { 200: json('The job.', job) },
      handle: async ({ params }, { pool }: JobDeps) =>
        new JsonText(await retryJob(pool, params.id)),
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/api/jobs/retry',
      id: 'retryJobs',
      summary: 'Run jobs now and reset their attempts',
      description: 'Those of `ids`, or the oldest of a status. The answer has the result of each.',
      body: retryBody,
      answers: { 200: json('The results.', retriedSchema(['job.running', 'job.unknown'])) },
      handle: async ({ body }, { pool }: JobDeps) => {
        assertIdsOrStatus(body)
        return retriedPage(await retryJobs(pool, body, maxRetried))
      },
    }),
    endpoint({
      ...common,
      method: 'delete',
      path: '/api/jobs/{id}',
      id: 'removeJob',
      summary: 'Remove a job; it will not run',
      params,
      errors: ['job.running'],
      answers: { 204: empty('It was removed.') },
      handle: ({ params }, { pool }: JobDeps) => removeJob(pool, params.id),
    }),
  ],
}
