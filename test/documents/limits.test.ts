/** Templates that take too much: each ends at its limit with an error that says so, and the next prints. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aPrinter, type Printer } from './a-printer.ts'

/** Typst sees a `while` that does not end; this it cannot see. */
const endless = '#for a in range(1000000) { for b in range(1000000) { let c = a + b } }'

let hasty: Printer
let frugal: Printer
before(async () => {
  // Of one process each: there is no other that could print what comes next.
  hasty = await aPrinter({}, { maxProcesses: 1, timeoutMs: 8000 })
  frugal = await aPrinter({}, { maxProcesses: 1, memoryBytes: 768 * 1_048_576 })
})
after(() => Promise.all([hasty.remove(), frugal.remove()]))

const printsOn = async (printer: Printer) => {
  const given = { json: '{"n":7}' }
  const { pages } = await printer.print({ source: '= Order\n#json("data.json").n' }, given)
  assert.deepEqual(pages, ['Order\n7'])
}

test('one that does not end is ended at the limit of time', async () => {
  const { reason, message } = await hasty.errorOf({ source: endless })
  assert.deepEqual([reason, message], ['timed-out', 'took longer than 8 s, so it was stopped'])
  await printsOn(hasty)
})

for (const [what, source] of [
  ['arrays', '#let a = range(1000)\n#for i in range(40) { a = a + a }'],
  ['strings', '#let a = "12345678"\n#for i in range(60) { a = a + a }'],
  ['content', '#for i in range(100000000) [a]'],
] as const)
  test(`one that takes all memory for ${what} is ended at the limit of memory`, async () => {
    const { reason, message } = await frugal.errorOf({ source })
    assert.deepEqual(
      [reason, message],
      ['out-of-memory', 'took more than 768 MiB, so it was stopped'],
    )
    await printsOn(frugal)
  })

test('data may be too large as well', async () => {
  const json = JSON.stringify({ lines: Array.from({ length: 10_000 }, (_, n) => ({ n })) })
  const source =
    '#let lines = json("data.json").lines\n#for a in lines { for b in lines [#a.n #b.n] }'
  assert.equal((await frugal.errorOf({ source }, { json })).reason, 'out-of-memory')
  await printsOn(frugal)
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
  test(`endless depth of ${what} is a mistake with its place`, async () => {
    await frugal.write('a.typ', '\n#include "b.typ"')
    await frugal.write('b.typ', '#include "a.typ"')
    const [told = '', ...others] = await frugal.issuesOf({ source })
    assert.deepEqual(others, [])
    const plain = told.replace('template_source:', '')
    if (typeof issue === 'string') assert.ok(plain.endsWith(issue), told)
    else assert.match(plain, issue)
    await printsOn(frugal)
  })

test('what breaks the engine itself is a fault, not the end of the service', async () => {
  const { reason, message } = await frugal.errorOf({ source: '#('.repeat(200_000) })
  assert.equal(reason, 'crashed')
  assert.match(message, /^crashed the engine/)
  await printsOn(frugal)
})

test('very many pages are printed, as long as there is time', async () => {
  const { pages } = await frugal.print({ source: '#for i in range(1500) [#i #pagebreak()]' })
  assert.equal(pages.length, 1501)
})
