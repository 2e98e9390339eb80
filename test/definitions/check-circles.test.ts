/** Required links that go round in a circle are an error: no record could ever be made. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOf } from './a-project.ts'

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

test('every required link of a circle is told, and what leads into it is not', async () => {
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
      (way) =>
        `entities/${way[0]}.json fields[0].required no record of ${way[0]} can ever be created: ${way}; remove "required" from one of these links`,
    ),
  )
})

test('a circle with one link that is not required is none', async () => {
  assert.deepEqual(
    await findingsOf({ ...entity('a', { b: true }), ...entity('b', { a: false }) }),
    [],
  )
})

test('an entity that requires one of its own is warned of, since seeds can make the first', async () => {
  const [found, ...rest] = await findingsOf(entity('a', { a: true }))
  assert.match(found ?? '', /warning: fields\[0\]\.required no first record of a can be created/)
  assert.deepEqual(rest, [])
})
