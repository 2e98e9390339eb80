/** E-mails from the queue to the folder of the provider `file`, where administrators read them. */
import assert from 'node:assert/strict'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, beforeEach, describe, test } from 'node:test'
import {
  mailing,
  queueFor,
  removeMailings,
  shareWithUsers,
  startSenders,
  statuses,
} from '../../support/deliveries/a-mailing.ts'
import { mailsOf } from '../../support/deliveries/a-mailing-project.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/wait.ts'

const template = `---
subject: "{{ entity.name }} for {{ recipient.full_name }}"
---
<mjml><mj-body><mj-section><mj-column>
  <mj-text>Own: {{ record.number }}</mj-text>
</mj-column></mj-section></mj-body></mjml>
`

let folder: string
const service = await shareWithUsers()
before(async () => {
  const { PROJECT } = service.config
  folder = join(PROJECT, '.docket', 'mail')
  await mkdir(join(PROJECT, 'email-templates'))
  await writeFile(join(PROJECT, 'email-templates', 'own.mjml'), template)
})
beforeEach(async () => {
  await removeMailings(service)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
})

const startOwnSenders = (environment: Record<string, string> = {}) =>
  startSenders(service, { PUBLIC_URL: 'https://docket.example.com/base/', ...environment })

/** Sends what is queued, and returns the e-mails in the order of their recipients. */
const sentMails = async (environment: Record<string, string> = {}) => {
  const stop = await startOwnSenders(environment)
  await until('all are sent', async () =>
    (await statuses(service)).every((status) => status === 'sent' || status === 'dead'),
  )
  await stop()
  return (await mailsOf(service))
    .map((mail) => ({ ...mail, address: [mail.to].flat()[0]?.text ?? '' }))
    .toSorted((one, other) => one.address.localeCompare(other.address))
}

test('without a template each recipient gets the built-in one, with an unsubscribe link', async () => {
  await queueFor(service, [2, 3])
  const mails = await sentMails({ EMAIL_FROM_NAME: 'Purchasing' })
  const addresses = mails.map(({ address }) => address)
  assert.deepEqual(addresses, ['"User 2" <u2@example.com>', '"User 3" <u3@example.com>'])
  const [mail] = mails
  assert.equal(mail?.from?.value[0]?.name, 'Purchasing')
  assert.match(mail?.messageId ?? '', /^<event\.0\.[23]@docket\.example\.com>$/)
  const line = mail?.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line ?? ''
  const [, link = ''] = /<(.*)>/.exec(line.replaceAll(/\s+/g, '')) ?? []
  const start = 'https://docket.example.com/base'
  assert.ok(link.startsWith(`${start}/api/notifications/unsubscribe?token=`), link)
  assert.equal((await service.ask('POST', link.slice(start.length), { as: null })).status, 200)
})

test('the template of the rule is used, and the template of the environment variable for other rules', async () => {
  const data = { ...mailing.data, record: { number: 'first' } }
  await queueFor(service, [4], { id: 'own', emailTemplateId: 'own', data })
  await queueFor(service, [5], { id: 'default', data })
  // For an id without a file the built-in template is used.
  await queueFor(service, [6], { id: 'none', emailTemplateId: 'd-123', data })
  const mails = await sentMails({ WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: 'own' })
  const subjects = mails.map(({ subject }) => subject)
  assert.deepEqual(subjects.slice(0, 2), ['Order for User 4', 'Order for User 5'])
  assert.match(mails[0]?.text ?? '', /Own: first/)
  // The sender is called as the project, if the settings say nothing.
  assert.equal(mails[0]?.from?.value[0]?.name, service.project.settings.name ?? 'Docket')
  assert.match(mails[2]?.address ?? '', /u6@/)
  assert.notEqual(subjects[2], 'Order for User 6')
})

test('an invalid template prevents the start, and the message has its file and line', async () => {
  const project = temporaryFolder()
  await mkdir(join(project, 'email-templates'))
  const file = join(project, 'email-templates', 'bad.mjml')
  await writeFile(file, template.replace('record.number', 'record.number | upcaze'))
  await assert.rejects(startOwnSenders({ PROJECT: project }), {
    name: 'StartupError',
    message: /email-templates\/bad\.mjml:5:1.*undefined filter: upcaze/,
  })
})

describe('an e-mail of the folder', () => {
  const get = (path: string) => service.ask('GET', `/api/mail${path}`)
  const write = (name: string, text: string | Buffer) => writeFile(join(folder, name), text)

  const mail = [
    'From: Shop <shop@example.com>',
    'To: =?UTF-8?Q?Ana_=C5=A0imi=C4=87?= <ana@example.com>',
    'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b',
    'Content-Type: text/html; charset=utf-8',
    '\r\n<p onclick="alert(1)">Gr\u00fc\u00dfe</p><script>alert(1)</script>\r\n--b',
    'Content-Type: text/csv',
    'Content-Disposition: attachment; filename=lines.csv',
    'Content-Transfer-Encoding: base64',
    '\r\nYTtiCg==\r\n--b--',
  ].join('\r\n')

  test('is read as people read it, and its HTML as a page without scripts', async () => {
    await write('one.eml', mail)
    await write('plain.eml', 'Subject: plain\r\n\r\nText')
    await write('long.eml', Buffer.alloc(9 * 1_048_576, 'a'))
    assert.partialDeepStrictEqual((await get('/one.eml/message')).json(), {
      address: 'ana@example.com',
      subject: 'Gr\u00fc\u00dfe',
      attachments: [{ filename: 'lines.csv', mimetype: 'text/csv', size: 4 }],
    })
    const html = await get('/one.eml/message.html')
    assert.match(html.text, /Gr\u00fc\u00dfe/)
    assert.match(html.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
    for (const path of ['plain.eml/message.html', 'long.eml/message'])
      assert.equal((await get(`/${path}`)).status, 409, path)
  })

  test('is listed with its recipient and subject, however long it is', async () => {
    await write('1.eml', mail)
    await write('2.eml', `Subject: long\r\n\r\n${'a'.repeat(9 * 1_048_576)}`)
    const listed = async (limit: number) =>
      (await get(`?limit=${limit}`)).json(200).data.map((one: Record<string, unknown>) => {
        const { name, address, subject } = one
        return [name, address, subject]
      })
    const long = ['2.eml', '', 'long']
    assert.deepEqual(await listed(2), [long, ['1.eml', 'ana@example.com', 'Gr\u00fc\u00dfe']])
    assert.deepEqual(await listed(1), [long])
  })

  test('that was removed is not listed, and its path returns 404', async () => {
    await write('there.eml', 'Subject: there\n')
    await symlink(join(folder, 'nowhere'), join(folder, 'gone.eml'))
    const names = (await get('')).json(200).data.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['there.eml'])
    const gone = await get('/gone.eml')
    assert.deepEqual([gone.status, gone.json().code], [404, 'request.no-such-path'])
    assert.equal((await get('/there.eml')).text, 'Subject: there\n')
  })

  test('alone can be read, and no other file', async () => {
    for (const path of [
      ...['x.eml', '..%2F..%2Fdocket.json', '..%2fmail', '%2Fetc%2Fpasswd', '.eml'],
      ...['none.eml/message', '..%2Fdevelopment-issuer.json/message'],
    ])
      assert.equal((await get(`/${path}`)).status, 404, path)
  })
})
