/** Editing in the cells of a list: by mouse and by keys, against others, taken back, and by roles that may do less. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { keepDraft, readDraft } from '../../console/api/own/drafts.ts'
import { printDraft } from '../../console/features/grid/cell-drafts.ts'
import { problem } from './support/answers.ts'
import { actionsAnswer, finds, foundOf } from './support/given.ts'
import { type Opening, press } from './support/open-console.tsx'
import { numberOf, openKept, orderList, ordersUpTo } from './support/orders.ts'
import { button, option } from './support/parts.ts'
import { gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const columns = [
  ...['number', 'customer.name', 'customer.city', 'total'],
  ...['status', 'ordered_on', 'sent_at', 'quantity', 'notes'],
]
const customers = ['Adria Metal', 'Bode & Söhne'].map((name, at) => ({
  id: at + 1,
  name,
  city: `City of ${name}`,
}))
const grid = page.getByRole('grid')
const status = page.getByRole('status')

/** Orders with one digit, of the first customer, open. */
const orders = ordersUpTo(3).map((order) => ({ ...order, customer_id: 1, status: 'open' }))

const searchCustomers = {
  'GET /api/search': finds(foundOf('customer', 2, 'Bode & Söhne', 'name')),
}

const openList = async (options: Opening = {}, where?: object, shown = columns) => {
  const search = { c: shown, s: ['number'], ...(where && { w: where }) }
  const { kept, service } = await openKept(orderList(search), orders, {
    records: { customer: customers },
    // The hint has a test of its own.
    settings: { 'known.cells': true },
    ...options,
  })
  await see(page.getByRole('gridcell', { name: numberOf(1), exact: true }))
  return { service, kept, changes: (id: number) => sent(service, `PATCH /order/${id}`) }
}

const cell = (row: number, column: string) =>
  page
    .getByRole('row')
    .nth(row)
    .getByRole('gridcell')
    .nth(columns.indexOf(column) + 1)

const editor = (row: number, label: string) => page.getByLabelText(`${label} of ${numberOf(row)}`)

/** Opens the editor of a cell as the mouse does. */
const edit = async (row: number, column: string, label: string) => {
  // Next to the text, which leads to a record in some columns.
  const beside = async () => {
    await shows(1, 'number', numberOf(1))
    const { width } = cell(row, column).element().getBoundingClientRect()
    return { position: { x: width - 6, y: 12 } }
  }
  await cell(row, column).dblClick(column === 'customer.name' ? await beside() : {})
  await see(editor(row, label))
  return editor(row, label)
}

const enter = async (row: number, column: string, label: string, text: string) => {
  await (await edit(row, column, label)).fill(text)
  await userEvent.keyboard('{Enter}')
}

const shows = (row: number, column: string, text: string) =>
  see(cell(row, column).getByText(text, { exact: true }).first())

describe('editing in a list', () => {
  test('a double click opens a cell, Enter saves it, and the list keeps the focus', async () => {
    const { service, changes } = await openList()
    const input = await edit(1, 'ordered_on', 'Ordered on')
    await input.fill('2026-12-24')
    await userEvent.keyboard('{Enter}')
    await shows(1, 'ordered_on', '24 Dec 2026')
    await expect.element(grid).toHaveFocus()
    await expect.poll(() => changes(1)).toEqual([{ ordered_on: '2026-12-24' }])
    const written = service.asked.find(({ method }) => method === 'PATCH')
    expect(written?.headers.get('If-Match')).toBe('"1"')
  })

  test('by keys alone: F2 opens, Tab saves and opens the next one, Shift+Tab the one before, over rows too', async () => {
    const { changes } = await openList()
    await press(grid, '{End}{ArrowLeft}{F2}')
    await expect.element(editor(1, 'Quantity')).toHaveFocus()
    await userEvent.keyboard('41')
    await userEvent.tab()
    await expect.element(editor(1, 'Notes')).toHaveFocus()
    await userEvent.tab()
    await expect.element(editor(2, 'Number')).toHaveFocus()
    // The city belongs to the customer, so it is left out.
    await userEvent.tab()
    await userEvent.tab()
    await expect.element(editor(2, 'Total')).toHaveFocus()
    await userEvent.keyboard('77.10')
    await userEvent.tab({ shift: true })
    await expect.element(editor(2, 'Customer')).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await shows(2, 'total', '77.10')
    await expect.poll(() => changes(1)).toEqual([{ quantity: 41 }])
    await expect.poll(() => changes(2)).toEqual([{ total: '77.10' }])
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => location.pathname).toBe('/console/order/2')
  })

  test('Escape takes back what was typed, and an unchanged value is not sent', async () => {
    const { service } = await openList()
    await (await edit(1, 'total', 'Total')).fill('9999')
    await userEvent.keyboard('{Escape}')
    await shows(1, 'total', '1.50')
    await press(await edit(1, 'total', 'Total'), '{Enter}')
    await expect.element(grid).toHaveFocus()
    expect(service.asked.filter(({ method }) => method === 'PATCH')).toEqual([])
  })

  test('a link is chosen by words, and everything behind it follows; it is taken back at once', async () => {
    const { service, changes } = await openList({ answers: searchCustomers })
    await (await edit(2, 'customer.name', 'Customer')).fill('söhne')
    await see(option('Bode & Söhne'))
    const found = service.asked.findLast(({ path }) => path === '/api/search')
    expect([found?.query.get('q'), found?.query.get('entity')]).toEqual(['söhne', 'customer'])
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('{Enter}')
    await shows(2, 'customer.name', 'Bode & Söhne')
    await shows(2, 'customer.city', 'City of Bode & Söhne')
    await expect.poll(() => changes(2)).toEqual([{ customer_id: 2 }])
    await button('Undo').click()
    await shows(2, 'customer.name', 'Adria Metal')
    await see(status.getByText('Undone:'))
    await expect.poll(() => changes(2)).toEqual([{ customer_id: 2 }, { customer_id: 1 }])
  })

  test('words that name no record are not lost: the cell stays open and says what to do', async () => {
    const { changes } = await openList({ answers: { 'GET /api/search': finds() } })
    const input = await edit(1, 'customer.name', 'Customer')
    await input.fill('Nobody of this name')
    await userEvent.tab()
    await see(page.getByRole('alert').getByText('Choose an entry from the list.'))
    await expect.element(input).toHaveValue('Nobody of this name')
    await press(input, '{Escape}')
    await gone(input)
    expect(changes(1)).toEqual([])
  })

  test('a click elsewhere saves too', async () => {
    const { changes } = await openList()
    await (await edit(1, 'status', 'Status')).selectOptions('paid')
    await cell(3, 'quantity').click()
    await shows(1, 'status', 'Paid')
    await expect.poll(() => changes(1)).toEqual([{ status: 'paid' }])
  })

  test('what the service refuses is taken back with its reason, and what was typed is kept', async () => {
    const message = 'The year is closed.'
    const errors = [{ path: 'total', message }]
    const refused = problem(422, 'record.invalid', 'It breaks the rules.', { errors })
    const { service, kept, changes } = await openList({ answers: { 'PATCH /order/1': refused } })
    await enter(1, 'total', 'Total', '123456789012')
    await see(page.getByText(message).last())
    await shows(1, 'total', '1.50')
    await see(status.getByText(`Total of ${numberOf(1)}: Not saved.`))
    await userEvent.keyboard('{F2}')
    const again = editor(1, 'Total')
    await expect.element(again).toHaveValue('123456789012')
    service.answer(kept.answers)
    await again.fill('12.34')
    await userEvent.keyboard('{Enter}')
    await shows(1, 'total', '12.34')
    await gone(page.getByText('Not saved.', { exact: true }))
    await expect.poll(() => changes(1)).toEqual([{ total: '123456789012' }, { total: '12.34' }])
  })

  test('what was typed stays kept while the list is opened without its column', async () => {
    const keptPaths = async () => {
      const values = (await readDraft(1, 'order cells'))?.values ?? []
      return values.map(([, kept]) => (kept as { path: string }).path)
    }
    const typed = { path: 'notes', base: null, mine: 'Ring twice' }
    const notes = { id: 1, version: 1, name: numberOf(1), ...typed }
    await keepDraft(1, 'order cells', printDraft([['1 notes', notes]]))
    const answers = { 'PATCH /order/1': problem(422, 'record.invalid', 'It breaks the rules.') }
    await openList({ answers }, undefined, columns.slice(0, -1))
    await enter(1, 'quantity', 'Quantity', '8')
    await expect.poll(keptPaths).toEqual(['notes', 'quantity'])
  })

  test('a change that the service could not take is sent again', async () => {
    const away = () => {
      throw new TypeError('Nobody answers.')
    }
    const { service, kept } = await openList({ answers: { 'PATCH /order/1': away } })
    await enter(1, 'quantity', 'Quantity', '8')
    await see(page.getByText('Not saved.', { exact: true }))
    expect(kept.rowOf(1).quantity).toBe(1)
    service.answer(kept.answers)
    await button('Try again').click()
    await shows(1, 'quantity', '8')
    await expect.poll(() => kept.rowOf(1).quantity).toBe(8)
  })
})

describe('editing what others edit too', () => {
  test('a change of another field by another user is kept, and nobody is asked', async () => {
    const { kept } = await openList()
    const input = await edit(1, 'quantity', 'Quantity')
    kept.write(1, { total: '500.00' })
    await input.fill('5')
    await userEvent.keyboard('{Enter}')
    await shows(1, 'total', '500.00')
    await expect.poll(() => kept.rowOf(1)).toMatchObject({ quantity: 5, total: '500.00' })
  })

  test.for([
    { choice: 'Save mine', expected: '7.00' },
    { choice: 'Keep theirs', expected: '500.00' },
  ])('the same field: both values are shown, and the user decides: $choice', async (one) => {
    const { kept } = await openList()
    const input = await edit(1, 'total', 'Total')
    kept.write(1, { total: '500.00' })
    await input.fill('7.00')
    await userEvent.keyboard('{Enter}')
    await see(page.getByText('Another user has saved a different value.').first())
    await shows(1, 'total', '500.00')
    expect(kept.rowOf(1).total).toBe('500.00')
    expect(await findViolations()).toEqual([])
    // The keys decide too: the cell opens the choice.
    await userEvent.keyboard('{F2}')
    await expect.element(button('Keep theirs')).toHaveFocus()
    await press(button(one.choice), '{Enter}')
    await shows(1, 'total', one.expected)
    await expect.poll(() => kept.rowOf(1).total).toBe(one.expected)
    await gone(button(one.choice))
  })

  test('a row that no longer matches the filter stays in its place and says so', async () => {
    const { service } = await openList({}, { status: 'open' })
    await see(page.getByText('3 records'))
    await (await edit(2, 'status', 'Status')).selectOptions('paid')
    await userEvent.keyboard('{Enter}')
    await see(page.getByRole('row').nth(2).getByText('no longer matches'))
    await see(page.getByText('2 records'))
    await shows(3, 'number', numberOf(3))
    const $where = { $and: [{ status: 'open' }, { id: { $in: [2] } }] }
    await expect
      .poll(() => service.asked.map(({ body }) => body))
      .toContainEqual(expect.objectContaining({ $where }))
  })
})

describe('who may edit in a list', () => {
  const isRefused = async (row: number, column: string, label: string) => {
    await cell(row, column).dblClick()
    await see(status.getByText(`${label} cannot be changed here.`))
    await gone(page.getByLabelText(`${label} of`))
  }

  test('a role that may not change records gets no editor, and asks for nothing', async () => {
    const { service } = await openList({ role: 'reader' })
    await expect.element(cell(1, 'total')).toHaveAttribute('aria-readonly', 'true')
    await isRefused(1, 'total', 'Total')
    expect(service.asked.filter(({ path }) => path.endsWith('/actions'))).toEqual([])
  })

  test('a role that may change its own records gets an editor for those alone', async () => {
    const answers = {
      'GET /order/1/actions': actionsAnswer({}),
      'GET /order/3/actions': actionsAnswer({ may: { update: true } }),
    }
    const { changes } = await openList({ role: 'clerk', answers })
    await isRefused(1, 'total', 'Total')
    await enter(3, 'total', 'Total', '44.00')
    await shows(3, 'total', '44.00')
    await expect.poll(() => changes(3)).toEqual([{ total: '44.00' }])
    expect(changes(1)).toEqual([])
  })

  test('what belongs to other records is read only', async () => {
    await openList()
    await expect.element(cell(1, 'customer.city')).toHaveAttribute('aria-readonly', 'true')
    await expect.element(cell(1, 'customer.name')).toHaveAttribute('aria-readonly', 'false')
    await isRefused(1, 'customer.city', 'Customer › City')
  })
})

describe('a saved cell', () => {
  /** Changes the quantity of the third order by keys alone. */
  const changeQuantity = async (from: string, to: string) => {
    await cell(3, 'quantity').click()
    await shows(3, 'quantity', from)
    await userEvent.keyboard('{F2}')
    await editor(3, 'Quantity').fill(to)
    await userEvent.keyboard('{Enter}')
    await see(status.getByText(`Saved: Quantity of ${numberOf(3)}`))
    // What the pointer is over stays.
    await button('Undo').hover()
  }

  test('is said, and taken back by mouse as by key; then it is not offered again', async () => {
    const { kept } = await openList()
    await changeQuantity('3', '8')
    expect(kept.rowOf(3).quantity).toBe(8)
    // The active cell shows the focus, not the whole list.
    expect(grid.element().matches(':focus-visible')).toBe(true)
    expect(getComputedStyle(grid.element()).outlineStyle).toBe('none')
    const { bottom } = grid.element().getBoundingClientRect()
    const { top } = button('Undo').element().getBoundingClientRect()
    expect(top, 'no row is covered').toBeGreaterThanOrEqual(bottom)
    expect(await findViolations()).toEqual([])
    await button('Undo').click()
    await see(status.getByText(`Undone: Quantity of ${numberOf(3)}`))
    expect(kept.rowOf(3).quantity).toBe(3)
    await gone(button('Undo'))
    await expect.element(grid).toHaveFocus()
    await changeQuantity('3', '9')
    await press(grid, 'z')
    await shows(3, 'quantity', '3')
    await see(status.getByText(`Undone: Quantity of ${numberOf(3)}`))
    expect(kept.rowOf(3).quantity).toBe(3)
  })

  test('what another user has saved since is not overwritten: the user decides', async () => {
    const { kept } = await openList()
    await changeQuantity('3', '8')
    kept.write(3, { quantity: 20 })
    await button('Undo').click()
    await see(page.getByText('Another user has saved a different value.').first())
    expect(kept.rowOf(3).quantity).toBe(20)
  })
})

describe('the hint that cells can be edited', () => {
  const hint = page.getByText('A double click, or F2, edits a cell.')
  const hintBox = () => document.querySelector('.editing-hint')
  /** The user moves the pointer. */
  const use = async () => {
    await page.getByRole('gridcell').nth(2).hover()
    await page.getByRole('gridcell').nth(3).hover()
  }
  /** What is loaded when a page is used has come, and the hint is not among it. */
  const hasNoHint = async () => {
    await use()
    await userEvent.keyboard('{Control>}k{/Control}')
    await see(page.getByRole('dialog'))
    await userEvent.keyboard('{Escape}')
    expect(hintBox()).toBe(null)
  }
  const settings = {}
  const known = 'PATCH /console/-/settings.json'

  test('comes with the first use of a list, and is closed for ever by keys', async () => {
    const { service } = await openList({ settings })
    const before = grid.element().getBoundingClientRect()
    expect(hintBox()).toBe(null)
    await use()
    await see(hint)
    expect(grid.element().getBoundingClientRect(), 'no row moves').toEqual(before)
    expect(await findViolations()).toEqual([])
    await press(button('Do not show again'), '{Enter}')
    await gone(hint)
    await expect.element(grid).toHaveFocus()
    await wrote(service, known, { 'known.cells': true })
  })

  test('goes for ever with the first cell that is edited', async () => {
    const { service } = await openList({ settings })
    await use()
    await see(hint)
    await enter(3, 'quantity', 'Quantity', '4')
    await gone(hint)
    await wrote(service, known, { 'known.cells': true })
  })

  test.for([
    ['knows it', {}],
    ['changes nothing', { settings, role: 'reader' }],
    ['has a phone', { settings, viewport: { width: 390, height: 800 } }],
  ] as const)('is not shown to a user who %s', async ([, options]) => {
    const known = { 'known.cells': true }
    await openKept('/order', orders, { settings: known, ...options })
    await see(page.getByText(numberOf(1), { exact: true }).first())
    await hasNoHint()
  })
})
