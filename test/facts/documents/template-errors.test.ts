/** Issues of a template: each is reported with its file, line and column, and with a message that applies here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { createPrinter } from '../../support/documents/a-printer.ts'

const bold = '#let bold(it) = strong(it)\n'

const printer = opened(() =>
  createPrinter({
    'order.typ': '= Order\n#let record = json("data.json").record\n\t#record.numbr\n',
    'uses-part.typ': '#import "parts/amount.typ": amount\n#amount("x")\n',
    'parts/amount.typ': '#let amount(value) = {\n  let cents = value * 100\n  cents + 1.5\n}\n',
    'uses-broken.typ': '#import "parts/broken.typ": *\n#include "parts/broken.typ"\n',
    'parts/broken.typ': `${bold}#let = 3\n\n#(1, 2`,
    'parts/deep/uses-broken.typ': '#import "../broken.typ": bold\n',
    'parts/loop.typ': '#include "/loops.typ"',
    'loops.typ': '#include "parts/loop.typ"',
    'name with space & ž.typ': '\n#nothing',
    'windows.typ': 'a\r\nb\r\n#nothing',
    'data.csv': 'a,b',
  }),
)

test('an issue has its file, line and column, and is reported where it occurs, once', async () => {
  const broken = [
    'parts/broken.typ:2:5 expected pattern',
    'parts/broken.typ:4:2 unclosed delimiter',
  ]
  const issues = {
    'order.typ': ['order.typ:3:10 dictionary does not contain key "numbr"'],
    'uses-part.typ': ['parts/amount.typ:3:3 cannot add string and float'],
    'uses-broken.typ': broken,
    'parts/deep/uses-broken.typ': broken,
    'name with space & ž.typ': ['name with space & ž.typ:2:2 unknown variable: nothing'],
    'windows.typ': ['windows.typ:3:2 unknown variable: nothing'],
  }
  for (const [file, expected] of Object.entries(issues))
    assert.deepEqual(await printer.issuesOf(file, { json: '{"record":{}}' }), expected)
})

test('a template without a file is called template_source', async () => {
  assert.deepEqual(await printer.issuesOf({ source: 'Order\n\n  #let x = 1 + "a"' }), [
    'template_source:3:12 cannot add integer and string',
  ])
  assert.deepEqual(await printer.issuesOf({ source: '#import "parts/broken.typ": bold\n#(' }), [
    'template_source:2:2 unclosed delimiter',
  ])
  assert.deepEqual(await printer.issuesOf({ source: '#include "parts/amount.typ"\n#amount' }), [
    'template_source:2:2 unknown variable: amount',
  ])
})

for (const [source, column, message] of [
  ['#panic("not signed")', 2, 'panicked with: "not signed"'],
  ['#assert(1 == 2, message: "not signed")', 2, 'assertion failed: not signed'],
  ['#import "missing.typ": x', 9, 'there is no file missing.typ in printable-documents/'],
  ['#image("logo.png")', 8, 'there is no file logo.png in printable-documents/'],
  ['#include "/loops.typ"', undefined, 'cyclic import'],
  ['#decimal("12,5")', 10, 'invalid decimal: 12,5'],
  ['#image("data.csv")', 2, 'unknown image format'],
  ['#set page(paper: "a44")', 18, /^expected "a0"/],
  ['#json("data.json").x.y', 20, 'dictionary does not contain key "x"'],
  ['#while true {}', 8, 'condition is always true'],
  ['#let x = 1; #while x > 0 { x += 1 }', 14, 'loop seems to be infinite'],
] as const)
  test(`${source} is reported with its reason`, async () => {
    const [issue = '', ...others] = await printer.issuesOf({ source })
    assert.deepEqual(others, [])
    const [, at, text = ''] = /^\S+?:(\d+:\d+) (.*)$/s.exec(issue) ?? []
    if (column !== undefined) assert.equal(at, `1:${column}`)
    if (typeof message === 'string') assert.equal(text, message)
    else assert.match(text, message)
    assert.doesNotMatch(issue, /docket-|\/tmp|\/home/)
  })

test('an issue in a data file names that file and its place', async () => {
  await printer.write('prices.json', '{\n  "oak": 12,\n  "ash" 11\n}')
  assert.deepEqual(await printer.issuesOf({ source: '#json("prices.json")' }), [
    'prices.json:1:1 failed to parse JSON (expected `:` at line 3 column 9)',
  ])
})

test('a template without content prints an empty page', async () => {
  assert.deepEqual((await printer.print({ source: '' })).pages, [''])
})

for (const [what, source, issue] of [
  ['functions', '#let f(n) = f(n + 1)\n#f(0)', /:1:13 maximum function call depth exceeded$/],
  ['content', '#let f(n) = [#f(n + 1)]\n#f(0)', /:1:15 maximum function call depth exceeded$/],
  ['show rules', '#show heading: it => heading(it.body)\n= a', /maximum show rule depth exceeded/],
  [
    'boxes',
    '#let c = [x]\n#for i in range(9000) { c = box(c) }\n#c',
    /:2:\d+ maximum layout depth exceeded/,
  ],
] as const)
  test(`endless depth of ${what} is an issue with its place, and the next document is printed`, async () => {
    const [first = '', ...others] = await printer.issuesOf({ source })
    assert.deepEqual(others, [])
    assert.match(first, issue)
    assert.deepEqual((await printer.print({ source: 'Order' })).pages, ['Order'])
  })

test('changed, new and removed files are used for the next document', async () => {
  const missing = 'changing.typ:1:10 there is no file new.typ in printable-documents/'
  const steps: readonly (readonly [path: string, text: string | undefined, printed: string])[] = [
    ['changing.typ', '#nothing', 'changing.typ:1:2 unknown variable: nothing'],
    ['part.typ', '#let part = "one"', 'changing.typ:1:2 unknown variable: nothing'],
    ['changing.typ', '#import "part.typ": part\n#part', 'one'],
    [
      'part.typ',
      '#let part = read("part.txt")',
      'part.typ:1:18 there is no file part.txt in printable-documents/',
    ],
    ['part.txt', 'two', 'two'],
    ['part.txt', 'three', 'three'],
    ['changing.typ', '#include "new.typ"', missing],
    ['new.typ', 'four', 'four'],
    ['new.typ', undefined, missing],
  ]
  for (const [path, text, printed] of steps) {
    if (text === undefined) await printer.removeFile(path)
    else await printer.write(path, text)
    const found = printed.includes(':')
      ? await printer.issuesOf('changing.typ')
      : (await printer.print('changing.typ')).pages
    assert.deepEqual(found, [printed])
  }
})
