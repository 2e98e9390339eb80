/** Functions that take all memory in other ways than those of `facts/functions/`. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  answering,
  createFunctions,
  running,
  type TestFunctions,
} from '../../support/functions/some-functions.ts'

const bodies = {
  map: 'const kept = new Map(); for (let i = 0; ; i++) kept.set(i, i)',
  table: 'const kept = new Array(5e8).fill(0); return kept',
  doubled: "let text = 'x'; for (;;) text = [...text, ...text].join('')",
}

let functions: TestFunctions
before(async () => {
  const files = Object.entries(bodies).map(([name, body]) => [
    `document-functions/${name}.mjs`,
    running(body, 200_000),
  ])
  functions = await createFunctions(
    { ...Object.fromEntries(files), 'document-functions/good.mjs': answering("return 'good'") },
    { memoryBytes: 64 * 1_048_576 },
  )
})
after(() => functions.remove())

for (const name of Object.keys(bodies))
  test(`endless memory (${name}) is an error, and later calls succeed`, async () => {
    const { reason, message } = await functions.errorOf(name)
    assert.equal(reason, 'out-of-memory', message)
    assert.equal(await functions.textOf('good'), 'good')
  })
