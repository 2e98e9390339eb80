/** Inputs of days and moments: typed, stepped through by keys, chosen in a calendar; the browser's language is not the page's. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import { addressed, type Opening, openConsole, press } from './support/open-console.tsx'
import { adria } from './support/orders.ts'
import { button, dialogOf, tab } from './support/parts.ts'
import { focus, gone, input, save, see, sent, unsaved, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const order = {
  id: 1,
  number: 'D-1',
  customer_id: 1,
  ordered_on: '2026-05-04',
  sent_at: '2026-05-04T08:30:00.000Z',
}

type OrderOpening = Opening & {
  readonly path?: string
  readonly language?: string
  readonly values?: object
}

const open = ({ path = '/order/1', language = 'en', values, ...options }: OrderOpening = {}) =>
  openConsole(path, {
    project: orderProject,
    records: { order: [{ ...order, ...values }], customer: adria },
    locale: 'de-DE',
    settings: { language },
    ...options,
  })

const day = page.getByLabelText(/^(Ordered on|Sent at)$/).first()
const grid = (name: string) => page.getByRole('grid', { name })
const saved = 'PATCH /order/1'
/** Where the project is. */
const today = () => new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Zagreb' })

describe('the input of a day', () => {
  const year = new Date().getFullYear()

  test.for([
    ['en', 'May 4, 2026', '6/5/26', 'Jun 5, 2026', '2026-06-05'],
    ['hr', '4. svi 2026.', '5.6.', `5. lip ${year}.`, `${year}-06-05`],
  ] as const)('reads and shows it in the language of the page: %s', async (row) => {
    const [language, shown, typed, read, ordered_on] = row
    const service = await open({ language })
    await expect.element(day).toHaveValue(shown)
    await day.fill(typed)
    await userEvent.tab()
    await expect.element(day).toHaveValue(read)
    await userEvent.keyboard('{Control>}s{/Control}')
    await wrote(service, saved, { ordered_on })
  })

  test('says what it cannot read, and sends nothing', async () => {
    const service = await open()
    await day.fill('31/4/2026')
    await userEvent.tab()
    await expect.element(day).toHaveValue('31/4/2026')
    await userEvent.keyboard('{Control>}s{/Control}')
    await see(page.getByText('Enter a day, such as May 24, 2026.'))
    expect(sent(service, saved)).toEqual([])
    await day.fill('')
    await save()
    await wrote(service, saved, { ordered_on: null })
  })

  test('is changed by the arrow keys in the part in which the caret is', async () => {
    const service = await open()
    const caretAt = (at: number) => (day.element() as HTMLInputElement).setSelectionRange(at, at)
    await press(day, '{ArrowUp}')
    await expect.element(day).toHaveValue('May 5, 2026')
    caretAt(1)
    await userEvent.keyboard('{ArrowUp}{ArrowUp}')
    await expect.element(day).toHaveValue('Jul 5, 2026')
    caretAt(10)
    await userEvent.keyboard('{ArrowDown}')
    await expect.element(day).toHaveValue('Jul 5, 2025')
    await save()
    await wrote(service, saved, { ordered_on: '2025-07-05' })
  })

  test('that is empty begins with today by an arrow key; what is no day, and the last year, stay', async () => {
    const service = await open({ values: { ordered_on: null } })
    const earliest = today()
    await press(day, '{ArrowUp}')
    await see(unsaved())
    await save()
    const [change] = sent(service, saved) as [{ ordered_on: string }]
    expect([earliest, today()]).toContain(change.ordered_on)
    for (const [typed, shown] of [
      ['somewhen', 'somewhen'],
      ['31 Dec 9999', 'Dec 31, 9999'],
    ] as const) {
      await day.fill(typed)
      await userEvent.tab()
      await press(day, '{ArrowUp}')
      await expect.element(day).toHaveValue(shown)
    }
    await userEvent.keyboard('{ArrowDown}')
    await expect.element(day).toHaveValue('Dec 30, 9999')
  })
})

describe('the calendar of a day', () => {
  test('is opened, moved through and left by keys', async () => {
    const service = await open()
    await press(day, '{Alt>}{ArrowDown}{/Alt}')
    await see(grid('May 2026'))
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('{ArrowDown}{ArrowRight}{PageDown}')
    await see(grid('June 2026'))
    await expect.element(day).toHaveValue('May 4, 2026')
    await userEvent.keyboard('{Escape}')
    await gone(page.getByRole('grid'))
    await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}')
    await see(grid('May 2026'))
    await userEvent.keyboard('{ArrowLeft}{Enter}')
    await expect.element(day).toHaveValue('May 3, 2026')
    await expect.element(day).toHaveFocus()
    await save()
    await wrote(service, saved, { ordered_on: '2026-05-03' })
  })

  test('takes the day that is clicked', async () => {
    const service = await open()
    await button('Calendar').first().click()
    await button('Next month').click()
    await expect.element(day).toHaveAttribute('inputmode', 'none')
    await button('Next month').click()
    await see(grid('July 2026'))
    await button('Friday, July 17, 2026').click()
    await gone(page.getByRole('grid'))
    await expect.element(day).toHaveValue('Jul 17, 2026')
    await expect.element(day).not.toHaveAttribute('inputmode')
    await save()
    await wrote(service, saved, { ordered_on: '2026-07-17' })
  })

  test('goes where its keys, or what is typed meanwhile, lead, and is closed by its button', async () => {
    const service = await open()
    const active = () => document.querySelector('[data-active]')?.getAttribute('aria-label')
    await press(day, '{Alt>}{ArrowDown}{/Alt}')
    for (const [keys, at] of [
      ['{ArrowUp}', 'Monday, April 27, 2026'],
      ['{ArrowLeft}', 'Sunday, April 26, 2026'],
      ['{PageUp}', 'Thursday, March 26, 2026'],
      ['{PageUp}', 'Thursday, February 26, 2026'],
    ] as const) {
      await userEvent.keyboard(keys)
      await expect.poll(active).toBe(at)
    }
    await expect.element(day).toHaveValue('May 4, 2026')
    await day.fill('8/31/26')
    await see(grid('August 2026'))
    await userEvent.keyboard('{PageDown}')
    await expect.poll(active).toBe('Wednesday, September 30, 2026')
    const id = day.element().getAttribute('aria-activedescendant') ?? ''
    expect(document.getElementById(id)?.textContent).toBe('30')
    await button('Calendar').first().click()
    await gone(page.getByRole('grid'))
    await expect.element(day).toHaveFocus()
    await expect.element(day).toHaveAttribute('aria-expanded', 'false')
    await save()
    await wrote(service, saved, { ordered_on: '2026-08-31' })
  })

  test('of an empty moment begins with this day, whose button takes its midnight', async () => {
    const service = await open({ values: { sent_at: null } })
    const earliest = today()
    await press(input('Sent at'), '{Alt>}{ArrowDown}{/Alt}')
    await button('Today').last().click()
    await gone(page.getByRole('grid'))
    await save()
    const [change] = sent(service, saved) as [{ sent_at: string }]
    const local = new Date(change.sent_at).toLocaleString('sv-SE', { timeZone: 'Europe/Zagreb' })
    expect([earliest, today()].map((one) => `${one} 00:00:00`)).toContain(local)
  })

  test('begins its weeks as the region of the user does, and leaves the time of a moment', async () => {
    const service = await open({ locale: 'en-GB' })
    const sentAt = input('Sent at')
    await expect.element(sentAt).toHaveValue('4 May 2026, 10:30')
    await press(sentAt, '{Alt>}{ArrowDown}{/Alt}')
    await expect.element(page.getByRole('columnheader').first()).toHaveTextContent('Mon')
    await userEvent.keyboard('{ArrowRight}{Enter}')
    await expect.element(sentAt).toHaveValue('5 May 2026, 10:30')
    await save()
    await wrote(service, saved, { sent_at: '2026-05-05T08:30:00.000Z' })
  })

  test('begins its weeks with the day that the project names', async () => {
    const settings = { ...orderProject['docket.json'], firstDayOfWeek: 'saturday' }
    await open({ locale: 'en-GB', project: { ...orderProject, 'docket.json': settings } })
    await press(input('Sent at'), '{Alt>}{ArrowDown}{/Alt}')
    await expect.element(page.getByRole('columnheader').first()).toHaveTextContent('Sat')
  })
})

describe('a day in a list', () => {
  const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })
  const openCell = async () => {
    const service = await open({ path: '/order' })
    await cell('May 4, 2026').dblClick()
    await expect.element(page.getByLabelText('Ordered on of D-1')).toHaveFocus()
    return service
  }

  test('is typed into its cell, where what is no day stays, and says so', async () => {
    const service = await openCell()
    await userEvent.keyboard('99/99/99{Enter}')
    await see(page.getByRole('alert').getByText('Enter a day, such as May 24, 2026.'))
    await userEvent.keyboard('{Escape}')
    await see(cell('May 4, 2026'))
    expect(sent(service, saved)).toEqual([])
    await cell('May 4, 2026').dblClick()
    await expect.element(page.getByLabelText('Ordered on of D-1')).toHaveFocus()
    await userEvent.keyboard('7/8/26{Enter}')
    await see(cell('Jul 8, 2026'))
    await wrote(service, saved, { ordered_on: '2026-07-08' })
  })

  test('is chosen in a calendar over the list', async () => {
    const service = await openCell()
    await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}')
    await see(grid('May 2026'))
    expect(await findViolations()).toEqual([])
    await button('Wednesday, May 20, 2026').click()
    await userEvent.keyboard('{Enter}')
    await see(cell('May 20, 2026'))
    await wrote(service, saved, { ordered_on: '2026-05-20' })
  })
})

describe('what is no day or moment', () => {
  test('creates no task', async () => {
    const created = { id: 5, key: 'order_task', entity_id: 1, _version: 1 }
    const service = await open({
      answers: {
        'POST /order/1/task': { status: 201, body: created },
        'GET /api/people': { body: { data: [] } },
      },
    })
    await tab('Tasks').click()
    await button('Create a task').click()
    const form = dialogOf('Create a task')
    await form.getByLabelText('What to do').fill('Call Adria')
    const due = form.getByLabelText('Due')
    for (const text of ['31/4/2026 10:30', '5', '5/4/2026 25:00']) {
      await due.fill(text)
      await form.getByRole('button', { name: 'Create a task' }).click()
      const { validationMessage } = due.element() as HTMLInputElement
      expect(validationMessage).toMatch(/^Enter a day and a time, such as May 24, 2026/)
    }
    expect(sent(service, 'POST /order/1/task')).toEqual([])
    await due.fill('5/4/2031 10:30 am')
    await form.getByRole('button', { name: 'Create a task' }).click()
    await gone(form)
    await expect
      .poll(() => sent(service, 'POST /order/1/task'))
      .toMatchObject([{ due_date: '2031-05-04T08:30:00.000Z' }])
  })

  test('is no filter', async () => {
    await open({ path: '/order' })
    await button('Add a filter').click()
    const form = page.getByRole('dialog')
    await form.getByRole('combobox', { name: 'Field' }).fill('Ordered on')
    await form.getByRole('option', { name: 'Ordered on' }).first().click()
    await form.getByLabelText('Value').fill('31/4/2026')
    await form.getByRole('button', { name: 'Apply' }).click()
    await see(form.getByText('Enter a day, such as May 24, 2026.'))
    expect(addressed('w')).toBe(null)
  })
})

describe('a moment', () => {
  test('is changed by the arrow keys in its hour, its minute and its half of the day', async () => {
    const service = await open()
    const sentAt = input('Sent at')
    await expect.element(sentAt).toHaveValue('May 4, 2026, 10:30 AM')
    const steps = [
      [13, '{ArrowUp}', 'May 4, 2026, 11:30 AM'],
      [16, '{ArrowDown}', 'May 4, 2026, 11:29 AM'],
      [19, '{ArrowUp}', 'May 4, 2026, 11:29 PM'],
      // The caret goes on with its part, and the day follows its hour.
      [13, '{ArrowUp}{ArrowUp}', 'May 5, 2026, 1:29 AM'],
    ] as const
    await focus(sentAt)
    for (const [at, keys, shown] of steps) {
      ;(sentAt.element() as HTMLInputElement).setSelectionRange(at, at)
      await userEvent.keyboard(keys)
      await expect.element(sentAt).toHaveValue(shown)
    }
    await save()
    await wrote(service, saved, { sent_at: '2026-05-04T23:29:00.000Z' })
  })

  test.each([
    ['2026-05-04T08:30:00.000Z', '10:30'],
    ['2026-05-04T08:30:15.000Z', '10:30:15'],
    ['2026-05-04T08:30:15.251Z', '10:30:15.251'],
  ])('%s is shown as %s, and is not sent when something else is saved', async (sent_at, time) => {
    const service = await open({ locale: 'en-GB', values: { sent_at } })
    await expect.element(input('Sent at')).toHaveValue(`4 May 2026, ${time}`)
    await press(input('Sent at'), '{ArrowUp}')
    await see(unsaved())
    await userEvent.keyboard('{ArrowDown}')
    await gone(unsaved())
    await input('Quantity').fill('1')
    await save()
    await wrote(service, saved, { quantity: 1 })
  })
})
