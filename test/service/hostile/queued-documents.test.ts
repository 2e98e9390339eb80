/** Many concurrent PDFs of one caller are queued per caller, so that other callers do not wait for them. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOrder, users } from '../../support/a-project.ts'
import { askFor, startDocumentProject } from '../documents/a-document-project.ts'

const service = await startDocumentProject(
  { 'long.typ': '#for i in range(300) [#i #pagebreak()]' },
  [{ code: 'long', entity_key: 'order', template_file: 'long.typ' }],
)
after(() => service.stop())
const { id } = await createOrder(service, {}, users.buyer)
const path = `/order/${id}/documents/long`

test('twenty PDFs of a caller are queued, further ones return 503, and another caller is served next', async () => {
  await (await askFor(service, path)).pdf()
  let pending = 0
  const requests = Array.from({ length: 40 }, async () => {
    pending += 1
    const reply = await askFor(service, path)
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
  const other = await askFor(service, path, users.buyer)
  assert.equal(other.status, 200)
  // Those of the first caller are still in their queue.
  assert.ok(pending > 0)
  const replies = await Promise.all(requests)
  const rendered = replies.filter(({ status }) => status === 200).length
  assert.ok(rendered >= 20, `${rendered} were rendered`)
  assert.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [200, 503])
})
