/** Selecting records of a list by mouse and by keys; sums of the selection and of all that match, and groups. */
import { describe, expect, test } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { type Asked, type Given, problem } from './support/answers.ts'
import { keepRecords } from './support/keep-records.ts'
import { addressed, openConsole, press } from './support/open-console.tsx'
import {
  bar,
  boxOf,
  customers,
  orderList,
  ordersProject,
  ordersUpTo,
  withCustomer,
} from './support/orders.ts'
import { button, dialogOf } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'

const orderCount = 12_345
const orders = ordersUpTo(orderCount)
const kept = keepRecords('order', orders, withCustomer)
const grid = page.getByRole('grid')
const selectedRows = page.getByRole('row', { selected: true }).getByRole('checkbox')

type Body = {
  readonly $where?: { readonly id?: { readonly $in?: readonly number[] } }
  readonly $aggregate?: Readonly<Record<string, readonly string[]>>
  readonly $group?: readonly string[]
}

type Opening = Partial<Parameters<typeof openConsole>[1]> & {
  readonly where?: object
  /** Answers sums and groups; the rest of the searches have answers. */
  readonly sums?: (body: Body) => Given | undefined
}

/** Opens the list of orders, whose records are counted. */
const openList = async ({ where, sums = () => undefined, ...options }: Opening = {}) => {
  const search = (asked: Asked): Given => {
    const body = asked.body as Body
    const added = body.$aggregate || body.$group ? sums(body) : undefined
    return added?.status
      ? added
      : { body: { ...(kept.search(asked).body as object), ...(added?.body as object) } }
  }
  const service = await openConsole(orderList(where ? { w: where } : {}), {
    project: ordersProject,
    // What the pointer is over is read before it is opened.
    records: { order: orders.slice(0, 40), customer: customers },
    answers: { 'POST /order/search': search },
    ...options,
  })
  await expect.element(page.getByText(/^[\d,]+ records?$/)).toBeVisible()
  return service
}

describe('the selection of a list', () => {
  test('a click selects a record, another one takes it back, and the bar says how many', async () => {
    await openList()
    await boxOf(2).click()
    await boxOf(4).click()
    await see(bar.getByText('2 selected'))
    await boxOf(2).click()
    await see(bar.getByText('1 selected'))
    await bar.getByRole('button', { name: 'Clear the selection' }).click()
    await gone(selectedRows)
  })

  test('Shift and a click select the rows between, also those that were never on the screen', async () => {
    await openList()
    await boxOf(3).click()
    grid.element().scrollTo({ top: 36 * 995 })
    await see(boxOf(1000))
    await boxOf(1000).click({ modifiers: ['Shift'] })
    await see(bar.getByText('998 selected'))
  })

  test('rows that are read late do not undo what was chosen meanwhile', async () => {
    let reading = Promise.resolve()
    const late = Promise.withResolvers<void>()
    const search = async (asked: Asked) => {
      await reading
      return kept.search(asked)
    }
    await openList({ answers: { 'POST /order/search': search } })
    await boxOf(1).click()
    grid.element().scrollTo({ top: 36 * 995 })
    await see(boxOf(1000))
    reading = late.promise
    await boxOf(1000).click({ modifiers: ['Shift'] })
    await bar.getByRole('button', { name: 'Clear the selection' }).click()
    late.resolve()
    grid.element().scrollTo({ top: 36 * 545 })
    await see(boxOf(550))
    await gone(selectedRows)
  })

  test('all that match are selected as such, and single ones are taken out again', async () => {
    const service = await openList({ where: { status: 'open' } })
    await boxOf(2).click()
    await bar.getByRole('button', { name: 'Select all 6,172' }).click()
    await see(bar.getByText('All 6,172 selected'))
    await boxOf(4).click()
    await see(bar.getByText('6,171 selected'))
    await expect
      .poll(() => service.asked.map(({ body }) => body))
      .toContainEqual(
        expect.objectContaining({
          $where: { $and: [{ status: 'open' }, { id: { $nin: [4] } }] },
          $count: true,
        }),
      )
    await page.getByRole('checkbox', { name: 'Clear the selection' }).click()
    await gone(selectedRows)
    await page.getByRole('checkbox', { name: 'Select all that match' }).click()
    await see(bar.getByText('All 6,172 selected'))
  })

  test('another filter begins with nothing selected; another order keeps what is', async () => {
    await openList()
    await boxOf(2).click()
    await page.getByRole('columnheader', { name: 'Total' }).getByRole('button').first().click()
    await expect.poll(() => addressed('s')).toEqual(['total'])
    // A range does not begin with a row that another order has elsewhere.
    await boxOf(4).click({ modifiers: ['Shift'] })
    await see(bar.getByText('2 selected'))
    await page.getByRole('searchbox', { name: 'Find in this list' }).fill('O-000002')
    await see(page.getByText('1 record', { exact: true }), boxOf(2))
    await gone(selectedRows)
  })

  test('as many records are selected as a search takes, and no more', async () => {
    await openList()
    const refused = bar
      .getByRole('alert')
      .getByText('Only 10,000 records can be selected one by one.')
    await boxOf(1).click()
    await press(grid, '{Control>}{End}{/Control}{Shift>}X{/Shift}')
    await see(refused, bar.getByText('1 selected'))
    grid.element().scrollTo({ top: 36 * 9_995 })
    await see(boxOf(10_001))
    await boxOf(10_000).click({ modifiers: ['Shift'] })
    await see(bar.getByText('10,000 selected'))
    await gone(refused)
    await boxOf(10_001).click()
    await see(refused, bar.getByText('10,000 selected'))
  })

  test('keys alone select, extend and shrink ranges, take all, and clear', async () => {
    await openList()
    // Without Shift it would lead to the heads.
    await press(grid, '{Shift>}{ArrowUp}{/Shift}x')
    await see(bar.getByText('1 selected'))
    await userEvent.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}')
    await see(bar.getByText('3 selected'))
    await userEvent.keyboard('{Shift>}{ArrowUp}{/Shift}')
    await see(bar.getByText('2 selected'))
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}[Space]')
    await see(bar.getByText('3 selected'))
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{Shift>}{ArrowDown}{/Shift}')
    await see(bar.getByText('5 selected'))
    await userEvent.keyboard('{Control>}a{/Control}')
    await see(bar.getByText('All 12,345 selected'))
    await userEvent.keyboard('{Escape}')
    await gone(selectedRows)
    await userEvent.keyboard('x{Shift>}{PageDown}{/Shift}')
    await see(bar.getByText('21 selected'))
    await userEvent.tab()
    await see(bar.getByRole('button', { name: 'Select all 12,345' }))
    await userEvent.keyboard('{Escape}')
    await gone(selectedRows)
    await expect.element(grid).toHaveFocus()
  })

  test.for([
    { width: 320, height: 640, button: 'Actions' },
    { width: 1280, height: 800, button: 'More' },
  ])(
    'the bar covers no row of a page of $width pixels: the last one stands above it',
    async ({ button, ...viewport }) => {
      await openList({ viewport })
      await press(grid, '{Control>}{End}{/Control}')
      await see(boxOf(orderCount))
      await userEvent.keyboard('x')
      await see(bar.getByRole('button', { name: button }))
      const edges = (part: Locator) => part.element().getBoundingClientRect()
      const row = page.getByRole('row', { selected: true })
      await expect.poll(() => edges(row).bottom - edges(bar).top).toBeLessThanOrEqual(1)
    },
  )
})

const cellsOf = (row: ReturnType<typeof page.getByRole>) =>
  row
    .getByRole('cell')
    .elements()
    .map(({ textContent }) => textContent)

describe('the totals of a list', () => {
  const totals = page.getByRole('region', { name: 'Totals' })
  const selected = totals.getByRole('row', { name: 'Selected' })
  const all = totals.getByRole('row', { name: 'All that match' })
  const whole = '123456789012.35'
  const where = { id: { $in: [1, 2, 3, 10] } }
  const removed = { _is_deleted: { $in: [true, false] } }

  test('are those of all that match and of the selection, digit by digit', async () => {
    const sums = ({ $where, $aggregate = {} }: Body) => {
      const [path = ''] = $aggregate.sum ?? []
      const of = (sum: string, avg: string, min: string, max: string, count: number) => {
        const results = Object.entries({ sum, avg, min, max }).map(([name, value]) => [
          name,
          { [path]: value },
        ])
        return { body: { aggregate: { count, ...Object.fromEntries(results) } } }
      }
      if (path === 'quantity') return of('9', '2.25', '1', '3', 4)
      return $where?.id?.$in?.length === 2
        ? of('246913578024.70', whole, whole, whole, 2)
        : of('370370367047.55', '92592591761.8875', '10.50', whole, 4)
    }
    // What was removed counts for both or for neither.
    const service = await openList({ where: { ...where, ...removed }, sums })
    await boxOf(1).click()
    await boxOf(2).click()
    await bar.getByRole('button', { name: 'Totals' }).click()
    await see(selected.getByText('246,913,578,024.70'))
    expect(cellsOf(selected).join(' | ')).toBe(
      '246,913,578,024.70 | 123,456,789,012.35 | 123,456,789,012.35 | 123,456,789,012.35 | 2',
    )
    await see(all.getByText('370,370,367,047.55'))
    expect(cellsOf(all).join(' | ')).toBe(
      '370,370,367,047.55 | 92,592,591,761.89 | 10.50 | 123,456,789,012.35 | 4',
    )
    const $aggregate = { sum: ['total'], avg: ['total'], min: ['total'], max: ['total'] }
    const bodies = service.asked.map(({ body }) => body)
    for (const ids of [where.id.$in, [1, 2]]) {
      const $where = { id: { $in: ids }, ...removed }
      expect(bodies).toContainEqual({ $where, $select: ['id'], $aggregate })
    }
    await totals.getByLabelText('Column').selectOptions('Quantity')
    await see(all.getByText('9', { exact: true }))
  })

  test('are opened and closed by keys, also by a role that may only read', async () => {
    const sums = () => ({ body: { aggregate: { count: orderCount } } })
    await openList({ role: 'reader', sums })
    await press(bar.getByRole('button', { name: 'Totals' }), '{Enter}')
    await see(all.getByText('12,345'))
    await userEvent.keyboard('{Enter}')
    await gone(totals)
  })

  test('what the service refuses is said', async () => {
    const refused = problem(400, 'criteria.invalid', 'Too much to add up.')
    await openList({ sums: ({ $aggregate }) => ($aggregate ? refused : undefined) })
    await bar.getByRole('button', { name: 'Totals' }).click()
    await see(page.getByRole('alert').getByText('Too much to add up.'))
  })
})

describe('the groups of a list', () => {
  const groupedBy =
    (column: string, groups: readonly object[]) =>
    ({ $group }: Body) =>
      $group?.[0] === column ? { body: { groups, groupsAreComplete: true } } : undefined
  const menuOf = (name: string) => button(`Menu of the column ${name}`)

  test('are counted and added up, and a click on one filters the list', async () => {
    const groups = [
      { key: { status: 'open' }, count: 999, sum: { total: '1001497.50' } },
      { key: { status: 'paid' }, count: 998, sum: { total: '5.00' } },
    ]
    const sums = groupedBy('status', groups)
    const where = { id: { $gt: 3 } }
    const service = await openList({ where, sums })
    await menuOf('Status').click()
    await page.getByRole('menuitem', { name: 'Group by this column …' }).click()
    const dialog = dialogOf('Grouped by Status')
    const row = dialog.getByRole('row', { name: 'open' })
    await see(row)
    expect(cellsOf(row).slice(0, 2)).toEqual(['999', '1,001,497.50'])
    await expect
      .poll(() => service.asked.map(({ body }) => body))
      .toContainEqual({
        $where: where,
        $select: ['id'],
        $group: ['status'],
        $aggregate: { sum: ['total'] },
      })
    await dialog.getByRole('button', { name: 'Show only: open' }).click()
    const filter = { id: { $gt: 3 }, status: { $eq: 'open' } }
    await expect.poll(() => addressed('w')).toEqual(filter)
    await expect
      .poll(() => service.asked.map(({ body }) => (body as Body | undefined)?.$where))
      .toContainEqual(filter)
  })

  test('by keys alone, and records behind a link are told apart', async () => {
    const groups = [1, 2].map((id) => ({
      key: { customer_id: id, 'customer.name': 'Customer 1' },
      count: 100,
      sum: { total: '1.00' },
    }))
    const sums = groupedBy('customer_id', groups)
    await openList({ sums })
    await press(menuOf('Customer'), '{Enter}')
    const item = (name: string) => page.getByRole('menuitem', { name })
    await expect.element(item('Sort ascending')).toHaveFocus()
    // "Do not sort" is disabled where nothing is sorted, so the keys pass over it.
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}')
    await expect.element(item('Group by this column …')).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    const dialog = dialogOf('Grouped by Customer')
    const same = dialog.getByRole('button', { name: 'Show only: Customer 1', exact: true })
    await expect.poll(() => same.elements().length).toBe(2)
    await press(same.last(), '{Enter}')
    await expect.poll(() => addressed('w')).toEqual({ customer_id: { $eq: 2 } })
  })
})
