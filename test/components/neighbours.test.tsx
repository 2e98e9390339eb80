/** The way from a record to the next one of the list that it was opened from. */
import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import {
  type PageFrom,
  rowsPerWindow,
  shownPlace,
  windowQuery,
} from '../../console/api/rows/rows.ts'
import { press } from './support/open-console.tsx'
import { emptyOrder, openKept, orderList } from './support/orders.ts'
import { button, link, tab } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

// By total, as the list asks for it: N-2, N-1, N-5, N-3, without that of 1.00.
const orders = (
  [
    [4, '1.00'],
    [2, '3.00'],
    [1, '5.00'],
    [5, '7.00'],
    [3, '9.00'],
  ] as const
).map(([id, total]) => ({ ...emptyOrder, id, number: `N-${id}`, total }))

const open = (path = orderList({ w: { total: { $gt: '2' } }, s: ['total'] })) =>
  openKept(path, orders)

const next = link('Next record')
const linkOf = (name: string) => page.getByRole('gridcell', { name, exact: true }).getByRole('link')

const arrive = async (name: string, place: string) => {
  await see(page.getByRole('heading', { name, exact: true }))
  await see(page.getByRole('navigation').getByText(place, { exact: true }))
}

test('its neighbours are those of the filtered and sorted list, also where one is changed on the way', async () => {
  const { kept, service } = await open()
  const previous = link('Previous record')
  await linkOf('N-1').click()
  await arrive('N-1', '2 / 4')
  await see(next)
  expect(await findViolations()).toEqual([])
  await next.click()
  await arrive('N-5', '3 / 4')
  await next.click()
  await arrive('N-3', '4 / 4')
  await see(previous)
  await expect.element(button('Next record')).toBeDisabled()
  const read = service.asked.findLast(({ path }) => path === '/order/search')
  expect(read?.body).toMatchObject({ $where: { total: { $gt: '2' } }, $orderBy: ['total'] })
  for (const [name, place] of [
    ['N-5', '3 / 4'],
    ['N-1', '2 / 4'],
  ] as const) {
    await previous.click()
    await arrive(name, place)
  }
  // It leaves the list, and the others stay where they were.
  kept.write(1, { total: '1.50' })
  await next.click()
  await see(page.getByRole('heading', { name: 'N-5', exact: true }))
  history.back()
  await see(linkOf('N-3'))
})

test('keys walk through them, with the same part of each record', async () => {
  await open()
  await see(linkOf('N-2'))
  await press(page.getByRole('grid'), '{ArrowDown}{Enter}')
  await arrive('N-1', '2 / 4')
  await tab('Tasks').click()
  await see(next)
  await userEvent.keyboard('j')
  await arrive('N-5', '3 / 4')
  await see(page.getByRole('tab', { name: 'Tasks', selected: true }), next)
  await userEvent.keyboard('k')
  await arrive('N-1', '2 / 4')
})

test('they are there after a reload, and not for a record that was opened by its address', async () => {
  await open()
  await linkOf('N-1').click()
  await arrive('N-1', '2 / 4')
  const { state } = history
  await cleanup()
  const { service } = await open('/order/1')
  await see(page.getByRole('heading', { name: 'N-1', exact: true }))
  await gone(next)
  await gone(button('Next record'))
  expect(state).toMatchObject({ place: { position: 2 } })
  expect(service.asked.filter(({ text }) => text.includes('$after'))).toEqual([])
})

test('a row is found again from the rows that were read, wherever it stands among them', () => {
  const total = 2 * rowsPerWindow + 2
  const list = { entity: 'order', criteria: {} }
  const client = new QueryClient()
  // A cursor is the number of its row: of the last one of a window, and of the first one.
  for (const [index, from] of [0, rowsPerWindow, 2 * rowsPerWindow].entries()) {
    const ids = Array.from({ length: Math.min(rowsPerWindow, total - from) }, (_, at) => from + at)
    const end = from + ids.length
    client.setQueryData(windowQuery(list, index).queryKey, {
      rows: ids.map((id) => ({ ...emptyOrder, id })),
      next: end < total ? `${end - 1}` : null,
      previous: from > 0 ? `${from}` : null,
    })
  }
  const foundAt = ({ cursor: { $after, $before }, page: pages }: PageFrom): number => {
    expect(pages).toBeGreaterThan(0)
    return $before === undefined ? Number($after ?? -1) + pages : Number($before ?? total) - pages
  }
  const all = Array.from({ length: total }, (_, row) => row)
  expect(all.map((row) => foundAt(shownPlace(client, list, row)))).toEqual(all)
})
