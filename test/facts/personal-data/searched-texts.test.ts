/** The texts of a person in what is written elsewhere, in place of which the placeholder is put. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createForget } from '../../../src/personal-data/searched-texts.ts'

test('a text is forgotten in any case and wherever it stands by itself, not within a longer word', () => {
  const forget = createForget(['Ana Horvat', 'Anna'], '…')
  for (const [written, left] of [
    ['Call ANNA, or ana horvat.', 'Call …, or ….'],
    ['Annabel', 'Annabel'],
    ['Hanna, Anna2, Ännanna', 'Hanna, Anna2, Ännanna'],
    ['(Anna)_Anna', '(…)_…'],
    ['Line\\nAnna', 'Line\\nAnna'],
  ] as const)
    assert.equal(forget(written, false), left)
  // In JSON that is the escape of a new line.
  assert.equal(forget('"Line\\nAnna"', true), '"Line\\n…"')
  assert.equal(createForget([], '…')('Anna', false), 'Anna')
})
