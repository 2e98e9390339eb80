/** Fields of files in forms: what a write says of them, how two people's changes are joined, and which files are refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field } from '../../../console/api/types.ts'
import { isUnsent, joinedFiles, writtenValue } from '../../../console/features/files/file-values.ts'
import { limitsOf, sortOut } from '../../../console/features/files/taken-files.ts'
import { work } from '../../../console/texts/en/work.ts'

const field = (type: Field['type'], more: Partial<Field> = {}): Field => ({
  key: 'photos',
  column: 'photos',
  type,
  isSystem: false,
  isCalculated: false,
  ...more,
})

/** `a` to `c` are files of the record, `X` and `Y` uploads, `…` is being sent. */
const item = (name: string) => ({
  filename: `${name}.png`,
  bytes: 1,
  ...(name === '…'
    ? { sending: 'key' }
    : /[a-z]/.test(name)
      ? { id: name.charCodeAt(0) - 96 }
      : { upload: name }),
})
const items = (names: string) => [...names].map(item)

const changes: readonly (readonly [before: string, after: string, written: unknown])[] = [
  ['', 'X', { add: ['X'] }],
  ['abc', 'acXY', { add: ['X', 'Y'], remove: [2] }],
  ['ab', '', { remove: [1, 2] }],
  ['abc', 'cab', { order: [3, 1, 2] }],
  ['abc', 'caX', { add: ['X'], remove: [2], order: [3, 1] }],
  // One that the field had before, as undoing does.
  ['a', 'ab', { add: [2] }],
  // What is added comes at the end: before others it needs the whole list.
  ['ab', 'aXb', [1, 'X', 2]],
  // The service refuses it, if a form has not.
  ['a', 'a…', { add: ['key'] }],
]

test('a change says what is different, so that two people lose nothing', () => {
  for (const [before, after, written] of changes)
    assert.deepEqual(writtenValue(field('files'), items(after), items(before)), written, after)
})

test('a new record has a list, and a field of one file its id', () => {
  assert.deepEqual(writtenValue(field('files'), items('XY')), ['X', 'Y'])
  assert.equal(writtenValue(field('file'), item('X')), 'X')
  assert.equal(writtenValue(field('file'), item('a'), item('b')), 1)
  assert.equal(writtenValue(field('file'), null), null)
  assert.deepEqual(writtenValue(field('json'), { filename: 'x' }), { filename: 'x' })
})

const joins: readonly (readonly [mine: string, before: string, theirs: string, all: string])[] = [
  ['abX', 'ab', 'abc', 'abcX'],
  ['b', 'ab', 'abc', 'bc'],
  ['abX', 'ab', '', 'X'],
  ['ba', 'ab', 'abc', 'bac'],
  // What was added while X was saved, as c.
  ['aXY', 'aX', 'ac', 'acY'],
]

test('what others do at the same time stays', () => {
  for (const [mine, before, theirs, all] of joins)
    assert.deepEqual(joinedFiles(items(mine), items(before), items(theirs)), items(all), mine)
})

test('a file that is being sent is not sent', () => {
  assert.deepEqual(['', 'aX', 'a…'].map(items).map(isUnsent), [false, false, true])
  assert.deepEqual([isUnsent(null), isUnsent('text'), isUnsent(item('…'))], [false, false, true])
})

const words = { texts: work.files, locale: 'en' }
const offered = (name: string, bytes = 1, isFolder = false) => ({
  file: new File(['x'.repeat(bytes)], name),
  isFolder,
})

test('files are refused before they are sent, each with a sentence', () => {
  const photos = field('files', {
    accept: ['image/*', 'application/pdf'],
    maxBytes: 5,
    maxFiles: 3,
  })
  const { taken, refused } = sortOut(
    [
      offered('a.PNG'),
      offered('b.exe'),
      offered('without an ending'),
      offered('c.pdf', 6),
      offered('d', 1, true),
      offered('nothing.png', 0),
      offered('e.jpg'),
    ],
    photos,
    1,
    words,
  )
  assert.deepEqual(
    taken.map(({ name }) => name),
    ['a.PNG', 'without an ending'],
  )
  assert.deepEqual(refused, [
    '“b.exe” is of a kind that is not allowed here.',
    '“c.pdf” is too large: at most 5 bytes are allowed.',
    '“d” is a folder. Choose the files in it.',
    '“nothing.png” is empty.',
    '“e.jpg” is left out: only 3 files are allowed.',
  ])
  assert.equal(
    limitsOf(photos, words),
    'Allowed: pictures, PDF · at most 5 bytes each · at most 3 files',
  )
  assert.equal(limitsOf(field('files', { maxFiles: 6 }), words), 'At most 6 files')
  assert.equal(limitsOf(field('files'), words), '')
  // Without limits a field has up to 50.
  assert.equal(sortOut([offered('x.bin')], field('files'), 50, words).taken.length, 0)
})
