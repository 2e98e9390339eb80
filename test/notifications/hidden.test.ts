/** What recipients are told, mailed and sent as files shows no more than their role may read. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ParsedMail, simpleParser } from 'mailparser'
import { extractText } from 'unpdf'
import { createWorker } from '../../src/runtime/create-worker.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

// Every value that some role may not read.
const secrets = {
  salary: 'SALARY4242',
  title: 'TITLESECRET',
  combination: 'COMBOSECRET',
  desk: 'DESKSECRET',
  phone: 'PHONESECRET',
} as const
type Secret = keyof typeof secrets

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]
const attachments = {
  printableDocuments: ['sheet'],
  documentFunctions: ['native/record-json', 'native/entity-export'],
}
const content = {
  title: 'S {{ record.salary }} T {{ record.title }} V {{ record.vault.combination }}',
  message:
    'D {{ record.desk.name }} P {{ actor.phone }} M {{ actor.email }} by {{ actor.full_name }} {% if record.salary %}paid{% endif %}',
}
const entry = (topic: string, recipient: object, more: object = {}) => ({
  operation: 'create',
  condition: { topic },
  recipient: { userFields: ['approver'], ...recipient },
  ...{ content, attachments, emailTemplateId: 'all', ...more },
})
const template = `---
subject: "{{ record.title }} {{ record.salary }}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>
{{ title }} {{ message }} {{ record.salary }} {{ record.title }} {{ record.vault.combination }} {{ record.desk.name }} {{ actor.email }} by {{ record._created_by.full_name }}.
</mj-text></mj-column></mj-section></mj-body></mjml>
`

const files = {
  'entities/contract.json': {
    ...{ key: 'contract', name: 'Contract', displayField: 'title', ownership: true, hooks },
    fields: [
      { key: 'title', type: 'string' },
      { key: 'topic', type: 'string' },
      { key: 'salary', type: 'string' },
      { key: 'vault', type: 'manyToOne', entity: 'vault' },
      { key: 'desk', type: 'manyToOne', entity: 'desk' },
      { key: 'approver', type: 'manyToOne', entity: 'user' },
    ],
    notifications: [
      entry('usual', {}),
      entry('any', { skipRightsCheck: true }),
      entry('shown', { skipRightsCheck: true, showHidden: true }),
      {
        operation: 'create',
        condition: { topic: 'plain' },
        recipient: { userFields: ['approver'] },
      },
    ],
  },
  'entities/vault.json': {
    ...{ key: 'vault', displayField: 'combination' },
    fields: [{ key: 'combination', type: 'string' }],
  },
  'entities/desk.json': {
    ...{ key: 'desk', displayField: 'name' },
    fields: [{ key: 'name', type: 'string' }],
  },
  'email-templates/all.mjml': template,
  'roles/chief.json': {
    key: 'chief',
    permissions: { '*': { read: true, tasks: true, create: true }, user: { read: true } },
  },
  'roles/blind.json': {
    key: 'blind',
    permissions: {
      contract: { read: true, hiddenFields: ['salary', 'title'] },
      desk: { read: 'own', create: true },
    },
  },
  'roles/nobody.json': { key: 'nobody', permissions: {} },
}

let service: TestService
let worker: Awaited<ReturnType<typeof createWorker>>
const ids: Record<string, number> = {}
before(async () => {
  service = await startTestService(await writeProject(files))
  worker = await createWorker(service.runtime, { watch: false })
  const roles = (await service.ask('GET', '/security_role')).json().data
  for (const key of ['chief', 'blind', 'nobody']) {
    const role = roles.find((one: { key: string }) => one.key === key)
    const body = {
      ...{
        identity_provider_user_id: key,
        first_name: key,
        last_name: key,
        full_name: `Full ${key}`,
      },
      ...{ username: mailOf(key), email: mailOf(key), security_role_id: role.id },
    }
    ids[key] = await create('user', body)
  }
  const admin = (await service.ask('GET', '/api/me')).json()
  await service.ask('PATCH', `/user/${admin.id}`, { body: { phone: secrets.phone } })
  ids.admin = admin.id
  ids.vault = await create('vault', { combination: secrets.combination })
  ids.desk = await create('desk', { name: secrets.desk })
  await create('printable_document', {
    ...{ code: 'sheet', name: 'Sheet', entity_key: 'contract' },
    template_source: '#let data = json("data.json")\n#repr(data)\n#data.record.id',
  })
})
after(async () => {
  await worker.stop()
  await service.stop()
})

const mailOf = (name: string) => `${name}@example.com`
const create = async (entity: string, body: object, as?: string): Promise<number> => {
  const reply = await service.ask('POST', `/${entity}`, { body, ...(as && { as }) })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

type Received = { readonly told: string; readonly mail: ParsedMail; readonly files: string[] }

/** What a person is told, mailed and sent of a new contract. */
const receive = async (topic: string, name: string, desk = ids.desk): Promise<Received> => {
  const id = await create('contract', {
    ...{ topic, title: secrets.title, salary: secrets.salary, vault_id: ids.vault },
    ...{ desk_id: desk, approver_id: ids[name] },
  })
  const read = async () => {
    const path = `/api/deliveries?entity=contract&user=${ids[name]}`
    const { data } = (await service.ask('GET', path)).json()
    return data.find((one: { entity_id: number }) => one.entity_id === id)
  }
  await until('the e-mail is sent', async () => (await read())?.status === 'sent')
  const [newest] = (
    await service.ask('GET', '/api/notifications?limit=1', { as: mailOf(name) })
  ).json()
  assert.equal(newest.entity_id, id)
  const mail = await newestMail(name)
  return { told: JSON.stringify(newest.content), mail, files: await textsOf(mail) }
}

const newestMail = async (name: string): Promise<ParsedMail> => {
  const { data } = (await service.ask('GET', '/api/mail')).json()
  const own = data
    .map((one: { name: string }) => one.name)
    .filter((one: string) => one.includes(mailOf(name)))
  const reply = await service.ask('GET', `/api/mail/${encodeURIComponent(own.toSorted().at(-1))}`)
  return simpleParser(reply.text)
}

const textsOf = (mail: ParsedMail): Promise<string[]> =>
  Promise.all(
    mail.attachments.map(async ({ content: bytes, contentType, filename }) => {
      if (contentType !== 'application/pdf') return `${filename} ${bytes}`
      const { text } = await extractText(new Uint8Array(bytes), { mergePages: true })
      return `${filename} ${text.replaceAll(/\s+/g, '')}`
    }),
  )

const shownIn = (text: string): Secret[] =>
  (Object.keys(secrets) as Secret[]).filter((name) => text.includes(secrets[name]))
const mailText = ({ subject, text, html }: ParsedMail) => `${subject} ${text} ${html}`

test('somebody who may read all is told, mailed and sent all', async () => {
  const { told, mail, files: sent } = await receive('usual', 'chief')
  assert.deepEqual(shownIn(told), Object.keys(secrets))
  assert.match(told, /paid/)
  assert.deepEqual(shownIn(mailText(mail)), Object.keys(secrets))
  assert.equal(sent.length, 3)
  assert.deepEqual(shownIn(sent.join(' ')), Object.keys(secrets))
})

test('hidden fields and unreadable records are empty in what is told, mailed and attached', async () => {
  const { told, mail, files: sent } = await receive('usual', 'blind')
  assert.deepEqual(shownIn(told), [])
  assert.doesNotMatch(told, /paid/)
  assert.match(told, /by Administrator/, 'who acted is known by name')
  assert.doesNotMatch(told, /admin@example\.com/)
  assert.deepEqual(shownIn(mailText(mail)), [])
  assert.doesNotMatch(mailText(mail), /admin@example\.com/)
  assert.match(mail.text ?? '', /by \.\s*$/m, 'who created it is a link to a user')
  assert.equal(sent.length, 3)
  assert.deepEqual(shownIn(sent.join(' ')), [])
  assert.doesNotMatch(sent.join(' '), /admin@example\.com/)
  assert.match(sent[0] ?? '', /^sheet/)
})

test('a link to a record of their own is shown to its creator alone', async () => {
  const own = await create('desk', { name: secrets.desk }, mailOf('blind'))
  const { told, mail, files: sent } = await receive('usual', 'blind', own)
  assert.deepEqual([shownIn(told), shownIn(mailText(mail))], [['desk'], ['desk']])
  assert.deepEqual(shownIn(sent.join(' ')), ['desk'])
})

test('skipRightsCheck tells who may not read the record, and shows them nothing of it', async () => {
  const { told, mail, files: sent } = await receive('any', 'nobody')
  assert.deepEqual([shownIn(told), shownIn(mailText(mail)), sent], [[], [], []])
})

test('showHidden shows on purpose what the role may not read', async () => {
  const { told, mail, files: sent } = await receive('shown', 'nobody')
  assert.deepEqual(shownIn(told), Object.keys(secrets))
  assert.deepEqual(shownIn(mailText(mail)), Object.keys(secrets))
  assert.deepEqual(shownIn(sent.join(' ')), Object.keys(secrets))
})

test('the usual content names a record by its number where its display field is hidden', async () => {
  const { told } = await receive('plain', 'blind')
  assert.deepEqual(shownIn(told), [])
  assert.match(told, /New: Contract \d+/)
  assert.match((await receive('plain', 'chief')).told, /New: Contract TITLESECRET/)
})

test('administrators see beforehand what each would read', async () => {
  const id = await create('contract', {
    ...{ topic: 'usual', title: secrets.title, salary: secrets.salary, vault_id: ids.vault },
    ...{ approver_id: ids.blind },
  })
  const body = { entityKey: 'contract', entityId: id, operation: 'create' }
  const { entries } = (await service.ask('POST', '/api/notifications/explain', { body })).json()
  assert.equal(entries[0].recipients[0].told, true)
  assert.deepEqual(shownIn(JSON.stringify(entries[0].recipients)), [])
})

test('somebody whose role changes between the making and the sending gets what the new role reads', async () => {
  const { pool } = service.database
  const roleOf = async (name: string) =>
    (
      await pool.query('SELECT security_role_id AS id FROM records."user" WHERE id = $1', [
        ids[name],
      ])
    ).rows[0].id
  const { files: before } = await receive('usual', 'chief')
  assert.ok(shownIn(before.join(' ')).length > 0)
  const [chief, blind] = [await roleOf('chief'), await roleOf('blind')]
  await pool.query('UPDATE records."user" SET security_role_id = $2 WHERE id = $1', [
    ids.chief,
    blind,
  ])
  await pool.query(
    `UPDATE docket.delivery SET status = 'queued', due_at = now(), tries = 0 WHERE user_id = $1`,
    [ids.chief],
  )
  await until(
    'they are sent again',
    async () =>
      (
        await pool.query(`SELECT FROM docket.delivery WHERE user_id = $1 AND status <> 'sent'`, [
          ids.chief,
        ])
      ).rowCount === 0,
  )
  const mail = await newestMail('chief')
  const names = shownIn((await textsOf(mail)).join(' '))
  await pool.query('UPDATE records."user" SET security_role_id = $2 WHERE id = $1', [
    ids.chief,
    chief,
  ])
  assert.deepEqual(names, [])
})

const noticesOf = async (name: string): Promise<string> =>
  (await service.ask('GET', '/api/notifications?limit=1', { as: mailOf(name) })).text

for (const [name, wanted] of [
  ['chief', /Contract TITLESECRET/],
  ['blind', /Contract \d+\)/],
  ['nobody', /Contract \d+\)/],
] as const)
  test(`the notice of a task calls its record for ${name} what they may read`, async () => {
    const id = await create('contract', { title: secrets.title })
    const task = { description: `for ${name}`, assigne_id: ids[name] }
    const reply = await service.ask('POST', `/contract/${id}/task`, { body: task })
    assert.equal(reply.status, 201, reply.text)
    await until('told', async () => (await noticesOf(name)).includes(`for ${name}`))
    assert.match(await noticesOf(name), wanted)
  })
