/** Templates that take all time or memory, or print very many pages; `facts/documents/` has other limits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { createPrinter, type Printer } from '../../support/documents/a-printer.ts'

/** Typst detects an endless `while`; it cannot detect this. */
const endless = '#for a in range(1000000) { for b in range(1000000) { let c = a + b } }'

// One process each: there is no other that could print the next document.
const timeLimited = opened(() => createPrinter({}, { maxProcesses: 1, timeoutMs: 20_000 }))
const memoryLimited = opened(() =>
  createPrinter({}, { maxProcesses: 1, memoryBytes: 768 * 1_048_576 }),
)

const printsOn = async (printer: Printer) => {
  const given = { json: '{"n":7}' }
  const { pages } = await printer.print({ source: '= Order\n#json("data.json").n' }, given)
  assert.deepEqual(pages, ['Order\n7'])
}

test('one that does not end is stopped at the time limit', async () => {
  const { reason, message } = await timeLimited.errorOf({ source: endless })
  assert.deepEqual([reason, message], ['timed-out', 'took longer than 20 s, so it was stopped'])
  await printsOn(timeLimited)
})

for (const [what, source] of [
  ['arrays', '#let a = range(1000)\n#for i in range(40) { a = a + a }'],
  ['strings', '#let a = "12345678"\n#for i in range(60) { a = a + a }'],
  ['content', '#for i in range(100000000) [a]'],
] as const)
  test(`one that uses all memory for ${what} is stopped at the memory limit`, async () => {
    const { reason, message } = await memoryLimited.errorOf({ source })
    assert.deepEqual(
      [reason, message],
      ['out-of-memory', 'took more than 768 MiB, so it was stopped'],
    )
    await printsOn(memoryLimited)
  })

test('data may be too large as well', async () => {
  const json = JSON.stringify({ lines: Array.from({ length: 10_000 }, (_, n) => ({ n })) })
  const source =
    '#let lines = json("data.json").lines\n#for a in lines { for b in lines [#a.n #b.n] }'
  assert.equal((await memoryLimited.errorOf({ source }, { json })).reason, 'out-of-memory')
  await printsOn(memoryLimited)
})

test('very many pages are printed within the time limit', async () => {
  const { pages } = await memoryLimited.print({ source: '#for i in range(1500) [#i #pagebreak()]' })
  assert.equal(pages.length, 1501)
})
