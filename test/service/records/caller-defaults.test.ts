/** Defaults that a new record takes from the user who creates it, and who need not be able to read what they link to. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUser } from '../../support/console/create-user.ts'
import { entityFile, link, many, roleFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService({
  ...entityFile('branch', [{ key: 'code', type: 'string', required: true }]),
  ...entityFile('invoice', [
    { key: 'title', type: 'string', unique: true },
    { key: 'hours', type: 'integer' },
    { ...link('seller', 'user'), default: { $caller: 'id' } },
    { ...link('home', 'branch'), default: { $caller: 'branch' } },
    { key: 'unit', type: 'string', maxLength: 5, default: { $caller: 'department' } },
    many('entries', 'entry', 'invoice'),
  ]),
  ...entityFile('entry', [
    { ...link('invoice'), required: true },
    { key: 'hours', type: 'integer' },
    { ...link('writer', 'user'), required: true, default: { $caller: 'id' } },
  ]),
  ...entityFile('user', { extends: 'native' }, [
    link('branch'),
    { key: 'department', type: 'string' },
  ]),
  ...roleFile('seller', {
    invoice: { read: true, create: true },
    entry: { create: true },
  }),
})
after(() => service.stop())
const ask = (method: string, path: string, body?: unknown) => service.ask(method, path, { body })
const sellerId = await createUser(service, 'seller')
const create = (path: string, body: object) =>
  service.ask('POST', path, { body, as: 'seller@example.com' })
const newBranch = async () => (await ask('POST', '/branch', { code: 'B' })).json(201).id

test('are the user, or what the user has; a value that is given comes before it, also none', async () => {
  const [home, removed] = [await newBranch(), await newBranch()]
  await ask('PATCH', `/user/${sellerId}`, { branch_id: home, department: 'North' })
  const of = async (body: object) => {
    const { seller_id, home_id, unit } = (await create('/invoice', body)).json(201)
    return [seller_id, home_id, unit]
  }
  assert.deepEqual(await of({}), [sellerId, home, 'North'])
  assert.deepEqual(await of({ seller_id: null, home_id: null, unit: 'x' }), [null, null, 'x'])
  await ask('PATCH', `/user/${sellerId}`, { branch_id: removed, department: 'Northwest' })
  await ask('DELETE', `/branch/${removed}`)
  assert.deepEqual(await of({}), [sellerId, null, null])
})

test('are not blamed where a create is refused for something else', async () => {
  await ask('PATCH', `/user/${sellerId}`, { branch_id: await newBranch(), department: 'North' })
  await create('/invoice', { title: 'Taken' })
  const pathsOf = async (path: string, body: object) =>
    (await create(path, body)).json().errors.map((error: { path: string }) => error.path)
  const refused: readonly [body: object, paths: readonly string[]][] = [
    [{ hours: 1.5 }, ['hours']],
    [{ title: 'Taken' }, ['title']],
    [{ entries: { create: [{ hours: 1.5 }] } }, ['entries.create[0].hours']],
    // What is given must be there for the caller, also where the default would not.
    [{ title: 'Taken', seller_id: 1, home_id: 4711 }, ['title', 'seller_id', 'home_id']],
  ]
  for (const [body, paths] of refused) {
    assert.deepEqual(await pathsOf('/invoice', body), paths)
    const inBulk = paths.map((path) => `create[1].${path}`)
    assert.deepEqual(await pathsOf('/invoice/bulk', { create: [{}, body] }), inBulk)
  }
})
