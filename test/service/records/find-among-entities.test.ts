/** `GET /api/search` among entities that link to each other: which records come first, and which are found by a link. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAs } from '../../support/a-project.ts'
import { createUser } from '../../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { completeSearch } from './complete-search.ts'

type Found = { display: string; match: string; linked?: string }

// The keys are in the reverse order of what people mean.
const parcel = (number: string, order: number) => ({ number, order_id: order })
const linkedProject = {
  'docket.json': { name: 'Parcels' },
  'entities/a_parcel.json': {
    ...{ key: 'a_parcel', name: 'Parcel', displayField: 'number' },
    fields: [
      { key: 'number', type: 'string', unique: true },
      { key: 'order', type: 'manyToOne', entity: 'b_order' },
    ],
  },
  'entities/b_order.json': {
    ...{ key: 'b_order', name: 'Order', displayField: 'number' },
    fields: [
      { key: 'number', type: 'string', unique: true },
      { key: 'buyer', type: 'manyToOne', entity: 'c_buyer' },
      { key: 'payer', type: 'manyToOne', entity: 'c_buyer' },
    ],
  },
  'entities/c_buyer.json': {
    ...{ key: 'c_buyer', name: 'Buyer', displayField: 'name', ownership: true },
    fields: [{ key: 'name', type: 'string' }],
  },
  'roles/packer.json': {
    key: 'packer',
    permissions: {
      a_parcel: { read: true },
      b_order: { read: true, hiddenFields: ['buyer'] },
      c_buyer: { read: true },
    },
  },
  'roles/seller.json': {
    key: 'seller',
    permissions: { b_order: { read: true }, c_buyer: { read: 'own' } },
  },
}

let linked: TestService
before(async () => {
  linked = await startTestService(await writeProject(linkedProject))
  for (const role of ['packer', 'seller']) await createUser(linked, role)
  for (const name of ['Süßmann GmbH', 'Other']) await createAs(linked, 'c_buyer', { name })
  for (const [number, buyer] of [
    ['PO-01209', 1],
    ['PO-01210', 2],
  ] as const)
    await createAs(linked, 'b_order', { number, buyer_id: buyer, payer_id: 1 })
  for (const [number, order] of [
    ['GR-01209', 2],
    ['GR-01300', 1],
    ['PO-01209-1', 1],
  ] as const)
    await createAs(linked, 'a_parcel', parcel(number, order))
})
after(() => linked.stop())

const search = async (q: string, as?: string): Promise<string[]> => {
  const query = `q=${encodeURIComponent(q)}`
  const reply = await completeSearch(linked, query, { ...(as && { as }) })
  assert.equal(reply.status, 200, reply.text)
  const { data } = reply.json()
  return data.map(
    ({ display, match, linked: name }: Found) => `${display} ${match}${name ? ` ${name}` : ''}`,
  )
}

test('what others link to comes first, and names that are longer by more than the text later', async () => {
  const own = ['PO-01209 word', 'GR-01209 word', 'PO-01209-1 word']
  assert.deepEqual(await search('01209'), [...own, 'GR-01300 linked PO-01209'])
  assert.deepEqual(await search('PO-01209'), [
    ...['PO-01209 exact', 'PO-01209-1 prefix', 'GR-01300 linked PO-01209'],
  ])
})

test('records whose first link has the name are found last, with that name', async () => {
  assert.deepEqual(await search('sussm'), ['Süßmann GmbH prefix', 'PO-01209 linked Süßmann GmbH'])
  assert.deepEqual(await search('ssmann'), ['Süßmann GmbH contained'])
})

test('nothing is found by a link that the role hides, but by the next, nor by a record that it may not read', async () => {
  assert.deepEqual(await search('sussm', 'packer@example.com'), [
    ...['Süßmann GmbH prefix', 'PO-01210 linked Süßmann GmbH', 'PO-01209 linked Süßmann GmbH'],
  ])
  assert.deepEqual(await search('sussm', 'seller@example.com'), [])
})
