/** The units of numbers as `/api/entities` gives them to different roles. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const offer = {
  key: 'offer',
  fields: [
    { key: 'own_code', type: 'string' },
    { key: 'currency', type: 'manyToOne', entity: 'currency' },
    { key: 'weight', type: 'integer', unit: 'kg' },
    { key: 'price', type: 'decimal', unit: { field: 'currency.code' } },
    { key: 'cost', type: 'decimal', unit: { field: 'own_code' } },
  ],
}

let service: TestService
before(async () => {
  service = await startTestService(
    await writeProject({
      'entities/offer.json': offer,
      'entities/currency.json': { key: 'currency', fields: [{ key: 'code', type: 'string' }] },
      'roles/reader.json': { key: 'reader', permissions: { '*': { read: true } } },
      'roles/limited.json': {
        key: 'limited',
        permissions: { offer: { read: true, hiddenFields: ['own_code'] } },
      },
    }),
  )
  const roles: { key: string; id: number }[] = (await service.ask('GET', '/security_role')).json()
    .data
  for (const { key, id } of roles.filter((role) => role.key !== 'administrator')) {
    const email = `${key}@example.com`
    const body = {
      ...{ identity_provider_user_id: key, first_name: key, last_name: key, full_name: key },
      ...{ username: email, email, security_role_id: id },
    }
    assert.equal((await service.ask('POST', '/user', { body })).status, 201)
  }
})
after(() => service.stop())

const unitsFor = async (as?: string) => {
  const found = await service.ask('GET', '/api/entities/offer', as === undefined ? {} : { as })
  const { fields }: { fields: { key: string; unit?: unknown }[] } = found.json()
  return Object.fromEntries(
    fields.flatMap(({ key, unit }) => (unit === undefined ? [] : [[key, unit]])),
  )
}

test('who may read the path of a unit gets it', async () => {
  const all = { weight: 'kg', price: { field: 'currency.code' }, cost: { field: 'own_code' } }
  assert.deepEqual(await unitsFor(), all)
  assert.deepEqual(await unitsFor('reader@example.com'), all)
})

test('who may not read the path of a unit learns that there is one', async () => {
  const units = { weight: 'kg', price: null, cost: null }
  assert.deepEqual(await unitsFor('limited@example.com'), units)
})
