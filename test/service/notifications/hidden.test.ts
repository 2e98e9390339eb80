/** Notifications, e-mails and attachments show only what the role of the recipient may read. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { ParsedMail } from 'mailparser'
import { extractText } from 'unpdf'
import { opened } from '../../support/afterwards.ts'
import { link, roleFile } from '../../support/definitions/files.ts'
import { mailOf, mailsOf, startMailing } from '../../support/deliveries/a-mailing-project.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { uploadFile } from '../../support/uploads.ts'
import { until } from '../../support/wait.ts'

// Every value that some role may not read.
const secrets = {
  salary: 'SALARY4242',
  title: 'TITLESECRET',
  combination: 'COMBOSECRET',
  office: 'OFFICESECRET',
  phone: 'PHONESECRET',
  step: 'STEPSECRET',
  task: 'TASKSECRET',
} as const
const everySecret = Object.keys(secrets).filter((name) => name !== 'step' && name !== 'task')
/** The names of the secrets that a text contains. */
const shownIn = (text: string): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []))

const rule = (topic: string, recipient: object, replyTo = 'actor') => ({
  operation: 'create',
  condition: { topic },
  emailTemplateId: 'all',
  replyTo,
  recipient: { userFields: ['approver'], ...recipient },
  content: {
    title: 'S {{ record.salary }} T {{ record.title }} V {{ record.vault.combination }}',
    message:
      'D {{ record.office.name }} P {{ actor.phone }} M {{ actor.email }} by {{ actor.full_name }} {% if record.salary %}paid{% endif %}',
  },
  attachments: {
    printableDocuments: ['sheet'],
    documentFunctions: ['native/record-json', 'native/entity-export'],
  },
})
const named = (key: string, displayField: string) => ({
  [`entities/${key}.json`]: { key, displayField, fields: [{ key: displayField, type: 'string' }] },
})

const files = {
  'entities/contract.json': {
    key: 'contract',
    name: 'Contract',
    displayField: 'title',
    ownership: true,
    hooks,
    fields: [
      ...['title', 'topic', 'salary'].map((key) => ({ key, type: 'string' })),
      { key: 'papers', type: 'files' },
      ...[link('vault'), link('office'), link('approver', 'user')],
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        {
          key: 'draft',
          name: 'Draft',
          actions: [{ key: 'send', name: 'Send', kind: 'proceedToStep', to: 'review' }],
        },
        { key: 'review', name: secrets.step, final: true },
      ],
    },
    notifications: [
      rule('default', {}),
      rule('any', { skipRightsCheck: true }),
      rule('shown', { skipRightsCheck: true, showHidden: true }, '_created_by'),
      {
        ...rule('pair', { userFields: ['_updated_by', 'approver'] }),
        operation: 'proceedToStep',
        action: 'send',
      },
      {
        operation: 'proceedToStep',
        action: 'send',
        emailTemplateId: 'plain',
        condition: { topic: 'none' },
        recipient: { userFields: ['approver'] },
      },
      {
        operation: 'proceedToStep',
        action: 'send',
        condition: { topic: 'none' },
        recipient: { userFields: ['approver'], showHidden: true },
        content: { message: '{{ action.to_name }}' },
      },
      {
        operation: 'create',
        condition: { topic: 'filed' },
        recipient: { userFields: ['approver'] },
        attachments: { files: ['papers'] },
      },
      {
        operation: 'create',
        condition: { topic: 'plain' },
        replyTo: '_created_by',
        recipient: { userFields: ['approver'] },
      },
    ],
  },
  ...named('vault', 'combination'),
  ...named('office', 'name'),
  'email-templates/all.mjml': `---
subject: "{{ record.title }} {{ record.salary }}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>
{{ title }} {{ message }} {{ record.salary }} {{ record.title }} {{ record.vault.combination }} {{ record.office.name }} {{ actor.email }} by {{ record._created_by.full_name }}.
</mj-text></mj-column></mj-section></mj-body></mjml>
`,
  'email-templates/plain.mjml': `---
subject: "{{ title }}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>
{{ message }} {{ action.from_name }} {{ action.to_name }} {{ action.to }}.
</mj-text></mj-column></mj-section></mj-body></mjml>
`,
  ...roleFile('manager', { '*': { read: true, tasks: true, create: true }, user: { read: true } }),
  ...roleFile('limited', {
    contract: {
      read: true,
      actions: ['send'],
      hiddenFields: ['salary', 'title', 'papers', '_step'],
    },
    office: { read: 'own', create: true },
  }),
  ...roleFile('veiled', {
    contract: { read: true },
    task: { read: true, hiddenFields: ['description', 'due_date', 'key'] },
  }),
  ...roleFile('nobody', {}),
}
const roleByName = {
  manager: 'manager',
  limited: 'limited',
  peer: 'limited',
  veiled: 'veiled',
  nobody: 'nobody',
} as const
type Name = keyof typeof roleByName
const start = () => startMailing(files, roleByName)

let ids: typeof service.ids
let create: typeof service.create
let vault_id: number
let office: number
const service = opened(() => start())
before(async () => {
  ;({ ids, create } = service)
  await service.ask('PATCH', '/user/1', { body: { phone: secrets.phone } })
  vault_id = await create('vault', { combination: secrets.combination })
  office = await create('office', { name: secrets.office })
  await create('printable_document', {
    code: 'sheet',
    name: 'Sheet',
    entity_key: 'contract',
    template_source: '#let data = json("data.json")\n#repr(data)\n#data.record.id',
  })
})

const createContract = (topic: string, approver: Name, office_id = office, papers: string[] = []) =>
  create('contract', {
    papers,
    topic,
    title: secrets.title,
    salary: secrets.salary,
    vault_id,
    office_id,
    approver_id: ids[approver],
  })
/** Takes the action of a contract. */
const take = async (id: number, as?: Name) => {
  const options = { body: { action: 'send' }, as: as && mailOf(as) }
  const reply = await service.ask('POST', `/contract/${id}/proceedToStep`, options)
  assert.equal(reply.status, 200, reply.text)
}
const newestOf = async (name: Name) => {
  const options = { as: mailOf(name) }
  return (await service.ask('GET', '/api/notifications?limit=1', options)).json()[0]
}

const textOf = async ({ filename, contentType, content }: ParsedMail['attachments'][number]) => {
  if (contentType !== 'application/pdf') return `${filename} ${content}`
  const { text } = await extractText(new Uint8Array(content), { mergePages: true })
  return `${filename} ${text.replaceAll(/\s+/g, '')}`
}
/** The newest e-mail to a user, as text, and its attachments as texts. */
const newestMailOf = async (name: Name) => {
  const mail = (await mailsOf(service, mailOf(name))).at(-1) ?? assert.fail()
  const { subject, text = '', html, attachments, replyTo } = mail
  return {
    text,
    html: html || '',
    replyTo: replyTo?.text,
    mail: `${subject} ${text} ${html}`,
    files: await Promise.all(attachments.map(textOf)),
  }
}

const untilSent = (id: number, name: Name, count = 1) =>
  until('the e-mails are sent', async () => {
    const path = `/api/deliveries?entity=contract&record=${id}&user=${ids[name]}`
    const { data } = (await service.ask('GET', path)).json()
    return data.filter((one: { status: string }) => one.status === 'sent').length === count
  })

/** Sends the e-mails about a contract as if they had not been sent yet. */
const sendAgain = async (id: number, name: Name) => {
  await service.database.pool.query(
    `UPDATE docket.delivery d SET status = 'queued', due_at = now(), tries = 0
     FROM docket.mailing m WHERE m.id = d.mailing_id AND m.entity_id = ${id}`,
  )
  await untilSent(id, name)
}

/** What a user gets for a new contract of a topic: the notification, the e-mail and its attachments. */
const receive = async (topic: string, name: Name, officeId?: number) => {
  const id = await createContract(topic, name, officeId)
  await untilSent(id, name)
  const { entity_id, content } = await newestOf(name)
  assert.equal(entity_id, id)
  return { content: JSON.stringify(content), url: content.url, id, ...(await newestMailOf(name)) }
}
type Received = Awaited<ReturnType<typeof receive>>
/** Asserts which secrets the notification, the e-mail and the attachments show, and how many attachments there are. */
const assertShown = (received: Received, shown: readonly string[], count = 3) => {
  const { content, mail, files: sent } = received
  for (const text of [content, mail, ...(count > 0 ? [sent.join(' ')] : [])])
    assert.deepEqual(shownIn(text), shown)
  assert.equal(sent.length, count)
}

test('a role that may read everything gets all values in the notification, the e-mail and the attachments', async () => {
  const received = await receive('default', 'manager')
  assertShown(received, everySecret)
  assert.match(received.content, /paid/)
  assert.equal(received.replyTo, 'admin@example.com')
})

test('hidden fields and unreadable records are empty in the notification, its explanation, the e-mail and the attachments', async () => {
  const received = await receive('default', 'limited')
  assertShown(received, [])
  const { content, mail, text, files: sent, replyTo } = received
  assert.equal(replyTo, undefined)
  assert.doesNotMatch(content, /paid/)
  assert.match(content, /by Administrator/, 'the actor is shown by name')
  for (const part of [content, mail, sent.join(' ')])
    assert.doesNotMatch(part, /admin@example\.com/)
  assert.match(text, /by Administrator\.\s*$/m, 'so is the creator')
  assert.match(sent[0] ?? '', /^sheet/)
  const body = { entityKey: 'contract', entityId: received.id, operation: 'create' }
  const { entries } = (await service.ask('POST', '/api/notifications/explain', { body })).json()
  assert.equal(entries[0].recipients[0].told, true)
  assert.deepEqual(shownIn(JSON.stringify(entries[0].recipients)), [])
})

test('a document that users of one role share has of its actor what all of them may read', async () => {
  await service.ask('PATCH', `/user/${ids.limited}`, { body: { phone: secrets.phone } })
  const id = await createContract('pair', 'peer')
  await take(id, 'limited')
  for (const name of ['limited', 'peer'] as const) {
    await untilSent(id, name)
    const { files: sent } = await newestMailOf(name)
    assert.match(sent[0] ?? '', /^sheet.*limitedExample/s)
    assert.deepEqual(shownIn(sent.join(' ')), [])
    assert.doesNotMatch(sent.join(' '), /limited@example\.com/)
  }
})

test('the steps of an action are told only to roles that may read the step, and by showHidden', async () => {
  for (const name of ['manager', 'limited'] as const) {
    const id = await createContract('none', name)
    await take(id)
    await untilSent(id, name, 2)
    const options = { as: mailOf(name) }
    const told = (await service.ask('GET', '/api/notifications?limit=2', options)).json()
    const messages: string[] = told.map(
      (one: { content: { message: string } }) => one.content.message,
    )
    const mails = (await mailsOf(service, mailOf(name))).slice(-2).map(({ text = '' }) => text)
    for (const texts of [messages, mails]) {
      const open = texts.filter((text) => text.includes(secrets.step))
      assert.equal(open.length, name === 'manager' ? 2 : 1)
    }
    assert.equal(messages.join().includes('changed Contract'), name === 'limited')
  }
})

test('the notification and the calendar of an assignee have no field of the task that their role hides', async () => {
  const record = await createContract('none', 'veiled')
  const due_date = new Date(Date.now() + 3_600_000).toISOString()
  const task = { description: secrets.task, due_date, assigne_id: ids.veiled }
  await create(`contract/${record}/task`, task)
  await until('the assignee is told', async () => (await newestOf('veiled'))?.entity_id === record)
  const { content } = await newestOf('veiled')
  assert.deepEqual([shownIn(JSON.stringify(content)), content.due_date], [['title'], undefined])
  const made = await service.ask('POST', '/api/tasks/calendar', { as: mailOf('veiled') })
  const { pathname, search } = new URL(made.json().url)
  assert.doesNotMatch((await service.ask('GET', pathname + search)).text, /VEVENT|TASKSECRET/)
})

test('files go with the e-mails of those who may read their field, the same at every attempt', async () => {
  const filed = async (name: Name) => {
    const paper = await uploadFile(service, 'Paper.txt', 'Signed')
    const id = await createContract('filed', name, office, [paper])
    await untilSent(id, name)
    return { id, ...(await newestMailOf(name)) }
  }
  const { id, files: sent } = await filed('manager')
  assert.deepEqual(sent, ['Paper.txt Signed'])
  await service.ask('PATCH', `/contract/${id}`, { body: { papers: [] } })
  await sendAgain(id, 'manager')
  assert.deepEqual((await newestMailOf('manager')).files, sent)
  const { files: none, mail } = await filed('limited')
  assert.deepEqual([none, /paper/i.test(mail)], [[], false])
})

test('skipRightsCheck notifies users who may not read the record, without its values and a way to it', async () => {
  const received = await receive('any', 'nobody')
  assertShown(received, [], 0)
  assert.equal(received.url, null)
})

test('showHidden shows values that the role may not read', async () => {
  const received = await receive('shown', 'nobody')
  assertShown(received, everySecret)
  assert.equal(received.replyTo, 'admin@example.com')
})

test('the default content names a record by its id when its display field is hidden, and leads to it', async () => {
  const { content, id, url, html, replyTo } = await receive('plain', 'limited')
  assert.match(content, new RegExp(`New: Contract ${id}`))
  assert.deepEqual([shownIn(content), replyTo], [[], undefined])
  assert.equal(url, `/console/contract/${id}`)
  assert.match(html, new RegExp(`href="http://[^"/]+/console/contract/${id}"`))
  const known = await receive('plain', 'manager')
  assert.match(known.content, /New: Contract TITLESECRET/)
  assert.equal(known.replyTo, 'admin@example.com')
})

test('a recipient whose role changes before sending gets the values that the new role may read', async () => {
  const { id, files: before } = await receive('default', 'manager')
  assert.ok(shownIn(before.join(' ')).length > 0)
  await service.setRole('manager', 'limited')
  await sendAgain(id, 'manager')
  const { files: sent } = await newestMailOf('manager')
  await service.setRole('manager', 'manager')
  assert.deepEqual([sent.length, shownIn(sent.join(' '))], [3, []])
})

test('an e-mail shows of a linked record what its recipient may read when it is sent', async () => {
  const { pool } = service.database
  const own = await create('office', { name: secrets.office }, 'limited')
  const timesShown = async () =>
    (await newestMailOf('limited')).text.split(secrets.office).length - 1
  const { id } = await receive('default', 'limited', own)
  assert.equal(await timesShown(), 2, 'in the notification, and as a field of the record')
  await pool.query(`UPDATE records.office SET _created_by = 1 WHERE id = ${own}`)
  await sendAgain(id, 'limited')
  assert.equal(await timesShown(), 1, 'what the notification said stays')
})

test('the notification of a task names its record by a field that the assignee may read', async () => {
  for (const [name, expected] of [
    ['manager', /Contract TITLESECRET/],
    ['limited', /Contract \d+\)/],
    ['nobody', /Contract \d+\)/],
  ] as const) {
    const id = await create('contract', { title: secrets.title })
    await create(`contract/${id}/task`, { description: `for ${name}`, assigne_id: ids[name] })
    const content = await until('the user is notified', async () => {
      const text = JSON.stringify(await newestOf(name))
      return text.includes(`for ${name}`) && text
    })
    assert.match(content, expected)
  }
})
