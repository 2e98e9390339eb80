/** A request, its job and the e-mail that follows are one trace across processes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { endWell, startUp } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'
import { type CollectedSpan, startCollector } from '../../support/trace-collector.ts'
import { until } from '../../support/wait.ts'

// Letters, because ids and times of spans have any digits.
const secret = 'Sealed bid of Quixotrel'

const project = {
  'entities/order.json': {
    key: 'order',
    displayField: 'number',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'clerk', type: 'manyToOne', entity: 'user' },
    ],
    hooks,
    notifications: [
      {
        operation: 'create',
        recipient: { userFields: ['clerk'], includeActor: true },
        content: { title: 'New order', message: '{{ record.number }}' },
        emailTemplateId: 'order',
      },
    ],
  },
  'email-templates/order.mjml': `---
subject: "{{ title }}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>{{ record.number }}</mj-text></mj-column></mj-section></mj-body></mjml>
`,
}

/** `docket start` without jobs, and `docket worker`. */
const startAll = async (traced: Readonly<Record<string, string>>) => {
  const { pool, connectionString } = await createPreparedDatabase()
  const environment = {
    DATABASE_URL: connectionString,
    PROJECT: await writeProject(project),
    EMAIL_PROVIDER: 'file',
    ...traced,
  }
  const service = await startUp({ ...environment, OTEL_SERVICE_NAME: 'service' }, ['--no-jobs'])
  assert.match(service.shown, /Jobs wait for "docket worker"/)
  const { base } = service
  const own = { OTEL_SERVICE_NAME: 'worker', PUBLIC_URL: base }
  const child = spawnDocket(['worker'], { ...environment, ...own })
  const worker = { child, ended: outcomeOf(child) }
  await waitFor(child, /run here/)
  const token = (await callDocket(['token'], environment)).out.trim()
  const create = async (more: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${base}/order`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...more },
      body: JSON.stringify({ number: secret, clerk_id: 1 }),
    })
    assert.equal(answer.status, 201, await answer.text())
  }
  const untilSent = (count: number) =>
    until(`${count} e-mails are sent`, async () => {
      const { rows } = await pool.query<{ sent: number }>(
        `SELECT count(*)::integer AS sent FROM docket.delivery WHERE status = 'sent'`,
      )
      return rows[0]?.sent === count
    })
  /** Each process sends its last spans before it ends. */
  const end = async () => {
    await endWell(service)
    await endWell(worker)
  }
  return { create, untilSent, end }
}

/** The spans from the first to one of them, outermost first. */
const pathTo = (spans: readonly CollectedSpan[], last: CollectedSpan): readonly CollectedSpan[] => {
  const above = spans.find(({ spanId }) => spanId === last.parentSpanId)
  return above ? [...pathTo(spans, above), last] : [last]
}

const caller = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

test('a create that notifies a user is one trace from the request of the caller to the e-mail', async () => {
  const collector = await startCollector()
  const { create, untilSent, end } = await startAll({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    // Traces that begin here are not kept; the caller keeps its own.
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  await create({ traceparent: `00-${caller.trace}-${caller.span}-01` })
  await create()
  await untilSent(2)
  await end()
  const { spans } = collector
  assert.deepEqual(new Set(spans.map(({ traceId }) => traceId)), new Set([caller.trace]))
  const sent = spans.find(({ name }) => name === 'send email')
  assert.ok(sent, spans.map(({ name }) => name).join())
  const path = pathTo(spans, sent)
  assert.deepEqual(
    path.map(({ service, name }) => `${service}: ${name}`),
    [
      'service: POST /:entityKey',
      'worker: process notification.send',
      'worker: process email',
      'worker: send email',
    ],
  )
  assert.equal(path[0]?.parentSpanId, caller.span)
  const { 'http.response.status_code': status, 'docket.entity': entity } = path[0]?.attributes ?? {}
  assert.deepEqual([status, entity], [201, 'order'])
  const statements = spans.filter(({ attributes }) => attributes['db.system.name'])
  assert.deepEqual(
    new Set(statements.map(({ service }) => service)),
    new Set(['service', 'worker']),
  )
  for (const statement of statements) assert.ok(pathTo(spans, statement).length > 1)
  // No value of a record, no address, no token.
  const all = JSON.stringify(spans)
  for (const hidden of [secret, 'Quixotrel', '@', 'Bearer'])
    assert.ok(!all.includes(hidden), hidden)
})
