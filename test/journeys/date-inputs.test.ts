/** Inputs of days and moments in a real browser, whose language is another one than that of the page. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { orderProject } from '../support/console/an-order-project.ts'

const locale = 'de-DE'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  await service.ask('POST', '/order', { body: { number: 'D-1', customer_id: 1 } })
})

const setLanguage = (language: string) =>
  service.ask('PATCH', '/console/-/settings.json', { body: { language } })

/** The order in the database, on a day and at a moment. */
beforeEach(async () => {
  await setLanguage('en')
  const body = { ordered_on: '2026-05-04', sent_at: '2026-05-04T08:30:00.000Z' }
  await service.ask('PATCH', '/order/1', { body })
})

const orderedOn = async (): Promise<unknown> =>
  (await service.ask('GET', '/order/1')).json().ordered_on

const openOrder = async () => {
  const opened = await openPage(browser, service, '/console/order/1', { locale })
  await opened.page.getByText('D-1').first().waitFor()
  return { ...opened, input: opened.page.getByLabel(/^(Ordered on|Sent at)$/).first() }
}

const save = async (page: Page) => {
  await page.keyboard.press('Control+s')
  await page.getByText('1 change is not saved').waitFor({ state: 'detached' })
}

describe('the input of a day', () => {
  test('reads and shows it in the language of the page', async () => {
    const { page, input, reports } = await openOrder()
    assert.equal(await input.inputValue(), 'May 4, 2026')
    await input.fill('6/5/26')
    await page.keyboard.press('Tab')
    assert.equal(await input.inputValue(), 'Jun 5, 2026')
    await save(page)
    assert.equal(await orderedOn(), '2026-06-05')
    assert.deepEqual(reports, [])
  })

  test('follows another language of the page', async () => {
    await setLanguage('hr')
    const { page, input } = await openOrder()
    await until('it is in Croatian', async () => (await input.inputValue()) === '4. svi 2026.')
    await input.fill('5.6.')
    await input.blur()
    assert.equal(await input.inputValue(), `5. lip ${new Date().getFullYear()}.`)
    await page.keyboard.press('Control+s')
    await until(
      'it is saved',
      async () => (await orderedOn()) === `${new Date().getFullYear()}-06-05`,
    )
  })

  test('says what it cannot read, and sends nothing', async () => {
    const { page, input } = await openOrder()
    await input.fill('31/4/2026')
    await input.blur()
    assert.equal(await input.inputValue(), '31/4/2026')
    await page.keyboard.press('Control+s')
    await page.getByText('Enter a day, such as May 24, 2026.').waitFor()
    assert.equal(await orderedOn(), '2026-05-04')
    await input.fill('')
    await save(page)
    assert.equal(await orderedOn(), null)
  })

  test('the arrow keys change the part in which the caret is', async () => {
    const { page, input } = await openOrder()
    const caretAt = (at: number) =>
      input.evaluate((element, place) => {
        ;(
          element as unknown as { setSelectionRange: (a: number, b: number) => void }
        ).setSelectionRange(place, place)
      }, at)
    await input.focus()
    await page.keyboard.press('ArrowUp')
    assert.equal(await input.inputValue(), 'May 5, 2026')
    await caretAt(1)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    assert.equal(await input.inputValue(), 'Jul 5, 2026')
    await caretAt(10)
    await page.keyboard.press('ArrowDown')
    assert.equal(await input.inputValue(), 'Jul 5, 2025')
    await save(page)
    assert.equal(await orderedOn(), '2025-07-05')
  })
})

describe('the calendar of a day', () => {
  test('is opened, moved through and left by keys', async () => {
    const { page, input, reports } = await openOrder()
    const grid = page.getByRole('grid', { name: 'May 2026' })
    await input.focus()
    await page.keyboard.press('Alt+ArrowDown')
    await grid.waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('PageDown')
    await page.getByRole('grid', { name: 'June 2026' }).waitFor()
    assert.equal(await input.inputValue(), 'May 4, 2026')
    await page.keyboard.press('Escape')
    await page.getByRole('grid').waitFor({ state: 'detached' })
    await page.keyboard.press('Alt+ArrowDown')
    await grid.waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    assert.equal(await input.inputValue(), 'May 3, 2026')
    await input.and(page.locator(':focus')).waitFor()
    await save(page)
    assert.equal(await orderedOn(), '2026-05-03')
    assert.deepEqual(reports, [])
  })

  test('takes the day that is clicked', async () => {
    const { page, input } = await openOrder()
    await page.getByRole('button', { name: 'Calendar' }).first().click()
    await page.getByRole('button', { name: 'Next month' }).click()
    assert.equal(await input.getAttribute('inputmode'), 'none')
    await page.getByRole('button', { name: 'Next month' }).click()
    await page.getByRole('grid', { name: 'July 2026' }).waitFor()
    await page.getByRole('button', { name: 'Friday, July 17, 2026' }).click()
    await page.getByRole('grid').waitFor({ state: 'detached' })
    assert.equal(await input.inputValue(), 'Jul 17, 2026')
    assert.equal(await input.getAttribute('inputmode'), null)
    await save(page)
    assert.equal(await orderedOn(), '2026-07-17')
  })

  test('begins its weeks as the region of the user does, and leaves the time of a moment', async () => {
    const { page } = await openPage(browser, service, '/console/order/1', { locale: 'en-GB' })
    const sentAt = page.getByLabel('Sent at', { exact: true })
    await sentAt.waitFor()
    assert.equal(await sentAt.inputValue(), '4 May 2026, 10:30')
    await sentAt.focus()
    await page.keyboard.press('Alt+ArrowDown')
    const heads = page.getByRole('columnheader')
    await heads.first().waitFor()
    assert.equal(await heads.first().textContent(), 'Mon')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    assert.equal(await sentAt.inputValue(), '5 May 2026, 10:30')
    await save(page)
    const record = (await service.ask('GET', '/order/1')).json()
    assert.equal(record.sent_at, '2026-05-05T08:30:00.000Z')
  })
})

describe('a day in a list', () => {
  const openCell = async () => {
    const { page } = await openPage(browser, service, '/console/order', { locale })
    await page.getByRole('gridcell', { name: 'May 4, 2026', exact: true }).dblclick()
    const input = page.getByLabel('Ordered on of D-1').or(page.locator('.cell-editor input'))
    await input.first().and(page.locator(':focus')).waitFor()
    return page
  }

  test('is typed into its cell', async () => {
    const page = await openCell()
    await page.keyboard.type('7/8/26')
    await page.keyboard.press('Enter')
    await page.getByRole('gridcell', { name: 'Jul 8, 2026' }).waitFor()
    await until('it is saved', async () => (await orderedOn()) === '2026-07-08')
  })

  test('what is no day stays in its cell, which says so', async () => {
    const page = await openCell()
    await page.keyboard.type('99/99/99')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Enter a day, such as May 24, 2026.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('gridcell', { name: 'May 4, 2026', exact: true }).waitFor()
    assert.equal(await orderedOn(), '2026-05-04')
  })

  test('is chosen in a calendar over the list', async () => {
    const page = await openCell()
    await page.keyboard.press('Alt+ArrowDown')
    await page.getByRole('grid', { name: 'May 2026' }).waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.getByRole('button', { name: 'Wednesday, May 20, 2026' }).click()
    await page.keyboard.press('Enter')
    await page.getByRole('gridcell', { name: 'May 20, 2026', exact: true }).waitFor()
    await until('it is saved', async () => (await orderedOn()) === '2026-05-20')
  })
})

describe('what is no day or moment', () => {
  test('creates no task', async () => {
    const { page } = await openOrder()
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await page.getByRole('button', { name: 'Create a task' }).click()
    const form = page.getByRole('dialog', { name: 'Create a task' })
    await form.getByLabel('What to do').fill('Call Adria')
    const due = form.getByLabel('Due')
    for (const text of ['31/4/2026 10:30', '5', '5/4/2026 25:00']) {
      await due.fill(text)
      await form.getByRole('button', { name: 'Create a task' }).click()
      const said = await due.evaluate(
        (input) => (input as unknown as { validationMessage: string }).validationMessage,
      )
      assert.match(said, /^Enter a day and a time, such as May 24, 2026/)
    }
    await due.fill('5/4/2031 10:30 am')
    await form.getByRole('button', { name: 'Create a task' }).click()
    await form.waitFor({ state: 'detached' })
    const tasks = (await service.ask('GET', '/order/1/task')).json()
    const dues = tasks.map(({ due_date }: { due_date: string }) => due_date)
    assert.deepEqual(dues, ['2031-05-04T08:30:00.000Z'])
  })

  test('is no filter', async () => {
    const { page } = await openPage(browser, service, '/console/order', { locale })
    await page.getByRole('button', { name: 'Filter' }).click()
    const form = page.getByRole('dialog')
    await form.getByRole('combobox', { name: 'Field' }).fill('Ordered on')
    await page.getByRole('option', { name: 'Ordered on' }).first().click()
    await form.getByLabel('Value').fill('31/4/2026')
    await form.getByRole('button', { name: 'Apply' }).click()
    await form.getByText('Enter a day, such as May 24, 2026.').waitFor()
    assert.equal(new URL(page.url()).search, '')
  })
})
