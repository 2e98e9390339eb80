/** Templates that exceed a limit: each ends with an error that names it, and the next one prints. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPrinter, type Printer } from '../../support/documents/a-printer.ts'

/** Typst detects an endless `while`; it cannot detect this. */
const endless = '#for a in range(1000000) { for b in range(1000000) { let c = a + b } }'

let timeLimited: Printer
let memoryLimited: Printer
before(async () => {
  // One process each: there is no other that could print the next document.
  timeLimited = await createPrinter({}, { maxProcesses: 1, timeoutMs: 20_000 })
  memoryLimited = await createPrinter({}, { maxProcesses: 1, memoryBytes: 768 * 1_048_576 })
})
after(() => Promise.all([timeLimited.remove(), memoryLimited.remove()]))

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

for (const [what, source, issue] of [
  ['functions', '#let f(n) = f(n + 1)\n#f(0)', '1:13 maximum function call depth exceeded'],
  ['content', '#let f(n) = [#f(n + 1)]\n#f(0)', '1:15 maximum function call depth exceeded'],
  ['show rules', '#show heading: it => heading(it.body)\n= a', /maximum show rule depth exceeded/],
  [
    'boxes',
    '#let c = [x]\n#for i in range(9000) { c = box(c) }\n#c',
    /^2:\d+ maximum layout depth exceeded/,
  ],
  ['files', '#include "a.typ"', 'cyclic import'],
] as const)
  test(`endless depth of ${what} is an issue with its place`, async () => {
    await memoryLimited.write('a.typ', '\n#include "b.typ"')
    await memoryLimited.write('b.typ', '#include "a.typ"')
    const [first = '', ...others] = await memoryLimited.issuesOf({ source })
    assert.deepEqual(others, [])
    const plain = first.replace('template_source:', '')
    if (typeof issue === 'string') assert.ok(plain.endsWith(issue), first)
    else assert.match(plain, issue)
    await printsOn(memoryLimited)
  })

test('a crash of the engine is an error and does not end the service', async () => {
  const { reason, message } = await memoryLimited.errorOf({ source: '#('.repeat(200_000) })
  assert.equal(reason, 'crashed')
  assert.match(message, /^crashed the engine/)
  await printsOn(memoryLimited)
})

test('very many pages are printed within the time limit', async () => {
  const { pages } = await memoryLimited.print({ source: '#for i in range(1500) [#i #pagebreak()]' })
  assert.equal(pages.length, 1501)
})
