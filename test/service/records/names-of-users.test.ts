/** The names of users to whom a readable record links: every role reads them, unless it hides them, and nothing else of these users. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { exporting } from '../../support/definitions/files.ts'
import { shareService, startTestService, writeProject } from '../../support/service.ts'

const secret = 'keeper-of-keys@example.com'
const errand = { create: true, read: true, export: true, update: true }
const view = { create: true, read: true, update: true }
const role = (key: string, user?: object) => ({
  [`roles/${key}.json`]: {
    key,
    permissions: { errand, saved_view: view, ...(user && { user }) },
  },
})

const service = await shareService(async () => {
  const folder = await writeProject({
    'docket.json': { name: 'Errands' },
    'entities/errand.json': {
      key: 'errand',
      displayField: 'title',
      ownership: true,
      fields: [
        { key: 'title', type: 'string' },
        { key: 'asked_by', name: 'Asked by', type: 'manyToOne', entity: 'user' },
      ],
      exportSettings: exporting('title', 'asked_by.full_name', 'asked_by.email'),
    },
    ...role('none'),
    ...role('own', { read: 'own' }),
    ...role('all', { read: true }),
    ...role('hiding', { hiddenFields: ['full_name'] }),
  })
  const started = await startTestService(folder)
  for (const role_key of ['none', 'own', 'all', 'hiding'])
    await insertPerson(started.database.pool, role_key, role_key)
  await insertPerson(started.database.pool, 'keeper', 'all', { email: secret })
  return started
})()

const { ask } = service
const asOf = (who: string) => ({ as: `${who}@example.com` })
const users = await ask('POST', '/user/search', { body: { $where: { email: secret } } })
const keeper: number = users.json().data[0].id
const { id } = await createAs(service, 'errand', { title: 'Open the cellar', asked_by_id: keeper })
await createAs(service, 'errand', { title: 'Sweep the yard' })

const search = (who: string, body: object) => ask('POST', '/errand/search', { ...asOf(who), body })

for (const who of ['none', 'own'])
  describe(`a role that reads ${who} of the users`, () => {
    test('reads their names in a record, and nothing else of them', async () => {
      const reply = await ask('GET', `/errand/${id}?include=asked_by,_created_by`, asOf(who))
      assert.equal(reply.status, 200, reply.text)
      const { asked_by, created_by } = reply.json()
      assert.deepEqual(asked_by, { id: keeper, full_name: 'keeper Example' })
      assert.deepEqual(Object.keys(created_by), ['id', 'full_name'])
      assert.ok(!reply.text.includes(secret))
      const { fields } = (await ask('GET', '/api/entities/errand', asOf(who))).json()
      const links = fields.filter(({ entity }: { entity?: string }) => entity === 'user')
      const names = links.map(({ linkName }: { linkName?: string }) => linkName)
      assert.deepEqual(names, Array(4).fill('full_name'))
    })

    test('lists, filters, searches and sorts by them, and groups by them', async () => {
      const $select = ['title', 'asked_by.full_name', 'asked_by.id']
      const named = {
        title: 'Open the cellar',
        asked_by: { id: keeper, full_name: 'keeper Example' },
      }
      for (const body of [
        { $where: { 'asked_by.full_name': 'keeper Example' } },
        { $search: 'keeper' },
        { $where: { 'asked_by.full_name': { $ne: null } }, $orderBy: ['asked_by.full_name'] },
      ]) {
        const reply = await search(who, { ...body, $select })
        assert.deepEqual(reply.json().data, [named], reply.text)
      }
      const grouped = await search(who, { $group: ['asked_by.full_name'], $select: ['id'] })
      assert.equal(grouped.json().groups.length, 2, grouped.text)
    })

    test('exports them', async () => {
      const reply = await ask('POST', '/errand/export', { ...asOf(who), body: {} })
      assert.match(reply.text, /Open the cellar,keeper Example/)
      assert.ok(!reply.text.includes(secret))
    })

    test('is shown a view that names them', async () => {
      const view = {
        name: `Named for ${who}`,
        entity_key: 'errand',
        is_shared_with: 'all',
        criteria: { $where: { 'asked_by.full_name': 'x' } },
        columns: ['title'],
      }
      await createAs(service, 'saved_view', view)
      const reply = await ask('POST', '/saved_view/search', {
        ...asOf(who),
        body: { $where: { name: view.name }, $select: ['name'] },
      })
      assert.deepEqual(reply.json().data, [{ name: view.name }])
    })
  })

test('a role that reads no users follows no other path to them, and does not read them by themselves', async () => {
  for (const body of [
    { $select: ['asked_by.email'] },
    { $where: { 'asked_by.email': secret } },
    { $orderBy: ['asked_by.security_role.key'] },
    { $group: ['asked_by.email'], $select: ['id'] },
  ])
    assert.equal((await search('none', body)).status, 400)
  const own = await search('own', { $where: { 'asked_by.email': secret } })
  assert.deepEqual(own.json().data, [])
  assert.equal((await ask('GET', `/user/${keeper}`, asOf('none'))).status, 403)
  assert.equal((await ask('GET', `/user/${keeper}`, asOf('own'))).status, 404)
})

test('a role that hides the names of users reads none', async () => {
  for (const body of [
    { $select: ['asked_by.full_name'] },
    { $where: { 'asked_by.full_name': 'keeper Example' } },
    { $orderBy: ['_created_by.full_name'] },
  ])
    assert.equal((await search('hiding', body)).status, 400)
  const included = await ask('GET', `/errand/${id}?include=asked_by`, asOf('hiding'))
  assert.equal(included.status, 400)
  assert.deepEqual((await search('hiding', { $search: 'keeper' })).json().data, [])
})

test('a role that reads all users reads them whole, and is told of no field for names alone', async () => {
  const { asked_by } = (await ask('GET', `/errand/${id}?include=asked_by`, asOf('all'))).json()
  assert.equal(asked_by.email, secret)
  const { fields } = (await ask('GET', '/api/entities/errand', asOf('all'))).json()
  assert.ok(!fields.some((field: object) => 'linkName' in field))
})
