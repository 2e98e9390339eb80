/** How an issue is shown on a terminal: the place, the message, the line, and a caret under it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printDiagnostics } from '../../../src/documents/render-document.ts'
import type { Diagnostic } from '../../../src/documents/typst/engine.ts'

const issue = { severity: 'error', message: 'is wrong' } as const

/** The lines that are shown for a line of `a.typ`, below the message. */
const shownOf = (text: string, place: Omit<Diagnostic, 'severity' | 'message' | 'file'>) =>
  printDiagnostics([{ ...issue, file: 'a.typ', ...place }], {
    main: 'a.typ',
    files: new Map([['a.typ', Buffer.from(text)]]),
  })
    .split('\n')
    .slice(1, -1)

for (const [title, text, line, column, endColumn, shown] of [
  ['a word', 'one two three', 1, 5, 8, ['  1 | one two three', '    |     ^^^']],
  ['the last line', 'a\nb\nwrong', 3, 1, 6, ['  3 | wrong', '    | ^^^^^']],
  ['lines of Windows', 'a\r\nwrong\r\n', 2, 1, 6, ['  2 | wrong', '    | ^^^^^']],
  ['behind tabs', '\t\tx wrong', 1, 5, 10, ['  1 | \t\tx wrong', '    | \t\t  ^^^^^']],
  ['a number of two digits', `${'\n'.repeat(11)}wrong`, 12, 1, 6, ['  12 | wrong', '     | ^^^^^']],
  ['the end of a line', 'ab', 1, 3, 4, ['  1 | ab', '    |   ^']],
  ['an empty line', '', 1, 1, 2, ['  1 | ', '    | ^']],
  ['more than the line', 'ab', 1, 2, 90, ['  1 | ab', '    |  ^']],
  ['a line that is not there', 'ab', 9, 1, 2, []],
] as const)
  test(`a caret is placed under ${title}`, () => {
    assert.deepEqual(shownOf(text, { line, column, endColumn }), shown)
  })

test('of a long line 120 characters are shown, with the caret at the right place', () => {
  const text = `${'a'.repeat(500)}wrong${'b'.repeat(500)}`
  const [line = '', caret = ''] = shownOf(text, { line: 1, column: 501, endColumn: 506 })
  assert.equal(line.length, '  1 | '.length + 120)
  assert.equal(caret.indexOf('^'), line.indexOf('wrong'))
  assert.equal(caret.match(/\^+/)?.[0].length, 5)
})

test('a template without a file is shown as well, and an issue without a place has no line', () => {
  const template = { main: 'template_source', source: 'one\ntwo', files: new Map() }
  const place = { line: 2, column: 1, endColumn: 4 }
  assert.equal(
    printDiagnostics(
      [
        { ...issue, ...place, file: 'template_source' },
        { ...issue, ...place, file: undefined, severity: 'warning' },
        { ...issue, ...place, file: 'gone.typ' },
      ],
      template,
    ),
    `template_source:2:1: error: is wrong
  2 | two
    | ^^^
template_source: warning: is wrong
gone.typ:2:1: error: is wrong
`,
  )
  assert.equal(printDiagnostics([], template), '')
})
