/** Bodies with a fixed shape: null for what may be absent is nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '../../../src/definitions/schemas/schema-builder.ts'
import { checkedBody } from '../../../src/http/endpoint/body.ts'
import { markBody } from '../../../src/inbox/mark-notifications.ts'

const schema = Type.Object(
  {
    ids: Type.Array(Type.Integer()),
    note: Type.Optional(Type.String()),
    end: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)
const { read } = checkedBody(schema)

test('null for a property that may be absent is as if it were not there', () => {
  assert.deepEqual(read({ ids: [1], note: null }), { ids: [1] })
  const marked = { ids: ['a'], status: 'seen' }
  assert.deepEqual(markBody.read({ ...marked, after: null, before: null }), marked)
})

test('null stays where it is a value, and is refused where one is required or unknown', () => {
  assert.deepEqual(read({ ids: [1], end: null }), { ids: [1], end: null })
  for (const body of [{ ids: null }, { ids: [1], other: null }, { note: null }, null])
    assert.throws(() => read(body), { code: 'request.invalid' }, JSON.stringify(body))
})
