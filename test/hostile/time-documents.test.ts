/** A caller who asks for many PDFs at once waits behind themselves; everybody else gets their turn. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { askFor, startDocumentProject } from '../documents/a-document-project.ts'
import { createOrder, users } from '../support/a-project.ts'
import type { TestService } from '../support/service.ts'

let service: TestService
let path = ''
before(async () => {
  service = await startDocumentProject({ 'long.typ': '#for i in range(400) [#i #pagebreak()]' }, [
    { code: 'long', entity_key: 'order', template_file: 'long.typ' },
  ])
  const { id } = await createOrder(service, {}, users.buyer)
  path = `/order/${id}/documents/long`
})
after(() => service.stop())

test('twenty wait, the rest are told to come again, and another caller is next', async () => {
  await (await askFor(service, path)).pdf()
  let open = 0
  const asked = Array.from({ length: 80 }, async () => {
    open += 1
    const reply = await askFor(service, path)
    open -= 1
    return reply
  })
  const refused = await Promise.any(
    asked.map(async (one) => {
      const reply = await one
      assert.equal(reply.status, 503)
      return reply
    }),
  )
  assert.equal(refused.headers.get('retry-after'), '5')
  assert.match(refused.problem().detail, /waits behind 20 others of yours/)
  const other = await askFor(service, path, users.buyer)
  assert.equal(other.status, 200)
  assert.ok(open > 5, `${open} of the first caller are still to come`)
  const replies = await Promise.all(asked)
  const printed = replies.filter(({ status }) => status === 200).length
  assert.ok(printed >= 20, `${printed} were printed`)
  assert.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [200, 503])
})
