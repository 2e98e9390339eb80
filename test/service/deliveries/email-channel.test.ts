/** E-mails from the queue to the folder of the provider `file`, where administrators read them. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { type ParsedMail, simpleParser } from 'mailparser'
import { createPermissions } from '../../../src/auth/permissions.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { feedsOn } from '../../../src/database/feeds/feeds.ts'
import { createListener } from '../../../src/database/listening/listener.ts'
import { openSenders } from '../../../src/deliveries/sending/open-senders.ts'
import { StartupError } from '../../../src/errors.ts'
import type { Observation } from '../../../src/observations.ts'
import {
  queueFor,
  removeMailings,
  shareWithUsers,
  statuses,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const template = `---
subject: "{{ entity.name }} for {{ recipient.full_name }}"
---
<mjml><mj-body><mj-section><mj-column>
  <mj-text>Own: {{ record.number }}</mj-text>
</mj-column></mj-section></mj-body></mjml>
`

let service: TestService
before(async () => {
  service = await shareWithUsers()
  await removeMailings(service)
  const folder = join(service.config.PROJECT, 'email-templates')
  await mkdir(folder)
  await writeFile(join(folder, 'own.mjml'), template)
})

const startSenders = async (environment: Record<string, string> = {}) => {
  const { pool, connectionString } = service.database
  const observed: Observation[] = []
  const config = loadConfig({
    PROJECT: service.config.PROJECT,
    PUBLIC_URL: 'https://docket.example.com/base/',
    ...environment,
  })
  const observe = (observation: Observation) => void observed.push(observation)
  const { catalog } = service.project
  const sight = { catalog, permissions: createPermissions(catalog), timeZone: 'UTC' }
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  const sender = await openSenders({
    ...{ config, pool, observe, watch: false, ...sight },
    feeds: feedsOn(pool),
    listenerOf: () => listener,
  })
  await listener.start()
  return {
    stop: async (graceMs: number) => {
      await sender.stop(graceMs)
      await listener.close()
    },
  }
}

const sentMail = async (environment: Record<string, string> = {}): Promise<ParsedMail[]> => {
  const sender = await startSenders(environment)
  await until('all are sent', async () =>
    (await statuses(service)).every((status) => status === 'sent' || status === 'dead'),
  )
  await sender.stop(5_000)
  const { data } = (await service.ask('GET', '/api/mail')).json()
  return Promise.all(
    data.map(async ({ name }: { name: string }) => {
      const reply = await service.ask('GET', `/api/mail/${encodeURIComponent(name)}`)
      assert.equal(reply.headers.get('content-type'), 'message/rfc822')
      return simpleParser(reply.text)
    }),
  )
}

test('without a template each recipient gets the built-in one, with an unsubscribe link', async () => {
  await queueFor(service, [2, 3])
  const mails = await sentMail()
  assert.deepEqual(mails.map(({ to }) => [to].flat()[0]?.text).toSorted(), [
    '"User 2" <u2@example.com>',
    '"User 3" <u3@example.com>',
  ])
  const [mail] = mails
  assert.match(mail?.messageId ?? '', /^<event\.0\.[23]@docket\.example\.com>$/)
  const line = mail?.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line ?? ''
  const [, link = ''] = /<(.*)>/.exec(line.replaceAll(/\s+/g, '')) ?? []
  const start = 'https://docket.example.com/base'
  assert.ok(link.startsWith(`${start}/api/notifications/unsubscribe?token=`), link)
  assert.equal((await service.ask('POST', link.slice(start.length), { as: null })).status, 200)
})

test('the template of the rule is used, and the template of the environment variable for other rules', async () => {
  const data = {
    record: { number: 'first' },
    actor: {},
    entity: { key: 'order', name: 'Order' },
    action: {},
    comment: null,
  }
  await queueFor(service, [4], { id: 'own', emailTemplateId: 'own', data })
  await queueFor(service, [5], { id: 'default', data })
  await queueFor(service, [6], { id: 'none', emailTemplateId: 'd-123', data })
  const mails = await sentMail({ WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: 'own' })
  const mailOf = (user: number) =>
    mails.find(({ to }) => [to].flat()[0]?.text.includes(`u${user}@example.com`))
  assert.deepEqual(
    [4, 5].map((user) => mailOf(user)?.subject),
    ['Order for User 4', 'Order for User 5'],
  )
  assert.match(mailOf(4)?.text ?? '', /Own: first/)
  // For an id without a file the built-in template is used.
  assert.equal(mails.length, 5)
  assert.ok(mailOf(6))
})

test('a recipient who was blocked after queueing gets no e-mail', async () => {
  await queueFor(service, [7], { id: 'blocked' })
  await service.database.pool.query('UPDATE records."user" SET is_blocked = true WHERE id = 7')
  const before = (await sentMail()).length
  assert.equal(before, 5)
  const [dead] = (await service.ask('GET', '/api/deliveries?status=dead&user=7')).json().data
  assert.equal(dead.last_error, 'The recipient may not use the service any more.')
  await service.database.pool.query('UPDATE records."user" SET is_blocked = false WHERE id = 7')
})

test('no other file than those of the folder can be read', async () => {
  for (const name of ['x.eml', '..%2F..%2Fdocket.json', '..%2fmail', '%2Fetc%2Fpasswd', '.eml'])
    assert.equal((await service.ask('GET', `/api/mail/${name}`)).status, 404, name)
})

test('an invalid template prevents the start, and the message has its file and line', async (t) => {
  const project = await mkdtemp(join(tmpdir(), 'docket-templates-'))
  t.after(() => rm(project, { recursive: true }))
  await mkdir(join(project, 'email-templates'))
  const file = join(project, 'email-templates', 'bad.mjml')
  await writeFile(file, template.replace('record.number', 'record.number | upcaze'))
  await assert.rejects(startSenders({ PROJECT: project }), (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /email-templates\/bad\.mjml:5:1.*undefined filter: upcaze/)
    return true
  })
  assert.deepEqual(await readdir(project), ['email-templates'])
})
