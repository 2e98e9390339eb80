/** Brings a column into view. */

/** Scrolls a grid to the side until a column is in view, and not behind pinned ones. */
export const showColumn = (grid: HTMLElement | null, column: number): void => {
  // The first head is that of the checkboxes.
  const head = grid?.querySelectorAll('[role=columnheader]')[column + 1]
  if (!grid || !head || head.hasAttribute('data-pinned')) return
  const { left, right } = head.getBoundingClientRect()
  const box = grid.getBoundingClientRect()
  const pinned = grid
    .querySelector('[role=columnheader][data-pinned=last]')
    ?.getBoundingClientRect()
  const isMirrored = getComputedStyle(grid).direction === 'rtl'
  const start = pinned && !isMirrored ? pinned.right : box.left
  const end = pinned && isMirrored ? pinned.left : box.left + grid.clientWidth
  if (left < start) grid.scrollBy({ left: left - start })
  else if (right > end) grid.scrollBy({ left: Math.min(right - end, left - start) })
}
