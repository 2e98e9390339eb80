/** Errors of printable documents for e-mails: which are retried, for recipients with every role. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { documentLimitsOf, functionLimitsOf } from '../../../src/config/process-limits.ts'
import { createBatcher } from '../../../src/database/batcher.ts'
import { feedsOn } from '../../../src/database/feeds/feeds.ts'
import { createTypstEngine } from '../../../src/documents/typst/typst-engine.ts'
import { createProjectFunctions } from '../../../src/functions/project-functions.ts'
import { attachDocumentsOf } from '../../../src/notifications/jobs/attach-documents.ts'
import { createFunctionServices } from '../../../src/notifications/jobs/function-services.ts'
import type { Observation } from '../../../src/observations.ts'
import { afterwards } from '../../support/afterwards.ts'
import {
  mailing,
  queueFor,
  removeMailings,
  shareWithUsers,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await shareWithUsers()
  await service.database.pool.query(
    `INSERT INTO records.printable_document (code, name, entity_key, template_source) VALUES
     ('endless', 'Endless', 'order', $1), ('invalid', 'Invalid', 'order', '#nothing')`,
    ['#for a in range(1000000) { for b in range(1000000) { let c = a + b } }'],
  )
})
beforeEach(() => removeMailings(service))

/** Queues a mailing with a document to a user who may not read all its data; returns how to run the job. */
const queueWithDocument = async (code: string, timeoutMs: number) => {
  const { database, project } = service
  const { pool } = database
  const observations: Observation[] = []
  const observe = (observation: Observation) => observations.push(observation)
  const { config, runtime } = service
  const opened = { ...runtime.documentsOn(pool), observe }
  const engine = createTypstEngine({ timeZone: 'UTC', ...documentLimitsOf(config), timeoutMs })
  afterwards(() => engine.close())
  const { catalog } = project
  const functions = createProjectFunctions({
    files: { document: new Map(), handler: new Map() },
    services: createFunctionServices(opened),
    observe,
    limits: functionLimitsOf(config),
    watch: false,
  })
  const batcher = createBatcher(pool)
  const deps = {
    ...{ pool, catalog, timeZone: 'UTC', observe, functions },
    permissions: runtime.permissions,
    ...{ batcher, feeds: feedsOn(pool), batcherOf: () => batcher },
    documents: { ...opened, engine },
  }
  await queueFor(service, [2], {
    data: { ...mailing.data, actor: { id: 1 } },
    attachments: { printableDocuments: [code], documentFunctions: [] },
  })
  const { rows } = await pool.query('SELECT id::int FROM docket.mailing')
  const { signal } = new AbortController()
  return {
    attempt: (attempt: number) =>
      attachDocumentsOf(deps, { mailing_id: rows[0].id }, { jobId: '1', attempt, of: 25, signal }),
    countFailures: () => observations.filter(({ kind }) => kind === 'attachmentFailed').length,
  }
}

const countDue = async () => {
  const select = 'SELECT FROM docket.delivery WHERE due_at <= now()'
  return (await service.database.pool.query(select)).rowCount
}

test('a document that takes too long is retried, also for recipients who may not read all its data', async () => {
  const { attempt, countFailures } = await queueWithDocument('endless', 500)
  for (const number of [1, 2])
    await assert.rejects(attempt(number), /endless: The document "endless" took longer than/)
  assert.deepEqual([await countDue(), countFailures()], [0, 0])
  await attempt(3)
  assert.deepEqual([await countDue(), countFailures()], [1, 1])
})

test('an invalid template is not retried for recipients who may not read all its data', async () => {
  const { attempt, countFailures } = await queueWithDocument('invalid', 30_000)
  await attempt(1)
  assert.deepEqual([await countDue(), countFailures()], [1, 1])
})
