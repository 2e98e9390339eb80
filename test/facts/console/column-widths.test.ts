/** How wide columns of a list are before somebody has changed them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layoutOf } from '../../../console/features/list/grid-layout.ts'

test('columns give texts the room that their first rows need, within limits', () => {
  const widthFor = (textWidth: number | undefined, more: object = {}) => {
    const of = { key: 'title', type: 'string', column: 'title', ...more } as const
    const field = { ...of, isSystem: false, isCalculated: false }
    const column = { path: 'title', label: 'Title', place: ['title'], link: undefined }
    const sized = [{ ...column, field, textWidth }]
    return layoutOf(sized, { widths: {}, pinned: [] })['--columns-width']
  }
  // With the boxes that select rows.
  const texts = [20, 170, 3000, undefined].map((width) => widthFor(width))
  assert.deepEqual(texts, ['160px', '236px', '260px', '210px'])
  // Values that tell records apart, and those that are short, are not cut so soon.
  for (const code of [{ unique: true }, { maxLength: 34 }])
    assert.deepEqual([widthFor(280, code), widthFor(3000, code)], ['346px', '380px'])
  assert.equal(widthFor(280, { maxLength: 120 }), '260px')
})
