/** Every result of a document function is checked, and every issue of it is reported. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDocuments } from '../../../src/functions/check-documents.ts'

const good = { filename: 'a.txt', mimetype: 'text/plain', data: Buffer.from('abc') }
const issueOf = (answer: unknown): string => {
  const checked = checkDocuments(answer, 1000)
  return 'issue' in checked ? checked.issue : ''
}
const ofDocument = (changes: object) => issueOf({ documents: [{ ...good, ...changes }] })

test('documents are accepted unchanged, without other properties of the result', () => {
  const answer = { documents: [{ ...good, extra: 1 }, good], more: 2 }
  assert.deepEqual(checkDocuments(answer, 1000), { documents: [good, good] })
  assert.deepEqual(checkDocuments({ documents: [] }, 1000), { documents: [] })
})

for (const [answer, shown] of [
  [undefined, 'undefined'],
  [null, 'null'],
  [5, 'a number'],
  ['text', 'a text of 4 characters'],
  [[], 'an array of 0'],
  [[good], 'an array of 1'],
  [{}, 'an object'],
  [{ documents: good }, 'an object'],
  [Buffer.from('a'), 'a Uint8Array'],
  [new ArrayBuffer(2), 'an object'],
  [() => good, 'a function'],
] as const)
  test(`${shown} is not a valid result`, () => {
    assert.equal(issueOf(answer), `returned ${shown} instead of { documents: [...] }`)
  })

const values: Readonly<Record<string, { valid: readonly unknown[]; invalid: readonly unknown[] }>> =
  {
    filename: {
      valid: [
        ...['order.csv', 'Übersicht 2026 (final).pdf', '見積書.pdf', '.hidden', 'a..b', '...'],
        ...['👩‍🚀.txt', `${'ž'.repeat(125)}.csvx`],
      ],
      invalid: [
        ...['', '  ', '.', '..', '../a', 'a/b', '/etc/passwd', '..\\a', 'C:\\a', 'a\nb', 'a\0.txt'],
        ...['a\r\nBcc: x@example.com', 'a\u0085b', 'a\u2028b', 'fdp\u202Etxt.exe', 'half \uD800'],
        ...[`${'ž'.repeat(126)}.csv`, 'x'.repeat(256), 5, null, undefined, ['a']],
      ],
    },
    mimetype: {
      valid: [
        ...['text/csv', 'text/csv; charset=utf-8', 'text/csv;charset="utf-8";header=present'],
        ...['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'image/svg+xml'],
      ],
      invalid: [
        ...['', 'csv', 'text/', '/csv', 'text/csv/x', 'text /csv', 'text/csv\r\nX-Header: 1'],
        ...['text/csv; charset', 'text/csv; charset="\n"', `text/${'x'.repeat(300)}`, 'tëxt/csv'],
        ...[5, undefined],
      ],
    },
    data: {
      valid: [Buffer.from('abc'), new Uint8Array(2), new ArrayBuffer(2)],
      invalid: [
        ...['abc', [1], new Uint16Array(2), new SharedArrayBuffer(2), { length: 1 }, undefined],
      ],
    },
  }

for (const [name, { valid, invalid }] of Object.entries(values))
  test(`valid and invalid values of ${name} are told apart`, () => {
    for (const value of valid) assert.equal(ofDocument({ [name]: value }), '', String(value))
    const issue = new RegExp(`^returned an invalid result: documents\\[0\\]\\.${name} `)
    for (const value of invalid)
      assert.match(ofDocument({ [name]: value }), issue, `${JSON.stringify(value)}`)
  })

test('every issue of every document is reported', () => {
  assert.equal(
    issueOf({ documents: [good, 5, { ...good, filename: 'a/b', data: 'x' }] }),
    'returned an invalid result: documents[1] is a number instead of { filename, mimetype, data }; documents[2].filename is a text of 3 characters: a path instead of the name of a file; documents[2].data is a text of 1 character instead of a Buffer, Uint8Array or ArrayBuffer',
  )
})

test('no issue repeats the result, which may contain values of a record', () => {
  const secret = 'HR1723600001101234565'
  for (const answer of [
    secret,
    { [secret]: secret },
    { documents: [secret] },
    { documents: [{ filename: `${secret}/`, mimetype: secret, data: secret }] },
    { documents: [{ filename: [secret], mimetype: { secret }, data: [secret] }] },
  ])
    assert.doesNotMatch(issueOf(answer), /HR17/)
})

test('the documents may have exactly the maximum number of bytes together', () => {
  const documents = [good, { ...good, data: Buffer.alloc(997) }]
  assert.ok('documents' in checkDocuments({ documents }, 1000))
  assert.deepEqual(
    checkDocuments({ documents: [...documents, { ...good, data: Buffer.alloc(1) }] }, 1000),
    {
      issue: 'returned 1001 bytes of documents instead of at most 1000',
    },
  )
})
