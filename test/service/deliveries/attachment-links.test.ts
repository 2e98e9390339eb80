/** Links to attachments work for the recipients of the e-mail, as long as they have permission. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { simpleParser } from 'mailparser'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]
const rule = (userField: string) => ({
  operation: 'create',
  recipient: { userFields: [userField], skipRightsCheck: userField === 'reader' },
  attachments: { documentFunctions: ['label'], printableDocuments: ['sheet'] },
})

let service: TestService
let worker: Awaited<ReturnType<typeof createWorker>>
const roles: Record<string, number> = {}
const userIds: Record<string, number> = {}
before(async () => {
  service = await startTestService(
    await writeProject({
      'entities/parcel.json': {
        ...{ key: 'parcel', hooks, ownership: true },
        fields: [
          { key: 'number', type: 'string' },
          { key: 'reader', type: 'manyToOne', entity: 'user' },
        ],
        notifications: [rule('reader')],
      },
      'entities/task.json': {
        ...{ key: 'task', extends: 'native', fields: [], hooks },
        notifications: [rule('assigne')],
      },
      'document-functions/label.ts': `export const timeout = 60_000
export const exec = () => ({ documents: [{ filename: 'label.txt', mimetype: 'text/plain', data: Buffer.from('For all') }] })`,
      'roles/all.json': { key: 'all', permissions: { '*': { read: true } } },
      'roles/own.json': {
        key: 'own',
        permissions: { parcel: { read: 'own', create: true }, user: { read: true } },
      },
      'roles/none.json': { key: 'none', permissions: {} },
      'roles/other.json': {
        key: 'other',
        permissions: { parcel: { read: 'own' }, task: { read: 'own' } },
      },
    }),
  )
  const config = { ...service.config, ATTACHMENTS_MAX_BYTES: 1 }
  worker = await createWorker({ ...service.runtime, config }, { watch: false })
  const { data } = (await service.ask('GET', '/security_role')).json()
  for (const { id, key } of data) roles[key] = id
  for (const key of ['all', 'own', 'none']) userIds[key] = await addUser(key)
  for (const entity of ['parcel', 'task'])
    await create('/printable_document', {
      ...{ code: 'sheet', name: 'Sheet', entity_key: entity, template_source: 'Text' },
      ...(entity === 'task' && { code: 'task_sheet' }),
    })
})
after(async () => {
  await worker.stop()
  await service.stop()
})

const create = async (path: string, body: object, as?: string): Promise<number> => {
  const reply = await service.ask('POST', path, { body, ...(as && { as }) })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

const mailOf = (name: string) => `${name}@example.com`
const addUser = (key: string) =>
  create('/user', {
    ...{ identity_provider_user_id: key, first_name: key, last_name: key, full_name: key },
    ...{ username: mailOf(key), email: mailOf(key), security_role_id: roles[key] },
  })

/** The links of the newest e-mail to a user, once the delivery for the record is sent. */
const linksOf = async (name: string, id: number) => {
  const path = `/api/deliveries?user=${userIds[name]}&status=sent`
  await until('the e-mail is sent', async () => {
    const { data } = (await service.ask('GET', path)).json()
    return data.some((one: { entity_id: number }) => one.entity_id === id)
  })
  const { data } = (await service.ask('GET', '/api/mail')).json()
  const own = data
    .map((one: { name: string }) => one.name)
    .filter((one: string) => one.includes(mailOf(name)))
  const reply = await service.ask('GET', `/api/mail/${encodeURIComponent(own.toSorted().at(-1))}`)
  const { html } = await simpleParser(reply.text)
  return [...String(html).matchAll(/href="([^"]*attachments[^"]*)"/g)].map(([, url = '']) =>
    url.replaceAll('&amp;', '&'),
  )
}

const statusesOf = (links: readonly string[]) =>
  Promise.all(
    links.map(async (link) => {
      const { pathname, search } = new URL(link)
      return (await service.ask('GET', pathname + search, { as: null })).status
    }),
  )

const setRole = (name: string, role: string) =>
  service.ask('PATCH', `/user/${userIds[name]}`, { body: { security_role_id: roles[role] } })

for (const [name, files] of [
  ['all', 2],
  ['own', 1],
  ['none', 1],
] as const)
  test(`a recipient without a permission check has working links: role ${name}`, async () => {
    const id = await create('/parcel', { number: name, reader_id: userIds[name] })
    const links = await linksOf(name, id)
    assert.deepEqual(await statusesOf(links), Array(files).fill(200))
    await setRole(name, 'other')
    assert.deepEqual(await statusesOf(links), Array(files).fill(404), 'another role')
    await setRole(name, name)
    assert.deepEqual(await statusesOf(links), Array(files).fill(200))
    await service.database.pool.query('UPDATE records.parcel SET _is_deleted = true')
    assert.deepEqual(await statusesOf(links), Array(files).fill(404), 'a record that was removed')
  })

test('the links of an owner end with the ownership of the record', async () => {
  const { pool } = service.database
  const id = await create('/parcel', { number: 'x', reader_id: userIds.own }, mailOf('own'))
  const links = await linksOf('own', id)
  assert.deepEqual(await statusesOf(links), [200, 200])
  await pool.query('UPDATE records.parcel SET _created_by = 1, _owned_by = 1 WHERE id = $1', [id])
  assert.deepEqual(await statusesOf(links), [404, 404])
})

test('the links of an assignee work as long as the task is assigned to them, whatever their role', async () => {
  const parcel = await create('/parcel', { number: 'task', reader_id: userIds.all })
  const path = `/parcel/${parcel}/task`
  const id = await create(path, { description: 'Pack', assigne_id: userIds.none })
  const links = await linksOf('none', id)
  assert.deepEqual(await statusesOf(links), [200])
  await service.database.pool.query('UPDATE records.task SET assigne_id = 1 WHERE id = $1', [id])
  assert.deepEqual(await statusesOf(links), [404])
})
