/** Functions that take all memory, or never end, in other ways than those of `facts/functions/`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { answering, createFunctions, running } from '../../support/functions/some-functions.ts'

const bodies = {
  map: ['const kept = new Map(); for (let i = 0; ; i++) kept.set(i, i)', 'out-of-memory'],
  table: ['const kept = new Array(5e8).fill(0); return kept', 'out-of-memory'],
  doubled: ["let text = 'x'; for (;;) text = [...text, ...text].join('')", 'out-of-memory'],
  pattern: ["/^(a+)+$/.test('a'.repeat(60) + 'b')", 'timed-out'],
  microtasks: ['for (;;) await null', 'timed-out'],
} as const

const functions = opened(async () => {
  const files = Object.entries(bodies).map(([name, [body, reason]]) => [
    `document-functions/${name}.mjs`,
    running(body, reason === 'timed-out' ? 300 : 200_000),
  ])
  return createFunctions(
    { ...Object.fromEntries(files), 'document-functions/good.mjs': answering("return 'good'") },
    { memoryBytes: 64 * 1_048_576 },
  )
})

for (const [name, [, expected]] of Object.entries(bodies))
  test(`${name} is an error (${expected}), and later calls succeed`, async () => {
    const { reason, message } = await functions.errorOf(name)
    assert.equal(reason, expected, message)
    assert.equal(await functions.textOf('good'), 'good')
  })
