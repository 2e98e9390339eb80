/** What `GET /:entityKey/:entityId/documents/:code` refuses, with the reason. */
import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { createAs, createOrder, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { askFor, shareDocuments } from './a-document-project.ts'

let service: TestService
let order: { id: number }
before(async () => {
  service = await shareDocuments()
  const { directory } = service.project
  await symlink('../entities/order.json', join(directory, 'printable-documents', 'link.typ'))
  order = await createOrder(service, { group: 'A' }, users.buyer)
})

const ask = (code: string, as?: string | null, id: number | string = order.id) =>
  askFor(service, `/order/${id}/documents/${code}`, as)
const problemOf = async (code: string, as?: string | null, id?: number | string) => {
  const reply = await ask(code, as, id)
  const { code: errorCode, detail, errors } = reply.problem()
  return { status: reply.status, code: errorCode, detail, errors }
}

test('a picture has at most 20 pages, and the error of a template names its place', async () => {
  const long = await ask('long/picture')
  assert.deepEqual([long.status, long.problem().code], [422, 'answer.too-large'])
  const wrong = (await ask('wrong/picture')).problem()
  assert.equal(wrong.errors[0].path, 'parts/sum.typ:2:3')
})

test('an unknown code is a 404 with a suggestion', async () => {
  const { detail, ...rest } = await problemOf('odrer')
  assert.deepEqual(rest, { status: 404, code: 'document.unknown', errors: undefined })
  assert.equal(detail, 'There is no printable document "odrer"; did you mean "order"?')
  assert.equal(
    (await problemOf('invoice-2026')).detail,
    'There is no printable document "invoice-2026".',
  )
})

for (const code of [
  '%00',
  'order%00',
  'ORDER',
  'order.typ',
  '..%2F..%2Fetc%2Fpasswd',
  "'%20OR%201=1--",
])
  test(`the code ${code} is unknown`, async () => {
    const { status, code: errorCode } = await problemOf(code)
    assert.deepEqual([status, errorCode], [404, 'document.unknown'])
  })

test('a code that is invalid in a path is a problem too', async () => {
  for (const [code, status] of [
    ['x'.repeat(5000), 404],
    ['%E0%A4%A', 400],
    ['%ff', 400],
  ] as const)
    assert.equal((await problemOf(code)).status, status, code.slice(0, 9))
})

test('a code of another entity is a 404 that names its entity', async () => {
  const { status, detail } = await problemOf('of-supplier')
  assert.equal(status, 404)
  assert.equal(detail, 'The printable document "of-supplier" is for supplier, not for order.')
})

test('a removed document is unknown', async () => {
  const body = { code: 'old', name: 'Old', entity_key: 'order', template_source: 'Old' }
  const { id } = await createAs(service, 'printable_document', body)
  assert.equal((await ask('old')).status, 200)
  assert.equal((await service.ask('DELETE', `/printable_document/${id}`)).status, 204)
  assert.equal((await problemOf('old')).code, 'document.unknown')
})

for (const [code, ...errors] of [
  ['wrong', { path: 'parts/sum.typ:2:3', message: 'cannot add string and integer' }],
  [
    'twice-wrong',
    { path: 'twice-wrong.typ:1:5', message: 'expected pattern' },
    { path: 'twice-wrong.typ:3:4', message: 'unclosed delimiter' },
  ],
  ['source', { path: 'template_source:2:2', message: 'unknown variable: nothing' }],
] as const)
  test(`the template of "${code}" is a 422 with the place of each issue`, async () => {
    assert.deepEqual(await problemOf(code), {
      status: 422,
      code: 'document.invalid',
      detail: `The template of "${code}" is wrong: ${errors[0].path} ${errors[0].message}`,
      errors,
    })
  })

const nowhere = 'has no template: there is no file printable-documents'
for (const [code, detail] of [
  ['missing', `${nowhere}/oder.typ; did you mean "order.typ"?`],
  ['outside', `${nowhere}/../entities/order.json.`],
  ['absolute', `${nowhere}//etc/passwd.`],
  [
    'by-link',
    'has the template_file "link.typ", which is a link to a file outside of printable-documents/.',
  ],
  ['neither', 'has neither a template_file nor a template_source.'],
] as const)
  test(`the document "${code}" without a usable template is a 422`, async () => {
    const { status, detail: actual } = await problemOf(code)
    assert.deepEqual([status, actual], [422, `The document "${code}" ${detail}`])
  })

for (const id of ['0', '-1', '1.5', 'x', '1%00', '1;DROP', '%20', '1e3', '٣'])
  test(`${id} is not a valid id and is a 400`, async () => {
    const { status, errors } = await problemOf('order', undefined, encodeURI(decodeURI(id)))
    assert.equal(status, 400)
    assert.deepEqual(
      errors.map(({ path }: { path: string }) => path),
      ['entityId'],
    )
  })

test('a missing, removed or unreadable record is a 404', async () => {
  const removed = await createOrder(service)
  await service.ask('DELETE', `/order/${removed.id}`)
  for (const [as, id] of [
    [undefined, 999_999],
    [undefined, '99999999999'],
    [undefined, removed.id],
    [users.clerk, order.id],
  ] as const) {
    const { status, code, detail } = await problemOf('order', as, id)
    assert.deepEqual([status, code], [404, 'record.unknown'])
    assert.equal(detail, `There is no order ${id} that you may read.`)
  }
})

test('a request without a token is a 401; for a role without any permission the entity does not exist', async () => {
  assert.equal((await problemOf('order', null)).status, 401)
  assert.equal((await problemOf('no-such-code', null)).status, 401)
  const { status, detail } = await problemOf('order', users.nobody)
  assert.deepEqual([status, detail], [404, 'There is no entity "order".'])
  assert.equal((await problemOf('no-such-code', users.nobody)).status, 404)
})

test('an unknown entity, an unknown parameter and another method are problems', async () => {
  assert.equal((await askFor(service, '/ordr/1/documents/order')).problem().code, 'entity.unknown')
  const { status, errors } = (await ask('order?format=a4')).problem()
  assert.deepEqual([status, errors[0].path], [400, 'format'])
  assert.equal((await service.ask('POST', `/order/${order.id}/documents/order`)).status, 405)
})
