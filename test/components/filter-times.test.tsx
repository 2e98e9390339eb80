/** Conditions that move with the clock: chosen by name or counted from today, kept as they are, shown in words, and changed again; and defaults of a new record. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import { chip, expectFilter, listedWhere, openForm, openOrders } from './support/filters.ts'
import { openConsole } from './support/open-console.tsx'
import { dialogOf } from './support/parts.ts'
import { see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const form = dialogOf('Add a filter')
const condition = form.getByRole('combobox', { name: /^Condition/ })
const apply = form.getByRole('button', { name: 'Apply' })

describe('a condition of the clock', () => {
  test('is a period that is chosen by its name, and changed to another one', async () => {
    const service = await openOrders()
    await openForm('ordered', 'Ordered on')
    await condition.selectOptions('is before today')
    expect(await findViolations()).toEqual([])
    await apply.click()
    await expectFilter(service, { ordered_on: { $lt: { $today: 0 } } })
    await chip('Ordered on is before today').click()
    const changed = page.getByRole('dialog').getByRole('combobox', { name: /^Condition/ })
    await expect.element(changed).toHaveValue('beforeToday')
    await changed.selectOptions('is in the last 30 days')
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await see(chip('Ordered on is in the last 30 days'))
    await expectFilter(service, { ordered_on: { $gt: { $today: -30 }, $lte: { $today: 0 } } })
  })

  test('is offered for moments, as weeks and months of the calendar', async () => {
    const service = await openOrders()
    await openForm('sent', 'Sent at')
    await condition.selectOptions('is in this week')
    await apply.click()
    await see(chip('Sent at is in this week'))
    const week = { $gte: { $startOf: 'week' }, $lt: { $startOf: 'week', $offset: 1 } }
    await expectFilter(service, { sent_at: week })
  })

  test('counts from today, and says what is no whole number', async () => {
    const service = await openOrders()
    await openForm('ordered', 'Ordered on')
    await condition.selectOptions('is on or after')
    await form.getByLabelText('Compared with').selectOptions('compare with the clock')
    const amount = form.getByLabelText('How many')
    await expect.element(form.getByLabelText('Counted from')).toHaveValue('today')
    await amount.fill('a week')
    await apply.click()
    await see(form.getByRole('alert'))
    await expect.element(amount).toHaveFocus()
    await amount.fill('-14')
    await userEvent.keyboard('{Enter}')
    await see(chip('Ordered on is on or after today − 14 days'))
    await expectFilter(service, { ordered_on: { $gte: { $today: -14 } } })
    await chip('Ordered on is on or after today − 14 days').click()
    const again = page.getByRole('dialog')
    await expect.element(again.getByLabelText('How many')).toHaveValue('-14')
    await again.getByLabelText('Counted from').selectOptions('the first day of the month ± months')
    await again.getByLabelText('How many').fill('-1')
    await userEvent.keyboard('{Enter}')
    await see(chip('Ordered on is on or after the first day of the month − 1 month'))
    await expectFilter(service, { ordered_on: { $gte: { $startOf: 'month', $offset: -1 } } })
  })

  test.for([
    ['en', 'Sent at is after now − 2 hours', 'Ordered on is in this month'],
    ['de', 'Sent at ist nach jetzt − 2 Stunden', 'Ordered on ist in diesem Monat'],
    ['fr', 'Sent at est après maintenant − 2 heures', 'Ordered on est ce mois-ci'],
    ['hr', 'Sent at je nakon sada − 2 sata', 'Ordered on je u ovom mjesecu'],
  ] as const)('of an address is written in the words of the user: %s', async (row) => {
    const [language, moment, month] = row
    const where = {
      sent_at: { $gt: { $now: '-2 hours' } },
      ordered_on: { $gte: { $startOf: 'month' }, $lt: { $startOf: 'month', $offset: 1 } },
    }
    const service = await openOrders({ where, settings: { language } })
    await see(page.getByText(moment, { exact: true }))
    await see(page.getByText(month, { exact: true }))
    await expect.poll(() => listedWhere(service)).toEqual(where)
  })
})

test('a default that moves is shown in the form of a new record, on the day of the project', async () => {
  const entity = orderProject['entities/order.json']
  const moving: Readonly<Record<string, object>> = {
    ordered_on: { $today: 1 },
    sent_at: { $startOf: 'year' },
  }
  const fields = entity.fields.map((field) =>
    field.key in moving ? { ...field, default: moving[field.key] } : field,
  )
  const dayAfter = () => {
    const today = new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Zagreb' })
    return new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10)
  }
  const expected = [dayAfter()]
  const service = await openConsole('/order/new', {
    project: { ...orderProject, 'entities/order.json': { ...entity, fields } },
    records: { customer: [{ id: 1, name: 'Adria' }] },
    settings: { language: 'en' },
  })
  expected.push(dayAfter())
  const year = new Date(`${dayAfter()}T00:00Z`).getUTCFullYear()
  await expect.element(page.getByLabelText('Sent at').first()).toHaveValue(`1 Jan ${year}, 00:00`)
  await expect.element(page.getByLabelText('Ordered on').first()).not.toHaveValue('')
  const shown = (page.getByLabelText('Ordered on').first().element() as HTMLInputElement).value
  const read = new Date(`${shown} UTC`).toISOString().slice(0, 10)
  expect(expected).toContain(read)
  expect(service.asked.length).toBeGreaterThan(0)
})
