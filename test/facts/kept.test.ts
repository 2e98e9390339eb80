/** Values that are computed once for each object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kept } from '../../src/kept.ts'

test('a value is computed once for each object, also where it is undefined or false', () => {
  const asked: unknown[] = []
  const read = kept((of: { readonly value: unknown }) => {
    asked.push(of)
    return of.value
  })
  const objects = [undefined, false, 1].map((value) => ({ value }))
  for (const _ of [1, 2])
    assert.deepEqual(
      objects.map((one) => read(one)),
      [undefined, false, 1],
    )
  assert.deepEqual(asked, objects)
})
