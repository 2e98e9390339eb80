/** Documents print what choices and steps are called, of records, lines and links, in the language of the document. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import { createAs } from '../../support/a-project.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { german, translatedProject } from '../../support/translations/a-translated-project.ts'
import { askFor, dataOf, mirror } from './a-document-project.ts'

const order = translatedProject['entities/order.json']
const product = {
  key: 'product',
  name: 'Product',
  fields: [
    { key: 'name', type: 'string' },
    { key: 'unit', type: 'enum', values: [{ value: 'piece', name: 'pieces' }, 'kg'] },
  ],
}
const line = {
  key: 'order_line',
  fields: [
    { key: 'order', type: 'manyToOne', entity: 'order', required: true },
    { key: 'product', type: 'manyToOne', entity: 'product' },
    { key: 'state', type: 'enum', values: [{ value: 'open', name: 'Open' }] },
  ],
}
const lines = { key: 'lines', name: 'Lines', type: 'oneToMany', entity: 'order_line' }
const units = { product: { name: 'Ware', fields: { unit: { values: { piece: 'Stück' } } } } }
const letter = `#let (record, choices, entity, labels) = json("data.json")
#entity.name #labels.order.urgency #choices.order.urgency.at(record.urgency) #choices.order._step.at(record._step)
#for line in record.lines [#choices.order_line.state.at(line.state) 3 #choices.product.unit.at(line.product.unit)]`
const email = 'clerk@example.com'

let service: TestService
let path: (code: string) => string
// The menu is not that of this project.
const { menu: _menu, ...texts } = german

before(async () => {
  const directory = await writeProject({
    ...translatedProject,
    'docket.json': { name: 'Shop', locale: 'de-AT', language: 'en' },
    'entities/order.json': {
      ...order,
      fields: [...order.fields, { ...lines, mappedBy: 'order' }],
    },
    'entities/order_line.json': line,
    'entities/product.json': product,
    'roles/clerk.json': {
      key: 'clerk',
      permissions: { order: { read: true, hiddenFields: ['urgency'] }, order_line: { read: true } },
    },
    'translations/de.json': { ...texts, entities: { ...german.entities, ...units } },
    'printable-documents/letter.typ': letter,
    'printable-documents/all.typ': mirror('lines', 'order', 'order_line', 'product'),
    'printable-documents/own.typ': mirror(),
  })
  service = await startTestService(directory)
  for (const code of ['letter', 'all', 'own'])
    await createAs(service, 'printable_document', {
      ...{ code, name: code, entity_key: 'order', template_file: `${code}.typ` },
    })
  const { id } = await createAs(service, 'order', { number: 'B-1', urgency: 'high' })
  const piece = await createAs(service, 'product', { name: 'Oak', unit: 'piece' })
  await createAs(service, 'order_line', { order_id: id, product_id: piece.id, state: 'open' })
  const names = { first_name: 'Vera', last_name: 'Novak', full_name: 'Vera Novak' }
  const user = { identity_provider_user_id: email, email, role_key: 'clerk', ...names }
  assert.ok(await insertUser(service.database.pool, user))
  path = (code) => `/order/${id}/documents/${code}`
})
after(() => service.stop())

test('choices and steps have their names, of lines and of linked records too', async () => {
  const { pages } = await (await askFor(service, path('letter'))).pdf()
  const text = pages.join(' ').replaceAll(/\s+/g, ' ')
  // "Open" has no translation, and is what the definition says.
  assert.equal(text.trim(), 'Bestellung Eiligkeit Hoch Entwurf Open 3 Stück')
})

test('choices are those of the entities that the template names', async () => {
  const { choices } = await dataOf(service, path('all'))
  assert.deepEqual(choices.product, { unit: { piece: 'Stück', kg: 'kg' } })
  assert.deepEqual(Object.keys(choices), ['order', 'order_line', 'product'])
  assert.deepEqual((await dataOf(service, path('own'))).choices, {})
})

test('choices of what a role may not see are not among them', async () => {
  const { choices } = await dataOf(service, path('all'), email)
  assert.deepEqual(Object.keys(choices), ['order', 'order_line'])
  assert.deepEqual(Object.keys(choices.order), ['_step'])
})
