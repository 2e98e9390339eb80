/** Documents of e-mails that could not be made: which errors are tried again, whoever they are for. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { documentLimitsOf, functionLimitsOf } from '../../src/config/process-limits.ts'
import { createBatcher } from '../../src/database/batcher.ts'
import { createTypstEngine } from '../../src/documents/typst/typst-engine.ts'
import { createProjectFunctions } from '../../src/functions/project-functions.ts'
import { attachDocumentsOf } from '../../src/notifications/jobs/attach-documents.ts'
import { createFunctionServices } from '../../src/notifications/jobs/function-services.ts'
import type { Observation } from '../../src/observations.ts'
import { empty, mailing, queueFor, startWithPeople } from '../deliveries/a-mailing.ts'
import { afterwards } from '../support/afterwards.ts'
import type { TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await startWithPeople()
  assert.equal((await service.ask('POST', '/order', { body: { number: 'A-1' } })).status, 201)
  await service.database.pool.query(
    `INSERT INTO records.printable_document (code, name, entity_key, template_source) VALUES
     ('plain', 'Plain', 'order', 'Text'), ('wrong', 'Wrong', 'order', '#nothing')`,
  )
})
after(() => service.stop())
beforeEach(() => empty(service))

/** A mailing with a document to somebody who may not read all that it could show, and what makes it. */
const startAttaching = async (code: string, timeoutMs: number) => {
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
  const parts = {
    ...{ pool, catalog, timeZone: 'UTC', observe, functions },
    permissions: runtime.permissions,
    batcher: createBatcher(pool),
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
      attachDocumentsOf(parts, { mailing_id: rows[0].id }, { jobId: '1', attempt, of: 25, signal }),
    told: () => observations.filter(({ kind }) => kind === 'attachmentFailed').length,
  }
}

const countDue = async () => {
  const select = 'SELECT FROM docket.delivery WHERE due_at <= now()'
  return (await service.database.pool.query(select)).rowCount
}

test('a printer that took too long is tried again, also for those who may not read everything', async () => {
  // Nothing is printed in a millisecond.
  const { attempt, told } = await startAttaching('plain', 1)
  for (const number of [1, 2])
    await assert.rejects(attempt(number), /plain: The document "plain" took longer than/)
  assert.deepEqual([await countDue(), told()], [0, 0])
  await attempt(3)
  assert.deepEqual([await countDue(), told()], [1, 1])
})

test('a template that is wrong for those who may not read everything is not tried again', async () => {
  const { attempt, told } = await startAttaching('wrong', 30_000)
  await attempt(1)
  assert.deepEqual([await countDue(), told()], [1, 1])
})
