/** What is typed into the form of a record, merged with what others have saved meanwhile. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  findConflicts,
  rebased,
  typedSince,
  withValue,
} from '../../../console/features/forms/draft.ts'

const base = { id: 1, city: 'Zadar', notes: null }
const draftOf = (values: object) => new Map<string, unknown>(Object.entries(values))

test('a value that is entered as it was before is no change', () => {
  const changed = withValue(new Map(), base, 'city', 'Split')
  assert.deepEqual(changed, draftOf({ city: 'Split' }))
  assert.deepEqual(withValue(changed, base, 'city', 'Zadar'), new Map())
})

describe('of a field that', () => {
  const rows = [
    ['the user alone has changed, theirs is left', 'Split', 'Zadar', [], { city: 'Split' }],
    [
      'both have changed, one is to be chosen',
      'Split',
      'Pula',
      [{ column: 'city', mine: 'Split', theirs: 'Pula' }],
      { city: 'Split' },
    ],
    ['both have changed alike, nothing is left', 'Split', 'Split', [], {}],
  ] as const
  for (const [what, mine, theirs, conflicts, left] of rows)
    test(what, () => {
      const [draft, current] = [draftOf({ city: mine }), { ...base, city: theirs }]
      assert.deepEqual(findConflicts(draft, base, current), conflicts)
      assert.deepEqual(rebased(draft, current), draftOf(left))
    })
})

describe('of what is typed while a save is on its way', () => {
  const sent = { city: 'Split', notes: 'Ring' }
  const rows = [
    ['what was sent is left out', sent, {}],
    ['another value of the same field is left', { ...sent, city: 'Pula' }, { city: 'Pula' }],
    ['a value that was taken back is left', { city: 'Split' }, { notes: null }],
    ['another field is left', { ...sent, name: 'Adria' }, { name: 'Adria' }],
  ] as const
  for (const [what, draft, left] of rows)
    test(what, () => {
      assert.deepEqual(typedSince(draftOf(draft), base, draftOf(sent)), draftOf(left))
    })
})
