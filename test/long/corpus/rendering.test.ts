/** Rendering long texts of records does not block the thread that answers requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Observation } from '../../../src/observations.ts'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { opened } from '../../support/afterwards.ts'
import { longestStop } from '../../support/hostile/longest-stop.ts'
import { about, engineFiles } from '../../support/notifications/an-engine-project.ts'
import { startTestService } from '../../support/service.ts'

/** Every filter and operator that searches. */
const searching = {
  title: '{% if record.notes contains record.extra %}yes{% else %}no{% endif %}',
  message: [
    ...['replace', 'replace_first', 'replace_last'].map((name) => `${name}: record.extra, c`),
    ...['remove', 'remove_first', 'remove_last'].map((name) => `${name}: record.extra`),
    `split: record.extra | join: '|'`,
  ]
    .map((use) => `{{ record.notes | ${use} }}`)
    .join(''),
}
const recipient = { userFields: ['approver'], includeActor: true }
const files = {
  ...engineFiles([
    about('search', recipient, { content: searching }),
    about('mail', recipient, { emailTemplateId: 'whole', content: { title: 'New' } }),
  ]),
  'email-templates/whole.mjml': `---
subject: "{{ title }}"
---
<mjml><mj-body><mj-section><mj-column>
  <mj-text>{{ record.notes }}</mj-text>
</mj-column></mj-section></mj-body></mjml>
`,
}

const service = opened(() => startTestService(files))

const create = async (values: object): Promise<number> =>
  (await service.ask('POST', '/request', { body: { ...values, approver_id: 1 } })).json(201).id

/** Asserts that this thread was not blocked while `work` ran. */
const assertAnswering = async (work: () => Promise<unknown>) => {
  const stop = await longestStop(work)
  assert.ok(stop < 200, `the thread was blocked for ${Math.round(stop)} ms`)
}

test('explaining a template that searches blocks other requests for less than 200 ms', async () => {
  const half = 'a'.repeat(24_900)
  const values = { topic: 'search', notes: 'a'.repeat(99_000), extra: `${half}b${half}` }
  const body = { entityKey: 'request', entityId: await create(values), operation: 'create' }
  await assertAnswering(async () => {
    const reply = await service.ask('POST', '/api/notifications/explain', { body })
    assert.equal(reply.json().entries[0].recipients[0].content?.title, 'no', reply.text)
  })
})

for (const [title, text] of [
  ['many short words', 'a '.repeat(1_000_000)],
  ['markup', '<td>|</td>'.repeat(60_000)],
  ['characters that are escaped', '&'.repeat(500_000)],
] as const)
  test(`rendering an e-mail with a text of megabytes (${title}) blocks requests for less than 200 ms`, async (t) => {
    const { pool } = service.database
    const id = await create({ topic: 'mail', notes: 'short' })
    // Longer than a request may set.
    await pool.query('UPDATE records.request SET notes = $2 WHERE id = $1', [id, text])
    const failures: string[] = []
    const observe = (observation: Observation) => {
      if ('error' in observation) failures.push(`${observation.kind}: ${observation.error}`)
    }
    await assertAnswering(async () => {
      const worker = await startWorkerThread({ ...service.runtime, observe }, { watch: false })
      t.after(() => worker.stop())
      const isSent = `SELECT FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id WHERE m.entity_id = $1 AND d.status = 'sent'`
      const giveUpAt = Date.now() + 240_000
      while ((await pool.query(isSent, [id])).rowCount !== 1) {
        assert.ok(Date.now() < giveUpAt, `The e-mail was not sent: ${failures.join()}`)
        assert.equal((await service.ask('GET', '/request?limit=1')).status, 200)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      assert.equal(await worker.stop(), 0)
    })
  })
