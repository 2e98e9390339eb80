/** Functions that take all memory, or never end, in other ways than those of `facts/functions/`. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  answering,
  createFunctions,
  running,
  type TestFunctions,
} from '../../support/functions/some-functions.ts'

const bodies = {
  map: ['const kept = new Map(); for (let i = 0; ; i++) kept.set(i, i)', 'out-of-memory'],
  table: ['const kept = new Array(5e8).fill(0); return kept', 'out-of-memory'],
  doubled: ["let text = 'x'; for (;;) text = [...text, ...text].join('')", 'out-of-memory'],
  pattern: ["/^(a+)+$/.test('a'.repeat(60) + 'b')", 'timed-out'],
  microtasks: ['for (;;) await null', 'timed-out'],
} as const

let functions: TestFunctions
before(async () => {
  const files = Object.entries(bodies).map(([name, [body, reason]]) => [
    `document-functions/${name}.mjs`,
    running(body, reason === 'timed-out' ? 300 : 200_000),
  ])
  functions = await createFunctions(
    { ...Object.fromEntries(files), 'document-functions/good.mjs': answering("return 'good'") },
    { memoryBytes: 64 * 1_048_576 },
  )
})
after(() => functions.remove())

for (const [name, [, expected]] of Object.entries(bodies))
  test(`${name} is an error (${expected}), and later calls succeed`, async () => {
    const { reason, message } = await functions.errorOf(name)
    assert.equal(reason, expected, message)
    assert.equal(await functions.textOf('good'), 'good')
  })
