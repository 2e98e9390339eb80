/**
 * The scroll bar of a list that is longer than the highest element of a browser. Near steps (a wheel, a finger, a key) move the
 * list by exactly their pixels; far ones (the scroll bar is dragged) lead to the same share of the list. So the list has an
 * offset: how many of its pixels lie above the pixels of the scrolled element. Tested without a browser, so it uses none.
 */

/** Firefox ends at some 17.9 million pixels, Chromium at 33.5. */
export const maxSpacer = 16_000_000

/** The largest near step, in pixels: some screens of rows, and less than one pixel of the scroll bar. */
const nearStep = 2_500

/** Pixels at both ends in which the list and the scrolled element move together, so that no near step is cut short. */
const endZone = nearStep

/** Exact steps move the scroll bar away from the share that it should show; after so many pixels it is corrected. */
const maxDrift = maxSpacer / 100

/** Heights in pixels: of all rows, and of the part of them that is in view. */
export type Lengths = { readonly whole: number; readonly room: number }

/** Where a scrolled element is: its own pixels, and those of the list above them. */
export type Scrolled = { readonly top: number; readonly offset: number }

/** Height of the element that gives the scroll bar its length. */
export const spacerOf = ({ whole }: Lengths): number => Math.min(whole, maxSpacer)

const maxOffset = (lengths: Lengths): number => lengths.whole - spacerOf(lengths)

/** The largest pixel of the list that can be at the top. */
const lastTop = ({ whole, room }: Lengths): number => Math.max(whole - room, 0)

/** The offset at which the scroll bar shows where a pixel of the list is; it grows evenly between the ends. */
const offsetAt = (listTop: number, lengths: Lengths): number => {
  const share = (listTop - endZone) / (lastTop(lengths) - 2 * endZone)
  return Math.round(Math.min(Math.max(share, 0), 1) * maxOffset(lengths))
}

/** Where a list is whose pixel `listTop` is to be at the top, with the scroll bar at its share. */
const scrolledTo = (listTop: number, lengths: Lengths): Scrolled => {
  const offset = offsetAt(listTop, lengths)
  return { top: listTop - offset, offset }
}

/** Where a list is whose scroll bar was dragged to `top`. */
const draggedTo = (top: number, lengths: Lengths): Scrolled => {
  const last = lastTop(lengths) - 2 * endZone
  const scale = last / (last - maxOffset(lengths))
  const listTop = top <= endZone ? top : endZone + (top - endZone) * scale
  return { top, offset: offsetAt(listTop, lengths) }
}

/** Where a list is after its element was scrolled to `top`. The top that is returned differs if the scroll bar must be corrected. */
export const scrolledBy = (before: Scrolled, top: number, lengths: Lengths): Scrolled => {
  if (maxOffset(lengths) === 0) return { top, offset: 0 }
  if (Math.abs(top - before.top) > nearStep) return draggedTo(top, lengths)
  const { offset } = before
  const right = scrolledTo(top + offset, lengths)
  const isEnd = right.offset === 0 || right.offset === maxOffset(lengths)
  // Half of the distance to an end, so that the element never ends before the list.
  const way = Math.min(right.top, spacerOf(lengths) - lengths.room - right.top)
  const drift = Math.abs(right.offset - offset)
  return drift > (isEnd ? 0 : Math.min(way / 2, maxDrift)) ? right : { top, offset }
}

/** Where a list is whose pixel `listTop` is brought to the top. */
export const movedTo = (before: Scrolled, listTop: number, lengths: Lengths): Scrolled => {
  const top = listTop - before.offset
  const isNear = Math.abs(top - before.top) <= nearStep
  return isNear ? scrolledBy(before, top, lengths) : scrolledTo(listTop, lengths)
}
