/** Notifications and e-mails say what choices and steps are called, in the language of the locale. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { simpleParser } from 'mailparser'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { insertUser } from '../../../src/users/user-store.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const printed = '{{ entity.name }}: {{ names.urgency }} ({{ record.urgency }}), {{ names._step }}'
const files = {
  'docket.json': { name: 'Shop', locale: 'de-AT', language: 'en' },
  'entities/supplier.json': {
    key: 'supplier',
    fields: [{ key: 'kind', type: 'enum', values: [{ value: 'near', name: 'Near' }, 'far'] }],
  },
  'entities/order.json': {
    key: 'order',
    name: 'Order',
    fields: [
      { key: 'urgency', type: 'enum', values: [{ value: 'low', name: 'Low' }, 'high'] },
      { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    ],
    workflow: { initialStep: 'draft', steps: [{ key: 'draft', name: 'Draft', final: true }] },
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'create',
        emailTemplateId: 'own',
        recipient: { userGroups: ['all'] },
        content: { title: `${printed}, {{ names.supplier.kind }}.` },
      },
    ],
  },
  'translations/de.json': {
    entities: {
      order: { name: 'Bestellung', fields: { urgency: { values: { high: 'Hoch' } } } },
      supplier: { fields: { kind: { values: { near: 'Nah' } } } },
    },
  },
  'roles/clerk.json': {
    key: 'clerk',
    permissions: { order: { read: true, hiddenFields: ['urgency'] } },
  },
  'email-templates/own.mjml': `---
subject: "${printed}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>.</mj-text></mj-column></mj-section></mj-body></mjml>
`,
}

let service: TestService
before(async () => {
  service = await startTestService(await writeProject(files))
  const { pool } = service.database
  const names = { first_name: 'Vera', last_name: 'Novak', full_name: 'Vera Novak' }
  const email = 'vera@example.com'
  const user = { identity_provider_user_id: email, email, role_key: 'clerk', ...names }
  const id = await insertUser(pool, user)
  await pool.query(`INSERT INTO records.user_group (code, name) VALUES ('all', 'All')`)
  await pool.query(
    'INSERT INTO records.user_group_member (user_group_id, user_id) SELECT 1, unnest($1::integer[])',
    [[1, id]],
  )
})
after(() => service.stop())

const create = async (path: string, body: object): Promise<number> => {
  const reply = await service.ask('POST', path, { body })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

test('names of choices are at the places of their values, as far as the recipient may read these', async (t) => {
  const worker = await startWorkerThread(service.runtime, { watch: false })
  t.after(() => worker.stop())
  const supplier_id = await create('/supplier', { kind: 'near' })
  await create('/order', { supplier_id, urgency: 'high' })
  const mails = await until('both e-mails are sent', async () => {
    const { data } = (await service.ask('GET', '/api/mail')).json()
    return data.length === 2 && (data as { name: string }[])
  })
  const subjects = await Promise.all(
    mails.map(async ({ name }) => {
      const { subject } = await simpleParser((await service.ask('GET', `/api/mail/${name}`)).text)
      return subject
    }),
  )
  // A step without a translation is called what the definition says.
  assert.deepEqual(subjects.toSorted(), ['Bestellung: (), Draft', 'Bestellung: Hoch (high), Draft'])
  const { rows } = await service.database.pool.query<{ content: string }>(
    'SELECT content FROM docket.notification ORDER BY user_id',
  )
  assert.deepEqual(
    rows.map(({ content }) => JSON.parse(content).title),
    ['Bestellung: Hoch (high), Draft, Nah.', 'Bestellung:  (), Draft, .'],
  )
})
