/** Telephone numbers over HTTP: the region of the project, unique values, conditions, the search and exports. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { entityFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService({
  'docket.json': { locale: 'de-DE' },
  ...entityFile('contact', { displayField: 'name' }, [
    { key: 'name', type: 'string' },
    { key: 'phone', type: 'phone', unique: true },
    { key: 'vienna', type: 'phone', region: 'AT' },
  ]),
})
after(() => service.stop())
const { ask } = service
const create = (body: object) => ask('POST', '/contact', { body })
const anna = await create({ name: 'Anna', phone: '030 901-820', vienna: '01 58858' })
await create({ name: 'Marko', phone: '+385 1 2345 678' })

const namesFor = async (criteria: object): Promise<unknown> => {
  const { data } = (await ask('POST', '/contact/search', { body: criteria })).json()
  return data.map(({ name }: { name: string }) => name)
}

test('a number is answered in E.164, by the region of the field or of the locale', () => {
  const { phone, vienna } = anna.json()
  assert.deepEqual([phone, vienna], ['+4930901820', '+43158858'])
})

test('the same number typed otherwise is the same unique value', async () => {
  assert.equal((await create({ phone: '(0049) 30 / 901820' })).status, 409)
})

test('what is no number is a 422 that says what to type', async () => {
  const refused = await create({ phone: '112' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /as it is dialled in DE, or with its country/)
})

test('conditions and the search find a number however it is typed', async () => {
  for (const criteria of [
    { $where: { phone: '030/901820' } },
    { $where: { phone: { $in: ['0049 30 901820', null] } } },
    { $where: { phone: { $startsWith: '030 90' } } },
    { $where: { phone: { $ilike: '030 9%' } } },
    { $where: { phone: { $ilike: '%30 90-18%' } } },
    { $where: { phone: { $contains: '90 18 20' } } },
    { $search: '030 901-820' },
    { $search: '(030)901820' },
  ])
    assert.deepEqual(await namesFor(criteria), ['Anna'], JSON.stringify(criteria))
})

test('the search of all entities finds a unique number', async () => {
  const found = await ask('GET', `/api/search?q=${encodeURIComponent('030 901820')}`)
  assert.match(found.text, /"display":"Anna"/)
})

test('CSV has E.164 without an apostrophe', async () => {
  const { text } = await ask('POST', '/contact/export', { body: { $select: ['name', 'phone'] } })
  assert.match(text, /\r\nAnna,\+4930901820\r\nMarko,\+38512345678\r\n$/)
})

test('the definition names the region that counts', async () => {
  const { fields } = (await ask('GET', '/api/entities/contact')).json()
  const regions = fields.flatMap(({ region }: { region?: string }) => region ?? [])
  assert.deepEqual(regions, ['DE', 'AT'])
})
