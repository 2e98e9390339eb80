/** Contracts with hidden fields and unreadable links, users with three roles, and what these users get. */
import assert from 'node:assert/strict'
import { type ParsedMail, simpleParser } from 'mailparser'
import { extractText } from 'unpdf'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

// Every value that some role may not read.
export const secrets = {
  salary: 'SALARY4242',
  title: 'TITLESECRET',
  combination: 'COMBOSECRET',
  office: 'OFFICESECRET',
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
    'D {{ record.office.name }} P {{ actor.phone }} M {{ actor.email }} by {{ actor.full_name }} {% if record.salary %}paid{% endif %}',
}
const rule = (topic: string, recipient: object, more: object = {}) => ({
  operation: 'create',
  condition: { topic },
  recipient: { userFields: ['approver'], ...recipient },
  ...{ content, attachments, emailTemplateId: 'all', ...more },
})
const template = `---
subject: "{{ record.title }} {{ record.salary }}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>
{{ title }} {{ message }} {{ record.salary }} {{ record.title }} {{ record.vault.combination }} {{ record.office.name }} {{ actor.email }} by {{ record._created_by.full_name }}.
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
      { key: 'office', type: 'manyToOne', entity: 'office' },
      { key: 'approver', type: 'manyToOne', entity: 'user' },
    ],
    notifications: [
      rule('default', {}),
      rule('any', { skipRightsCheck: true }),
      rule('shown', { skipRightsCheck: true, showHidden: true }),
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
  'entities/office.json': {
    ...{ key: 'office', displayField: 'name' },
    fields: [{ key: 'name', type: 'string' }],
  },
  'email-templates/all.mjml': template,
  'roles/manager.json': {
    key: 'manager',
    permissions: { '*': { read: true, tasks: true, create: true }, user: { read: true } },
  },
  'roles/limited.json': {
    key: 'limited',
    permissions: {
      contract: { read: true, hiddenFields: ['salary', 'title'] },
      office: { read: 'own', create: true },
    },
  },
  'roles/nobody.json': { key: 'nobody', permissions: {} },
}

/** The notification, the e-mail and the texts of its attachments. */
type Received = { readonly content: string; readonly mail: ParsedMail; readonly files: string[] }

export type ContractService = TestService & {
  /** The ids of the users by their names, and of `admin`, `vault` and `office`. */
  readonly ids: Readonly<Record<string, number>>
  /** Creates a record, as the administrator unless `as` is given, and returns its id. */
  readonly create: (entity: string, body: object, as?: string) => Promise<number>
  /** What a user gets for a new contract of a topic. */
  readonly receive: (topic: string, name: string, officeId?: number) => Promise<Received>
  readonly newestMail: (name: string) => Promise<ParsedMail>
}

export const mailOf = (name: string) => `${name}@example.com`

/** Starts the service with its users, its records and its worker. */
export const startContracts = async (): Promise<ContractService> => {
  const service = await startTestService(await writeProject(files))
  const worker = await createWorker(service.runtime, { watch: false })
  const create = (entity: string, body: object, as?: string) =>
    createRecord(service, entity, { body, ...(as && { as }) })
  const newestMail = (name: string) => newestMailOf(service, name)
  const ids = await createRecords(service, create)
  const receive = async (topic: string, name: string, officeId = ids.office) => {
    const id = await create('contract', {
      ...{ topic, title: secrets.title, salary: secrets.salary, vault_id: ids.vault },
      ...{ office_id: officeId, approver_id: ids[name] },
    })
    const content = await sentContent(service, { id, name, userId: ids[name] })
    const mail = await newestMail(name)
    return { content, mail, files: await textsOf(mail) }
  }
  const stop = async () => {
    await worker.stop()
    await service.stop()
  }
  return { ...service, ids, create, receive, newestMail, stop }
}

const createRecord = async (
  { ask }: TestService,
  entity: string,
  options: { readonly body: object; readonly as?: string },
): Promise<number> => {
  const reply = await ask('POST', `/${entity}`, options)
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

const createRecords = async (
  { ask }: TestService,
  create: ContractService['create'],
): Promise<Record<string, number>> => {
  const ids: Record<string, number> = {}
  const roles = (await ask('GET', '/security_role')).json().data
  for (const key of ['manager', 'limited', 'nobody']) {
    const role = roles.find((one: { key: string }) => one.key === key)
    const names = { first_name: key, last_name: key, full_name: `Full ${key}` }
    const body = {
      ...{ identity_provider_user_id: key, ...names, security_role_id: role.id },
      ...{ username: mailOf(key), email: mailOf(key) },
    }
    ids[key] = await create('user', body)
  }
  const admin = (await ask('GET', '/api/me')).json()
  await ask('PATCH', `/user/${admin.id}`, { body: { phone: secrets.phone } })
  ids.admin = admin.id
  ids.vault = await create('vault', { combination: secrets.combination })
  ids.office = await create('office', { name: secrets.office })
  await create('printable_document', {
    ...{ code: 'sheet', name: 'Sheet', entity_key: 'contract' },
    template_source: '#let data = json("data.json")\n#repr(data)\n#data.record.id',
  })
  return ids
}

/** Waits until the e-mail about a contract is sent, and returns the content of its notification. */
const sentContent = async (
  { ask }: TestService,
  { id, name, userId }: { id: number; name: string; userId: number | undefined },
): Promise<string> => {
  const path = `/api/deliveries?entity=contract&user=${userId}`
  await until('the e-mail is sent', async () => {
    const { data } = (await ask('GET', path)).json()
    return data.find((one: { entity_id: number }) => one.entity_id === id)?.status === 'sent'
  })
  const [newest] = (await ask('GET', '/api/notifications?limit=1', { as: mailOf(name) })).json()
  assert.equal(newest.entity_id, id)
  return JSON.stringify(newest.content)
}

const newestMailOf = async ({ ask }: TestService, name: string): Promise<ParsedMail> => {
  const { data } = (await ask('GET', '/api/mail')).json()
  const own = data
    .map((one: { name: string }) => one.name)
    .filter((one: string) => one.includes(mailOf(name)))
  const reply = await ask('GET', `/api/mail/${encodeURIComponent(own.toSorted().at(-1))}`)
  return simpleParser(reply.text)
}

export const textsOf = (mail: ParsedMail): Promise<string[]> =>
  Promise.all(
    mail.attachments.map(async ({ content: bytes, contentType, filename }) => {
      if (contentType !== 'application/pdf') return `${filename} ${bytes}`
      const { text } = await extractText(new Uint8Array(bytes), { mergePages: true })
      return `${filename} ${text.replaceAll(/\s+/g, '')}`
    }),
  )

/** The secrets that a text contains. */
export const shownIn = (text: string): Secret[] =>
  (Object.keys(secrets) as Secret[]).filter((name) => text.includes(secrets[name]))
export const mailText = ({ subject, text, html }: ParsedMail) => `${subject} ${text} ${html}`
