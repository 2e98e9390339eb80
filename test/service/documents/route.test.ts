/** `GET /:entityKey/:entityId/documents/:code`: a PDF or a picture with a file name, or the reason why there is none. */
import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { createAs, createOrder, users } from '../../support/a-project.ts'
import { askFor, shareDocuments } from './a-document-project.ts'

let order: { id: number; number: string }
const service = await shareDocuments()
const folder = join(service.project.directory, 'printable-documents')
before(async () => {
  await symlink('../entities/order.json', join(folder, 'link.typ'))
  order = await createOrder(service)
})

const ask = (code: string) => askFor(service, `/order/${order.id}/documents/${code}`)
const problemOf = async (code: string) => {
  const reply = await ask(code)
  const { code: errorCode, detail, errors } = reply.problem()
  return { status: reply.status, code: errorCode, detail, errors }
}

test('a document is a PDF for inline display, with a file name, must not be cached, and is framed by pages of the service alone', async () => {
  const { status, headers, pdf } = await ask('order')
  assert.equal(status, 200)
  const { pages, title: named, conformance } = await pdf()
  assert.deepEqual([pages, named, conformance], [[`Order ${order.number}`], order.number, '2B'])
  assert.equal(headers.get('content-disposition'), `inline; filename="order-${order.number}.pdf"`)
  assert.equal(headers.get('cache-control'), 'private, no-store')
  assert.equal(headers.get('content-security-policy'), "frame-ancestors 'self'")
  assert.equal((await ask('order/')).status, 200)
})

test('the user who prints is told every script that no font has', async () => {
  for (const path of ['scripts', 'scripts/picture']) {
    const { status, headers } = await ask(path)
    assert.equal(status, 200)
    assert.equal(headers.get('x-missing-scripts'), 'Thai, emoji, Ethiopic', path)
  }
  assert.equal((await ask('order')).headers.get('x-missing-scripts'), null)
})

test('the documents of a record are listed by name', async () => {
  const { id } = await createAs(service, 'note', { name: 'A' })
  const list = async (path: string) => (await service.ask('GET', path)).json().data
  assert.deepEqual(await list(`/note/${id}/documents`), [{ code: 'note', name: 'note' }])
  const [first] = await list(`/order/${order.id}/documents`)
  assert.deepEqual(first, { code: 'a/b & č?', name: 'a/b & č?' })
})

test('a picture shows all pages, at most 20, and runs nothing when it is opened by itself', async () => {
  const path = `/order/${order.id}/documents/order/picture`
  const { status, headers, text } = await service.ask('GET', path)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'image/svg+xml')
  assert.match(text, /^<svg /)
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  assert.equal(headers.get('content-disposition'), `inline; filename="order-${order.number}.svg"`)
  const long = await problemOf('long/picture')
  assert.deepEqual([long.status, long.code], [422, 'answer.too-large'])
  assert.equal((await problemOf('wrong/picture')).errors[0].path, 'parts/sum.typ:2:3')
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

// Other names: facts/http/file-name.
test('a record has a safe name in the header, whatever it is called', async () => {
  for (const [name, file] of [
    ['"; filename="x.exe\r\nSet-Cookie: b=c', 'note-filename-x.exe-Set-Cookie-b-c'],
    ['…', undefined],
  ] as const) {
    const { id } = await createAs(service, 'note', { name })
    const { status, headers } = await askFor(service, `/note/${id}/documents/note`)
    assert.deepEqual([status, headers.get('set-cookie')], [200, null])
    const expected = `inline; filename="${file ?? `note-${id}`}.pdf"`
    assert.equal(headers.get('content-disposition'), expected)
  }
})

const ofCode = (code: string) => `There is no printable document "${code}" of order`
const nowhere = 'has no template: there is no file printable-documents'
const refusals = [
  ['odrer', 404, 'document.unknown', `${ofCode('odrer')}; did you mean "order"?`],
  ['invoice-2026', 404, 'document.unknown', `${ofCode('invoice-2026')}.`],
  ['%00', 404, 'document.unknown'],
  ['ORDER', 404, 'document.unknown'],
  ['..%2F..%2Fetc%2Fpasswd', 404, 'document.unknown'],
  ['x'.repeat(5000), 404, 'request.no-such-path'],
  ['%E0%A4%A', 400, 'request.invalid'],
  ['of-supplier', 404, 'document.unknown', `${ofCode('of-supplier')}.`],
  ['missing', 422, 'document.invalid', `${nowhere}/oder.typ; did you mean "order.typ"?`],
  ['outside', 422, 'document.invalid', `${nowhere}/../entities/order.json.`],
  ['absolute', 422, 'document.invalid', `${nowhere}//etc/passwd.`],
  [
    ...(['by-link', 422, 'document.invalid'] as const),
    'has the template_file "link.typ", which is a link to a file outside of printable-documents/.',
  ],
  ['neither', 422, 'document.invalid', 'has neither a template_file nor a template_source.'],
] as const
test('a code without a document, or with a wrong one, is refused with the reason', async () => {
  for (const [code, status, errorCode, detail] of refusals) {
    const found = await problemOf(code)
    assert.deepEqual([found.status, found.code], [status, errorCode], code.slice(0, 30))
    const sentence = status === 422 ? `The document "${code}" ${detail}` : detail
    if (sentence !== undefined) assert.equal(found.detail, sentence)
  }
})

test('a removed document is unknown', async () => {
  const body = { code: 'old', name: 'Old', entity_key: 'order', template_source: 'Old' }
  const { id } = await createAs(service, 'printable_document', body)
  assert.equal((await ask('old')).status, 200)
  assert.equal((await service.ask('DELETE', `/printable_document/${id}`)).status, 204)
  assert.equal((await problemOf('old')).code, 'document.unknown')
})

// Other places: facts/documents/template-errors.
test('a wrong template is a 422 with the place of each issue', async () => {
  const errors = [
    { path: 'twice-wrong.typ:1:5', message: 'expected pattern' },
    { path: 'twice-wrong.typ:3:4', message: 'unclosed delimiter' },
  ]
  assert.deepEqual(await problemOf('twice-wrong'), {
    status: 422,
    code: 'document.invalid',
    detail: 'The template of "twice-wrong" is wrong: twice-wrong.typ:1:5 expected pattern',
    errors,
  })
  assert.equal((await problemOf('source')).errors[0].path, 'template_source:2:2')
})

test('twenty PDFs of a caller are queued, further ones return 503, and another caller is served next', async () => {
  await (await ask('longest')).pdf()
  let pending = 0
  const requests = Array.from({ length: 40 }, async () => {
    pending += 1
    const reply = await ask('longest')
    pending -= 1
    return reply
  })
  const rejected = await Promise.any(
    requests.map(async (request) => {
      const reply = await request
      assert.equal(reply.status, 503)
      return reply
    }),
  )
  assert.equal(rejected.headers.get('retry-after'), '5')
  assert.match(rejected.problem().detail, /waits behind 20 others of yours/)
  const other = await askFor(service, `/order/${order.id}/documents/longest`, users.buyer)
  assert.equal(other.status, 200)
  // Those of the first caller are still in their queue.
  assert.ok(pending > 0)
  const replies = await Promise.all(requests)
  const rendered = replies.filter(({ status }) => status === 200).length
  assert.ok(rendered >= 20, `${rendered} were rendered`)
  assert.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [200, 503])
})
