/** A cycle of required links is an error, because no record could ever be created. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOf } from '../../support/definitions/a-project.ts'

const entity = (key: string, links: Readonly<Record<string, boolean>>) => ({
  [`entities/${key}.json`]: {
    key,
    fields: Object.entries(links).map(([target, required]) => ({
      key: `the_${target}`,
      type: 'manyToOne',
      entity: target,
      required,
    })),
  },
})

test('every required link of a cycle is reported, and links that lead into the cycle are not', async () => {
  const found = await findingsOf({
    ...entity('a', { b: true, d: true }),
    ...entity('b', { c: true }),
    ...entity('c', { a: true }),
    ...entity('d', {}),
    ...entity('e', { a: true }),
  })
  assert.deepEqual(
    found.map((line) => line.replace(/:\d+:\d+/, '')),
    ['a needs b needs c needs a', 'b needs c needs a needs b', 'c needs a needs b needs c'].map(
      (cycle) =>
        `entities/${cycle[0]}.json fields[0].required no record of ${cycle[0]} can ever be created: ${cycle}; remove "required" from one of these links`,
    ),
  )
})

test('a cycle with one optional link is valid', async () => {
  assert.deepEqual(
    await findingsOf({ ...entity('a', { b: true }), ...entity('b', { a: false }) }),
    [],
  )
})

test('a required link of an entity to itself is only a warning, because seeds can create the first record', async () => {
  const [found, ...rest] = await findingsOf(entity('a', { a: true }))
  assert.match(found ?? '', /warning: fields\[0\]\.required no first record of a can be created/)
  assert.deepEqual(rest, [])
})
