/** What operators see of jobs and do with them over HTTP (docs/jobs.md); for administrators only. */
import type { FastifyRequest } from 'fastify'
import type { Pool } from '../database/pool.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { apiError } from '../errors.ts'
import { callerOf } from '../http/caller-of.ts'
import { oneOf, readId, readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import {
  countJobs,
  jobStatuses,
  listJobs,
  removeJob,
  retryJob,
  unknownJob,
} from '../jobs/job-store.ts'
import { pageOf, pageReaders, takeNoBody } from '../records/record-request.ts'

type JobDeps = {
  readonly pool: Pool
}

type OneJob = { Params: { id: string } }

const json = 'application/json; charset=utf-8'

/** Mounts /api/jobs, its count, and what is done with one job. */
export const jobRoutes =
  ({ pool }: JobDeps): Routes =>
  (server) => {
    const enter = async (request: FastifyRequest) => {
      const { roleKey } = callerOf(request)
      if (roleKey !== administratorRole)
        throw apiError('caller.forbidden', `Only the role "${administratorRole}" may see jobs.`)
    }
    server.get('/api/jobs', async (request, reply) => {
      await enter(request)
      const query = readQuery(request.query, { status: oneOf(...jobStatuses), ...pageReaders })
      const jobs = await listJobs(pool, { status: query.status, page: pageOf(query) })
      return reply.type(json).send(`{"data":[${jobs.join(',')}]}`)
    })
    server.get('/api/jobs/count', async (request) => {
      await enter(request)
      readQuery(request.query, {})
      return countJobs(pool)
    })
    server.post<OneJob>('/api/jobs/:id/retry', async (request, reply) => {
      await enter(request)
      readQuery(request.query, {})
      takeNoBody(request)
      return reply.type(json).send(await retryJob(pool, readJobId(request.params.id)))
    })
    server.delete<OneJob>('/api/jobs/:id', async (request, reply) => {
      await enter(request)
      readQuery(request.query, {})
      takeNoBody(request)
      await removeJob(pool, readJobId(request.params.id))
      return reply.status(204).send()
    })
  }

/** A job's id outgrows that of a record: a service makes many more of them. */
const readJobId = (text: string): number => {
  const id = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : readId(text, 'id')
  if (id === undefined) throw unknownJob(text)
  return id
}
