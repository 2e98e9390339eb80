/** Templates that exceed a limit: each ends with an error that names it, and the next one prints. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPrinter, type Printer } from '../../support/documents/a-printer.ts'

/** Typst detects an endless `while`; it cannot detect this. */
const endless = '#for a in range(1000000) { for b in range(1000000) { let c = a + b } }'

let printer: Printer
before(async () => {
  printer = await createPrinter()
})
after(() => printer.remove())

const printsOn = async () => {
  const given = { json: '{"n":7}' }
  const { pages } = await printer.print({ source: '= Order\n#json("data.json").n' }, given)
  assert.deepEqual(pages, ['Order\n7'])
}

test('one that does not end is stopped at the time limit', async () => {
  const hasty = await createPrinter({}, { maxProcesses: 1, timeoutMs: 500 })
  const { reason, message } = await hasty.errorOf({ source: endless })
  assert.deepEqual([reason, message], ['timed-out', 'took longer than 0.5 s, so it was stopped'])
  await hasty.remove()
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
    await printer.write('a.typ', '\n#include "b.typ"')
    await printer.write('b.typ', '#include "a.typ"')
    const [first = '', ...others] = await printer.issuesOf({ source })
    assert.deepEqual(others, [])
    const plain = first.replace('template_source:', '')
    if (typeof issue === 'string') assert.ok(plain.endsWith(issue), first)
    else assert.match(plain, issue)
    await printsOn()
  })

test('a crash of the engine is an error and does not end the service', async () => {
  const { reason, message } = await printer.errorOf({ source: '#('.repeat(200_000) })
  assert.equal(reason, 'crashed')
  assert.match(message, /^crashed the engine/)
  await printsOn()
})
