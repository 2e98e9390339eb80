/** Links to large files in e-mails work for everybody whom they were sent to, and end with their right. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { simpleParser } from 'mailparser'
import { createWorker } from '../../src/runtime/create-worker.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]
const told = (userField: string) => ({
  operation: 'create',
  recipient: { userFields: [userField], skipRightsCheck: userField === 'reader' },
  attachments: { documentFunctions: ['label'], printableDocuments: ['sheet'] },
})

let service: TestService
let worker: Awaited<ReturnType<typeof createWorker>>
const roles: Record<string, number> = {}
const people: Record<string, number> = {}
before(async () => {
  service = await startTestService(
    await writeProject({
      'entities/parcel.json': {
        ...{ key: 'parcel', hooks, ownership: true },
        fields: [
          { key: 'number', type: 'string' },
          { key: 'reader', type: 'manyToOne', entity: 'user' },
        ],
        notifications: [told('reader')],
      },
      'entities/task.json': {
        ...{ key: 'task', extends: 'native', fields: [], hooks },
        notifications: [told('assigne')],
      },
      'document-functions/label.ts': `export const timeout = 5000
export const exec = () => ({ documents: [{ filename: 'label.txt', mimetype: 'text/plain', data: Buffer.from('For everybody') }] })`,
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
  for (const key of ['all', 'own', 'none']) people[key] = await addPerson(key)
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
const addPerson = (key: string) =>
  create('/user', {
    ...{ identity_provider_user_id: key, first_name: key, last_name: key, full_name: key },
    ...{ username: mailOf(key), email: mailOf(key), security_role_id: roles[key] },
  })

/** The links of the newest e-mail of a person, once so many were sent. */
const linksOf = async (name: string, id: number) => {
  const path = `/api/deliveries?user=${people[name]}&status=sent`
  await until('it is sent', async () => {
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

const give = (name: string, role: string) =>
  service.ask('PATCH', `/user/${people[name]}`, { body: { security_role_id: roles[role] } })

for (const [name, files] of [
  ['all', 2],
  ['own', 1],
  ['none', 1],
] as const)
  test(`who is told without a check of rights has working links: ${name}`, async () => {
    const id = await create('/parcel', { number: name, reader_id: people[name] })
    const links = await linksOf(name, id)
    assert.deepEqual(await statusesOf(links), Array(files).fill(200))
    await give(name, 'other')
    assert.deepEqual(await statusesOf(links), Array(files).fill(404), 'another role')
    await give(name, name)
    assert.deepEqual(await statusesOf(links), Array(files).fill(200))
    await service.database.pool.query('UPDATE records.parcel SET _is_deleted = true')
    assert.deepEqual(await statusesOf(links), Array(files).fill(404), 'a record that was removed')
  })

test('who owned the record loses what it showed them with it', async () => {
  const { pool } = service.database
  const id = await create('/parcel', { number: 'x', reader_id: people.own }, mailOf('own'))
  const links = await linksOf('own', id)
  assert.deepEqual(await statusesOf(links), [200, 200])
  await pool.query('UPDATE records.parcel SET _created_by = 1, _owned_by = 1 WHERE id = $1', [id])
  assert.deepEqual(await statusesOf(links), [404, 404])
})

test('the assignee of a task has its links for as long as it is theirs, whatever their role', async () => {
  const parcel = await create('/parcel', { number: 'task', reader_id: people.all })
  const path = `/parcel/${parcel}/task`
  const id = await create(path, { description: 'Pack', assigne_id: people.none })
  const links = await linksOf('none', id)
  assert.deepEqual(await statusesOf(links), [200])
  await service.database.pool.query('UPDATE records.task SET assigne_id = 1 WHERE id = $1', [id])
  assert.deepEqual(await statusesOf(links), [404])
})
