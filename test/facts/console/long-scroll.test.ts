/** The arithmetic of a list that is longer than the highest element: every near step is exact, and no end is missed. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  maxSpacer,
  movedTo,
  type Scrolled,
  scrolledBy,
  spacerOf,
} from '../../../console/features/list/long-scroll.ts'
import { createRandom } from '../../support/fuzz/random.ts'

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
    ...{ top: 9_999_999, offset: 0 },
  })
  // The list before was a longer one.
  assert.deepEqual(scrolledBy({ top: 10, offset: 500 }, 20, short), { top: 20, offset: 0 })
})
