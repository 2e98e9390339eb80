/** A list of many rows, which is higher than the highest element of any browser. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { currentShortcuts } from '../../console/features/session/shortcuts.ts'
import { type Answer, problem } from './support/answers.ts'
import { openConsole, press, say } from './support/open-console.tsx'
import { ordersProject } from './support/orders.ts'
import { dialogOf, heading } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

// At 36 pixels each they are higher than the 16 million that a browser is asked for.
const rows = 600_000
const rowHeight = 36

const customerOf = (id: number) => ({
  id,
  name: `C-${id}`,
  city: null,
  _is_deleted: false,
  _version: 1,
  _created_by: 1,
  _created_at: '2026-01-01T00:00:00.000Z',
  _updated_by: 1,
  _updated_at: '2026-01-01T00:00:00.000Z',
})

type Search = { readonly $after?: string | null; readonly $before?: string | null }

/** A page of the customers; a cursor is the number of rows before it. */
const search: Answer = ({ body, query }) => {
  const { $after, $before } = body as Search
  const limit = Number(query.get('limit') ?? 20)
  const skipped = (Number(query.get('page') ?? 1) - 1) * limit
  const end = $before === undefined ? undefined : Number($before ?? rows) - skipped
  const from = end === undefined ? Number($after ?? 0) + skipped : Math.max(end - limit, 0)
  const to = Math.min(end ?? from + limit, rows)
  const data = Array.from({ length: to - from }, (_, at) => customerOf(from + at + 1))
  const next = to < rows ? String(to) : null
  return { body: { data, next, previous: from > 0 ? String(from) : null, total: rows } }
}

const grid = page.getByRole('grid')

/** The number of the first whole row under the heads. */
const firstRow = (): number => {
  const edge = document.querySelector('.grid-head')?.getBoundingClientRect().bottom ?? 0
  const [first] = [...document.querySelectorAll('.grid-row')]
    .map((row) => ({ row, top: row.getBoundingClientRect().top }))
    .filter(({ top }) => top >= edge - 1)
    .toSorted((one, other) => one.top - other.top)
  return Number(first?.row.getAttribute('aria-rowindex')) - 1
}

const isFirst = (row: number) => expect.poll(firstRow).toBe(row)
const isListed = (row: number) => see(page.getByRole('gridcell', { name: `C-${row}`, exact: true }))

/** Scrolls by so many rows, as a wheel does: a step is told before the next one. */
const scrollBy = async (count: number) => {
  grid.element().scrollBy(0, count * rowHeight)
  await new Promise(requestAnimationFrame)
}

const open = async (answer = search) => {
  await openConsole('/customer?s=["id"]', {
    project: ordersProject,
    records: { customer: [customerOf(412_345)] },
    answers: { 'POST /customer/search': answer },
  })
  await isListed(1)
}

test('near steps move as many rows as they say, wherever the scroll bar was dragged to, also at both ends', async () => {
  await open()
  await see(page.getByText('600,000 records'))
  for (const share of [0.5, 0.01, 0.99]) {
    const { scrollHeight, clientHeight } = grid.element()
    const top = Math.round((share * (scrollHeight - clientHeight)) / rowHeight) * rowHeight
    grid.element().scrollTop = top
    await expect.poll(() => Math.abs(firstRow() - share * rows)).toBeLessThan(150)
    const first = firstRow()
    await scrollBy(10)
    await isFirst(first + 10)
    await scrollBy(-20)
    await isFirst(first - 10)
    await isListed(first - 10)
  }
  await press(grid, '{Control>}{End}{/Control}')
  await isListed(rows)
  const last = firstRow()
  await scrollBy(-60)
  await isFirst(last - 60)
  for (let count = 0; count < 3; count += 1) await scrollBy(30)
  await isFirst(last)
  await press(grid, '{Control>}{Home}{/Control}')
  await isListed(1)
  await scrollBy(60)
  await isFirst(61)
  for (let count = 0; count < 3; count += 1) await scrollBy(-30)
  await isFirst(1)
})

test('a row is gone to by its number, which is one of the list; the focus comes back to the list, and Enter opens the record', async () => {
  await open()
  await see(page.getByText('600,000 records'))
  await isListed(1)
  // They are loaded after the rows.
  await expect.poll(() => currentShortcuts().map(({ keys }) => keys)).toContain('Ctrl+g')
  const dialog = dialogOf('Go to a row')
  const number = dialog.getByLabelText('Row, 1 to 600000')
  await press(grid, '{ArrowDown}{Control>}g{/Control}')
  await expect.element(number).toHaveFocus()
  await expect.element(number).toHaveValue(2)
  expect(await findViolations()).toEqual([])
  // What is typed takes the place of the row where one is.
  for (const none of ['600001', '0', '1.5', '']) {
    await userEvent.keyboard(`{Control>}a{/Control}{Delete}${none}{Enter}`)
    await expect.element(number).toBeInvalid()
  }
  await press(number, '{Escape}')
  await gone(dialog)
  await expect.element(grid).toHaveFocus()
  await isFirst(1)
  await userEvent.keyboard('{Control>}g{/Control}')
  await expect.element(number).toHaveFocus()
  await userEvent.keyboard('412345{Enter}')
  await gone(dialog)
  await isListed(412_345)
  await expect.element(grid).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await see(heading('C-412345'))
})

test('rows that no cursor holds are read by their number', async () => {
  const tooLong = problem(400, 'criteria.invalid', 'No cursor holds that.')
  await open((asked, usual) => {
    const { $after, $before } = asked.body as Search
    return ($after ?? $before) ? tooLong : search(asked, usual)
  })
  await see(page.getByText('600,000 records'))
  for (let count = 0; count < 3; count += 1) await scrollBy(50)
  await isFirst(151)
  await isListed(151)
})

test('rows that are far away are read from the end, also where the rows are counted again meanwhile', async () => {
  const counting = Promise.withResolvers<void>()
  const asked: object[] = []
  const counts: object[] = []
  await open(async (question, usual) => {
    const { $count, $after, $before } = question.body as Search & { readonly $count?: boolean }
    if (!$count && question.query.get('limit') === '100') asked.push({ $after, $before })
    if ($count && counts.push(question) > 1) await counting.promise
    return search(question, usual)
  })
  await see(page.getByText('600,000 records'))
  await say('customer', 'record', { entity: 'customer', id: 7, version: 2, by: 2 })
  await expect.poll(() => counts).toHaveLength(2)
  asked.length = 0
  grid.element().scrollTop = grid.element().scrollHeight * 0.9
  await expect.poll(firstRow).toBeGreaterThan(500_000)
  counting.resolve()
  await expect.poll(() => asked[0]).toEqual({ $after: undefined, $before: null })
})
