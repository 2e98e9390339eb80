/** Links to attachments work for the recipients of the e-mail, as long as they have permission. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { roleFiles } from '../../support/definitions/files.ts'
import { mailOf, mailsOf, startMailing } from '../../support/deliveries/a-mailing-project.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { until } from '../../support/wait.ts'

const notifying = (userField: string) => ({
  hooks,
  notifications: [
    {
      operation: 'create',
      recipient: { userFields: [userField], skipRightsCheck: userField === 'reader' },
      attachments: { documentFunctions: ['label'], printableDocuments: ['sheet'] },
    },
  ],
})
const roles = {
  all: { '*': { read: true } },
  own: { parcel: { read: 'own', create: true }, user: { read: true } },
  none: {},
  other: { parcel: { read: 'own' }, task: { read: 'own' } },
}
const files = {
  'entities/parcel.json': {
    key: 'parcel',
    ownership: true,
    ...notifying('reader'),
    fields: [
      { key: 'number', type: 'string' },
      { key: 'reader', type: 'manyToOne', entity: 'user' },
    ],
  },
  'entities/task.json': { key: 'task', extends: 'native', fields: [], ...notifying('assigne') },
  'document-functions/label.ts': `export const timeout = 60_000
export const exec = () => ({ documents: [{ filename: 'label.txt', mimetype: 'text/plain', data: Buffer.from('For all') }] })`,
  ...roleFiles(roles),
}

const start = () => {
  const users = { all: 'all', own: 'own', none: 'none' }
  return startMailing(files, users, { ATTACHMENTS_MAX_BYTES: 1 })
}
type User = 'all' | 'own' | 'none'

const service = opened(() => start())
before(async () => {
  for (const [code, entity_key] of [
    ['sheet', 'parcel'],
    ['task_sheet', 'task'],
  ]) {
    const document = { code, name: 'Sheet', entity_key, template_source: 'Text' }
    await service.create('printable_document', document)
  }
})

/** The links of the newest e-mail to a user, once the delivery for the record is sent. */
const linksOf = async (name: User, id: number) => {
  const path = `/api/deliveries?user=${service.ids[name]}&status=sent`
  await until('the e-mail is sent', async () => {
    const { data } = (await service.ask('GET', path)).json()
    return data.some((one: { entity_id: number }) => one.entity_id === id)
  })
  const html = String((await mailsOf(service, mailOf(name))).at(-1)?.html)
  return [...html.matchAll(/href="([^"]*attachments[^"]*)"/g)].map(([, url = '']) =>
    url.replaceAll('&amp;', '&'),
  )
}

const assertStatuses = async (links: readonly string[], expected: readonly number[]) => {
  const statuses = links.map(async (link) => {
    const { pathname, search } = new URL(link)
    return (await service.ask('GET', pathname + search, { as: null })).status
  })
  assert.deepEqual(await Promise.all(statuses), expected)
}

/** Chooses the language of a user. */
const read = async (name: User, language: string | null) =>
  (
    await service.ask('PATCH', '/console/-/settings.json', { as: mailOf(name), body: { language } })
  ).json(200)

const change = (text: string) => service.database.pool.query(`UPDATE records.${text}`)

test('a recipient without a permission check has working links, as long as the role stays the same', async () => {
  for (const [name, count] of [
    ['all', 2],
    ['own', 1],
    ['none', 1],
  ] as const) {
    await read(name, 'de')
    const id = await service.create('parcel', { number: name, reader_id: service.ids[name] })
    const links = await linksOf(name, id)
    await assertStatuses(links, Array(count).fill(200))
    await read(name, null)
    await assertStatuses(links, Array(count).fill(200))
    await service.setRole(name, 'other')
    await assertStatuses(links, Array(count).fill(404))
    await service.setRole(name, name)
    await assertStatuses(links, Array(count).fill(200))
  }
})

test('the links of an owner end with the ownership of the record', async () => {
  const id = await service.create('parcel', { reader_id: service.ids.own }, 'own')
  const links = await linksOf('own', id)
  await assertStatuses(links, [200, 200])
  await change(`parcel SET _created_by = 1, _owned_by = 1 WHERE id = ${id}`)
  await assertStatuses(links, [404, 404])
})

test('the links of an assignee work as long as the task is assigned to them, whatever their role', async () => {
  const parcel = await service.create('parcel', { reader_id: service.ids.all })
  const task = { description: 'Pack', assigne_id: service.ids.none }
  const id = await service.create(`parcel/${parcel}/task`, task)
  const links = await linksOf('none', id)
  await assertStatuses(links, [200])
  await change(`task SET assigne_id = 1 WHERE id = ${id}`)
  await assertStatuses(links, [404])
})
