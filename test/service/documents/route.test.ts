/** `GET /:entityKey/:entityId/documents/:code`: a PDF or a picture, with a file name. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createAs, createOrder, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { askFor, shareDocuments } from './a-document-project.ts'

let service: TestService
let order: { id: number; number: string }
before(async () => {
  service = await shareDocuments()
  order = await createOrder(service, { group: 'A' }, users.buyer)
})

const ask = (code: string) => askFor(service, `/order/${order.id}/documents/${code}`)

test('a document is a PDF for inline display, with a file name, and must not be cached', async () => {
  const { status, headers, pdf } = await ask('order')
  assert.equal(status, 200)
  const { pages, title: named, conformance } = await pdf()
  assert.deepEqual([pages, named, conformance], [[`Order ${order.number}`], order.number, '2B'])
  assert.equal(headers.get('content-disposition'), `inline; filename="order-${order.number}.pdf"`)
  assert.equal(headers.get('cache-control'), 'private, no-store')
})

test('pages of the service alone may show a document in a frame', async () => {
  const { headers } = await ask('order')
  assert.equal(headers.get('content-security-policy'), "frame-ancestors 'self'")
})

test('the documents of a record are listed by name, for those who may read the record', async () => {
  const { id } = await createAs(service, 'note', { name: 'A' })
  const list = async (path: string, as?: string) => {
    const { status, json } = await service.ask('GET', path, { ...(as !== undefined && { as }) })
    return { status, data: json().data }
  }
  assert.deepEqual(await list(`/note/${id}/documents`), {
    status: 200,
    data: [{ code: 'note', name: 'note' }],
  })
  const ofOrder = await list(`/order/${order.id}/documents`, users.buyer)
  assert.deepEqual(ofOrder.data.at(0), { code: 'a/b & č?', name: 'a/b & č?' })
  assert.deepEqual((await list('/supplier/999999/documents')).status, 404)
  assert.deepEqual((await list(`/order/${order.id}/documents`, users.clerk)).status, 404)
})

test('a picture shows all pages, and runs nothing when it is opened by itself', async () => {
  const { status, headers, text } = await service.ask(
    'GET',
    `/order/${order.id}/documents/order/picture`,
  )
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'image/svg+xml')
  assert.match(text, /^<svg /)
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  assert.equal(headers.get('content-disposition'), `inline; filename="order-${order.number}.svg"`)
})

test('template_file takes precedence over template_source', async () => {
  assert.deepEqual((await (await ask('both')).pdf()).pages, [`Order ${order.number}`])
})

test('a code may contain characters that are special in paths', async () => {
  const { headers, pdf } = await ask(encodeURIComponent('a/b & č?'))
  assert.deepEqual((await pdf()).pages, ['Odd code'])
  assert.equal(
    headers.get('content-disposition'),
    `inline; filename="a-b-c-${order.number}.pdf"; filename*=UTF-8''a-b-%C4%8D-${order.number}.pdf`,
  )
})

for (const [name, disposition] of [
  ['Oak 40 × 60', `filename="note-Oak-40-60.pdf"`],
  [
    'Könige & Söhne',
    `filename="note-Konige-Sohne.pdf"; filename*=UTF-8''note-K%C3%B6nige-S%C3%B6hne.pdf`,
  ],
  ['采购', `filename="note-__.pdf"; filename*=UTF-8''note-%E9%87%87%E8%B4%AD.pdf`],
  ['"; filename="x.exe', `filename="note-filename-x.exe.pdf"`],
  ['a\r\nSet-Cookie: b=c', `filename="note-a-Set-Cookie-b-c.pdf"`],
  ['../../etc/passwd', `filename="note-etc-passwd.pdf"`],
  ['C:\\a\u200Ffdp.exe', `filename="note-C-a-fdp.exe.pdf"`],
  ['…', undefined],
  ['', undefined],
  [null, undefined],
] as const)
  test(`a record named ${JSON.stringify(name)} has a safe name in the header`, async () => {
    const { id } = await createAs(service, 'note', { name })
    const { status, headers } = await askFor(service, `/note/${id}/documents/note`)
    assert.equal(status, 200)
    assert.equal(headers.get('set-cookie'), null)
    assert.equal(
      headers.get('content-disposition'),
      `inline; ${disposition ?? `filename="note-${id}.pdf"`}`,
    )
  })

test('a document may be asked for with a slash at the end', async () => {
  assert.equal((await ask('order/')).status, 200)
})
