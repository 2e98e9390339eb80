/** Mentions in the text of a comment: as they are typed, stored and shown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  segmentsOf,
  soughtAt,
  stillMentioned,
  storedOf,
  typedOf,
  withMention,
} from '../../../console/features/comments/mentions.ts'

const ana = { id: 2, full_name: 'Ana' }
const anaMaria = { id: 3, full_name: 'Ana Maria' }
const other = { id: 4, full_name: 'Ana' }
const hidden = { id: 5, full_name: null }
const people = [ana, anaMaria, other, hidden]

test('a text is stored again as it was, also where names begin alike, are the same, or are hidden', () => {
  for (const stored of [
    '@[2] and @[3], please.',
    '@[4]: @[2]!',
    'Hidden @[5], unknown @[99]',
    'no mention, a@b.example',
  ]) {
    const { text, mentioned } = typedOf(stored, people)
    assert.equal(storedOf(text, mentioned), stored)
  }
  assert.equal(typedOf('@[2] @[3] @[4] @[5]', people).text, '@Ana @Ana Maria @Ana (4) @[5]')
})

test('a name that goes on is another one, and one that is deleted mentions nobody', () => {
  const mentioned = [{ id: 2, name: 'Ana' }]
  assert.equal(storedOf('@Anabel, @Ana.', mentioned), '@Anabel, @[2].')
  assert.deepEqual(stillMentioned('@Anabel', mentioned), [])
  assert.deepEqual(stillMentioned('(@Ana)', mentioned), mentioned)
})

test('people are sought by the words between an @ and the caret', () => {
  const table: readonly (readonly [before: string, words: string | undefined])[] = [
    ['@', ''],
    ['Ask @An', 'An'],
    ['Ask @Ana Ma', 'Ana Ma'],
    ['(@ana', 'ana'],
    ['two\n@ana', 'ana'],
    ['ana@example', undefined],
    ['@ ana', undefined],
    ['@ana\n', undefined],
    ['@one two three four', undefined],
  ]
  for (const [before, words] of table)
    assert.equal(soughtAt(`${before} rest`, before.length)?.words, words, before)
})

test('one space stands behind a chosen name, and none before the end of a line or of a sentence', () => {
  const rows: readonly (readonly [typed: string, chosen: string])[] = [
    ['Ask @an|', 'Ask @Ana |'],
    ['Ask @an| today', 'Ask @Ana |today'],
    ['Ask @Ana M|today', 'Ask @Ana |today'],
    ['Ask @an|, please', 'Ask @Ana|, please'],
    ['(@an|)', '(@Ana|)'],
    ['@an|\nToday', '@Ana|\nToday'],
  ]
  for (const [typed, chosen] of rows) {
    const caret = typed.indexOf('|')
    const text = typed.replace('|', '')
    const sought = soughtAt(text, caret)
    assert.ok(sought)
    const next = withMention(text, sought, '@Ana')
    assert.equal(`${next.text.slice(0, next.caret)}|${next.text.slice(next.caret)}`, chosen)
  }
})

test('shown are names and addresses, and nothing else becomes a link', () => {
  const shown = (text: string) => segmentsOf(text, people).map((one) => [one.kind, one.text])
  assert.deepEqual(shown('@[2]: see https://a.example/x_(y). Then javascript:alert(1) <b>'), [
    ['mention', '@Ana'],
    ['text', ': see '],
    ['address', 'https://a.example/x_(y)'],
    ['text', '.'],
    ['text', ' Then javascript:alert(1) <b>'],
  ])
  assert.deepEqual(shown('(http://a.example) https:// @[99] @[5]'), [
    ['text', '('],
    ['address', 'http://a.example'],
    ['text', ')'],
    ['text', ' https:// '],
    ['text', '@[99]'],
    ['text', ' '],
    ['mention', '@5'],
  ])
})
