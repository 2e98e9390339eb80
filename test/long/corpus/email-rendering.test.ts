/** Rendering expensive e-mails and notifications does not block the thread that answers requests. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Observation } from '../../../src/observations.ts'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { longestStop } from '../../support/hostile/longest-stop.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const template = `---
subject: "{{ title }}"
---
<mjml><mj-body><mj-section><mj-column>
  <mj-text>{{ record.body }}</mj-text>
</mj-column></mj-section></mj-body></mjml>
`

const files = {
  'entities/contract.json': {
    key: 'contract',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'body', type: 'text' },
    ],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'create',
        emailTemplateId: 'whole',
        recipient: { userGroups: ['all'] },
        content: { title: 'New {{ record.number }}', message: 'Dear {{ recipient.full_name }}' },
      },
    ],
  },
  'email-templates/whole.mjml': template,
  'roles/reader.json': { key: 'reader', permissions: { contract: { read: true } } },
}

const userCount = 2
let service: TestService
before(async () => {
  service = await startTestService(await writeProject(files))
  await service.database.pool.query(
    `WITH person AS (INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
       SELECT n, n, n, n, n || '@example.com', n || '@example.com', r.id FROM generate_series(1, ${userCount}) n, records.security_role r WHERE r.key = 'reader' RETURNING id),
     made AS (INSERT INTO records.user_group (code, name) VALUES ('all', 'All') RETURNING id)
     INSERT INTO records.user_group_member (user_group_id, user_id) SELECT made.id, person.id FROM made, person`,
  )
})
after(() => service.stop())

const texts: readonly [title: string, text: string][] = [
  ['many short words', 'a '.repeat(1_000_000)],
  ['markup', '<td>|</td>'.repeat(60_000)],
  ['characters that are escaped', '&'.repeat(500_000)],
]
for (const [title, text] of texts)
  test(`rendering e-mails with a text of megabytes (${title}) blocks requests for less than 200 ms`, async (t) => {
    const { pool } = service.database
    const { id } = (
      await service.ask('POST', '/contract', { body: { number: title, body: 'short' } })
    ).json()
    // Longer than a request may set.
    await pool.query('UPDATE records.contract SET body = $2 WHERE id = $1', [id, text])
    const failures: Observation[] = []
    const observe = (observation: Observation) => {
      if ('error' in observation)
        failures.push({ ...observation, error: String(observation.error) })
    }
    const stop = await longestStop(async () => {
      const runtime = { ...service.runtime, observe }
      const worker = await startWorkerThread(runtime, { watch: false })
      t.after(() => worker.stop())
      const isSent = `SELECT FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id WHERE m.entity_id = $1 AND d.status = 'sent'`
      const giveUpAt = Date.now() + 240_000
      while ((await pool.query(isSent, [id])).rowCount !== userCount) {
        assert.ok(Date.now() < giveUpAt, `The e-mails were not sent: ${JSON.stringify(failures)}`)
        assert.equal((await service.ask('GET', `/contract?limit=1`)).status, 200)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      assert.equal(await worker.stop(), 0)
    })
    assert.ok(stop < 200, `the thread was blocked for ${Math.round(stop)} ms`)
    const mails = await readdir(join(service.project.directory, '.docket', 'mail'))
    assert.ok(mails.length >= userCount)
  })
