/** Lists of the console: which columns they show, how wide these are, and the arithmetic of very long ones. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Entity } from '../../../console/api/types.ts'
import { cardColumns, layoutOf } from '../../../console/features/grid/grid-layout.ts'
import {
  maxSpacer,
  movedTo,
  type Scrolled,
  scrolledBy,
  spacerOf,
} from '../../../console/features/grid/long-scroll.ts'
import { columnsAt, type Entities } from '../../../console/features/values/columns.ts'
import { defaultPaths, mainColumns } from '../../../console/features/values/main-columns.ts'
import { describeProject } from '../../components/support/describe-project.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { createRandom } from '../../support/fuzz/random.ts'

const many = Array.from({ length: 12 }, (_, at) => ({ key: `note_${at}`, type: 'string' }))
const project = {
  ...entityFile('order', { displayField: 'number' }, [
    { key: 'placed_on', type: 'date' },
    { key: 'number', type: 'string', required: true, unique: true },
    { key: 'code', type: 'string', pattern: '[A-Z]+' },
    { key: 'title', type: 'string' },
    { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
    { key: 'net', type: 'decimal', precision: 14, scale: 2, rollup: { sum: 'lines.amount' } },
  ]),
  ...entityFile('line', { displayField: 'position' }, [
    { key: 'position', type: 'string' },
    { key: 'unit_price', type: 'decimal', precision: 14, scale: 2, unit: 'EUR' },
    { key: 'amount', type: 'decimal', precision: 14, scale: 2, unit: 'EUR' },
    ...many,
    { key: 'order', type: 'manyToOne', entity: 'order' },
  ]),
}

let entities: Entities
const entity = (key: string): Entity => {
  const found = entities.get(key)
  assert.ok(found)
  return found
}
before(async () => {
  const described = (await describeProject(project, {})).entities as readonly Entity[]
  entities = new Map(described.map((one) => [one.key, one]))
})

test('what names a record comes first, then the columns of the definition in their order', () => {
  assert.deepEqual(defaultPaths(entity('order'), entities).slice(0, 5), [
    ...['number', 'placed_on', 'code', 'title', 'net'],
  ])
})

test('of many columns the main facts are shown too, each in its place', () => {
  const paths = defaultPaths(entity('line'), entities)
  assert.equal(paths.length, 12)
  assert.deepEqual(
    [...paths.slice(0, 4), paths.at(-1)],
    ['position', 'unit_price', 'amount', 'note_0', 'order.number'],
  )
})

test('the amount of a part is what the records above it add up', () => {
  assert.equal(mainColumns(entity('line'), entities).amount?.path, 'amount')
})

test('a card shows the title, which is no code', () => {
  const order = entity('order')
  const columns = columnsAt(defaultPaths(order, entities), order, entities)
  const paths = cardColumns(columns, mainColumns(order, entities)).map(({ path }) => path)
  assert.deepEqual(paths, ['number', 'title', 'placed_on', 'code'])
})

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

const lengths = { whole: 36_000_000, room: 800 }
const last = lengths.whole - lengths.room
const lastOfElement = spacerOf(lengths) - lengths.room

const begin: Scrolled = { top: 0, offset: 0 }
const placeOf = ({ top, offset }: Scrolled) => top + offset

describe('a list of 36,000,000 pixels in an element of 16,000,000', () => {
  test('steps of up to the height of the screen are exact, wherever they lead', () => {
    const random = createRandom(11)
    for (const start of [0, 5_000, 355_000, last / 2, last - 355_000, last]) {
      let at = movedTo(begin, start, lengths)
      for (let count = 0; count < 20_000; count += 1) {
        const before = placeOf(at)
        const step = Math.round(
          (random.next() - 0.5 + Math.sign(Math.sin(count / 3_000)) / 4) * 1_000,
        )
        const wanted = Math.min(Math.max(before + step, 0), last)
        // As a browser does, which knows its element alone.
        const top = Math.min(Math.max(at.top + step, 0), lastOfElement)
        at = scrolledBy(at, top, lengths)
        assert.equal(placeOf(at), wanted, `from ${before} by ${step}`)
        assert.ok(at.top >= 0 && at.top <= lastOfElement, `${at.top} is no place of the element`)
      }
    }
  })

  test('the scroll bar leads from end to end, and shows the share of the list', () => {
    const places = Array.from({ length: 101 }, (_, percent) =>
      placeOf(scrolledBy({ top: -9_000, offset: 0 }, (lastOfElement * percent) / 100, lengths)),
    )
    assert.equal(places[0], 0)
    assert.equal(places[100], last)
    for (const [percent, place] of places.entries())
      assert.ok(Math.abs(place - (last * percent) / 100) < 3_600, `${place} at ${percent} %`)
  })

  test('a place that is asked for is reached to the pixel', () => {
    for (const place of [0, 1, 1_999, 2_001, 12_345_678, last - 1, last])
      assert.equal(placeOf(movedTo(begin, place, lengths)), place)
  })
})

test('a list that fits has no offset', () => {
  const short = { whole: maxSpacer, room: 800 }
  assert.deepEqual(movedTo(begin, 12_345, short), { top: 12_345, offset: 0 })
  assert.deepEqual(scrolledBy({ top: 0, offset: 0 }, 9_999_999, short), {
    top: 9_999_999,
    offset: 0,
  })
  // The list before was a longer one.
  assert.deepEqual(scrolledBy({ top: 10, offset: 500 }, 20, short), { top: 20, offset: 0 })
})
