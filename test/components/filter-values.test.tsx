/** What a condition of a list compares with: what is read, what is refused and why, another field, and how a filter is said. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { problem } from './support/answers.ts'
import { chip, expectFilter, listedWhere, openForm, openOrders } from './support/filters.ts'
import { addressed, press } from './support/open-console.tsx'
import { ordersProject } from './support/orders.ts'
import { button, cell, dialogOf } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const form = dialogOf('Add a filter')
const condition = form.getByRole('combobox', { name: /^Condition/ })
const value = form.getByLabelText('Value', { exact: true })
const values = form.getByLabelText('Values, one per line')
const apply = form.getByRole('button', { name: 'Apply' })
const said = form.getByRole('alert')

describe('a value of a condition', () => {
  test.for([
    ['Quantity', 'many', 'Enter a whole number, such as 1,250.', '12', { quantity: { $eq: 12 } }],
    ['Quantity', '3000000000', 'The number is too large.', '-5', { quantity: { $eq: -5 } }],
    [
      ...['Serial number', '1x', 'Enter a whole number, such as 1,250.', '9007199254740993'],
      { serial: { $eq: '9007199254740993' } },
    ],
    [
      ...['Total', '1.2345', '1.2345 has 4 decimals; this field takes at most 2.', '1,234.5'],
      { total: { $gte: '1234.5' } },
    ],
    ['Total', 'much', 'Enter a number, such as 1,250.50.', '0.5', { total: { $gte: '0.5' } }],
    [
      ...['Ordered on', '31/4/2026', 'Enter a day, such as 24 May 2026.', '30/4/2026'],
      { ordered_on: { $gte: '2026-04-30' } },
    ],
    [
      ...['Sent at', 'noon', 'Enter a day and a time, such as 24 May 2026, 10:30.'],
      ...['26/11/2026 10:30', { sent_at: { $gte: '2026-11-26T09:30:00.000Z' } }],
    ],
  ] as const)('of %s is refused as %s, with the words: %s', async (row) => {
    const [name, wrong, why, right, where] = row
    const service = await openOrders()
    await openForm(name, name)
    await value.fill(wrong)
    await userEvent.keyboard('{Enter}')
    await see(said.getByText(why))
    await expect.element(value).toHaveFocus()
    await expect.element(value).toBeInvalid()
    await expect.element(value).toHaveAccessibleDescription(expect.stringContaining(why))
    expect(addressed('w')).toBe(null)
    await value.fill(right)
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => listedWhere(service)).toEqual(where)
  })

  test('may be one of several, a line for each, which are read as one of them is', async () => {
    const service = await openOrders()
    await openForm('Quantity', 'Quantity')
    await condition.selectOptions('is none of')
    await values.fill(' \n')
    await apply.click()
    await see(said.getByText('Enter a value.'))
    await values.fill('1,250\n\n few ')
    await see(said.getByText('Enter a whole number, such as 1,250.'))
    await expect.element(values).toHaveAccessibleDescription('Enter a whole number, such as 1,250.')
    expect(await findViolations()).toEqual([])
    await values.fill('1,250\n\n 7 ')
    await gone(said)
    await apply.click()
    await expect.poll(() => listedWhere(service)).toEqual({ quantity: { $nin: [1250, 7] } })
    await chip('Quantity is none of 1,250, 7').click()
    await expect.element(page.getByLabelText('Values, one per line')).toHaveValue('1250\n7')
  })

  test('is yes or no of a field that is nothing else, and nothing where the field is to be empty', async () => {
    const service = await openOrders()
    await openForm('Gift', 'Gift')
    await apply.click()
    await see(said.getByText('Enter a value.'))
    const names = [...value.element().querySelectorAll('option')].map(({ label }) => label)
    expect(names).toEqual(['', 'Yes', 'No'])
    await value.selectOptions('No')
    await apply.click()
    await expect.poll(() => listedWhere(service)).toEqual({ is_gift: { $eq: false } })
    await chip('Gift is No').click()
    const change = page.getByRole('dialog')
    await change.getByRole('combobox', { name: /^Condition/ }).selectOptions('is not empty')
    await gone(change.getByLabelText('Value', { exact: true }))
    await change.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => listedWhere(service)).toEqual({ is_gift: { $null: false } })
    await see(chip('Gift is not empty'))
  })

  test('is a pattern only of a filter that has one, whose marks are explained', async () => {
    const service = await openOrders({ where: { number: { $like: 'O-%_1' } } })
    await chip('Number matches the pattern exactly O-%_1').click()
    const change = page.getByRole('dialog')
    await see(change.getByText('% stands for any characters, _ for one.'))
    const text = change.getByLabelText('Value', { exact: true })
    await text.fill('%7')
    await press(text, '{Enter}')
    await expect.poll(() => listedWhere(service)).toEqual({ number: { $like: '%7' } })
    await chip('Number matches the pattern exactly %7').click()
    // What is contained is no pattern, and neither are the marks.
    await change.getByRole('combobox', { name: /^Condition/ }).selectOptions('contains')
    await gone(change.getByText('% stands for any characters, _ for one.'))
    await press(text, '{Enter}')
    await expect.poll(() => listedWhere(service)).toEqual({ number: { $ilike: '%\\%7%' } })
    await see(chip('Number contains %7'))
  })
})

describe('a filter of an address', () => {
  const within = { $gte: '2026-11-25T23:00:00.000Z', $lte: '2026-11-26T22:59:59.999Z' }

  test.for([
    [
      { $or: [{ total: { $gt: '5' } }, { is_gift: true }] },
      'any of (Total is more than 5.00; Gift is Yes)',
    ],
    [
      { $not: { number: 'O-1', quantity: { $lt: 2 } } },
      'not (all of (Number is O-1; Quantity is less than 2))',
    ],
    [{ sent_at: within }, 'Sent at is on 26 Nov 2026'],
    [{ $not: { sent_at: within } }, 'Sent at is not on 26 Nov 2026'],
    [{ sent_at: { $gt: within.$lte } }, 'Sent at is after 26 Nov 2026'],
    [
      { sent_at: { $gte: '2026-11-26T09:30:00.000Z' } },
      'Sent at is at or after 26 Nov 2026, 10:30',
    ],
    [{ ordered_on: { $lte: '2026-05-04' } }, 'Ordered on is on or before 4 May 2026'],
    [{ terms: { $contains: { days: 30 } } }, 'Terms contains {"days":30}'],
    [{ status: ['open', null] }, 'Status is one of Open, nothing'],
    [{ _step: { $ne: 'review' } }, 'Step is not In review'],
    [{ customer: 7 }, 'Customer is Customer 7'],
    [{ notes: null }, 'Notes is empty'],
  ] as const)('%o is said in words: %s', async ([where, words]) => {
    const service = await openOrders({ where })
    await see(chip(words))
    await expect.poll(() => listedWhere(service)).toEqual(where)
    await button(`Remove the filter ${words}`).click()
    await gone(chip(words))
    await expect.poll(() => listedWhere(service)).toBe(undefined)
  })

  test('that cannot be read is said to be so, and is cleared', async () => {
    const refused = problem(400, 'criteria.invalid', 'There is no operator $near.')
    const service = await openOrders({
      where: { total: { $near: 5 } },
      answers: {
        'POST /order/search': (asked, usual) =>
          JSON.stringify(asked.body).includes('$near') ? refused : usual(),
      },
    })
    await see(page.getByText('The address holds a filter that cannot be read.'))
    await button('Clear the filter').click()
    await see(cell('O-000001'))
    expect(listedWhere(service)).toBe(undefined)
  })
})

describe('a condition that compares two fields', () => {
  const isMore = { quantity: { $gt: { $field: 'total' } } }
  const dialog = page.getByRole('dialog')
  const whole = dialogOf('Advanced filter')
  const option = (name: string) => form.getByRole('option', { name, exact: true })

  test('compares with another field, of which only those are offered that fit', async () => {
    const service = await openOrders()
    await openForm('quan', 'Quantity')
    await condition.selectOptions('is more than')
    await form.getByLabelText('Compared with').selectOptions('compare with another field')
    await apply.click()
    await see(form.getByText('Enter a value.'))
    const other = form.getByRole('combobox', { name: 'Other field' })
    await expect.element(other).toHaveFocus()
    await other.fill('t')
    await see(option('Total'))
    const offered = form
      .getByRole('option')
      .elements()
      .map(({ textContent }) => textContent)
    expect(offered.filter((name) => /Ordered|Notes|Quantity|Customer$/.test(name))).toEqual([])
    expect(await findViolations()).toEqual([])
    await option('Total').click()
    await apply.click()
    await see(chip('Quantity > Total'))
    await expectFilter(service, isMore)
  })

  test('is read from a link, keeps what nobody changes, and becomes one with a value', async () => {
    const service = await openOrders({ where: { quantity: { $field: 'total' } } })
    await chip('Quantity = Total').click()
    await expect.element(dialog.getByRole('combobox', { name: 'Other field' })).toHaveValue('Total')
    await dialog.getByRole('combobox', { name: /^Condition/ }).selectOptions('is at least')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expectFilter(service, { quantity: { $gte: { $field: 'total' } } })
    await chip('Quantity ≥ Total').click()
    await dialog.getByLabelText('Compared with').selectOptions('compare with a value')
    await dialog.getByLabelText('Value', { exact: true }).fill('6')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await see(chip('Quantity is at least 6'))
    await expectFilter(service, { quantity: { $gte: 6 } })
  })

  test('is refused inside of a negation before it is sent', async () => {
    const service = await openOrders({ where: isMore })
    await chip('Quantity > Total').click()
    await button('Advanced filter …').click()
    const negation = whole.getByRole('checkbox', { name: 'not' })
    await negation.click()
    await whole.getByRole('button', { name: 'Apply' }).click()
    await see(whole.getByText('Choose the opposite condition.'))
    expect(addressed('w')).toEqual(isMore)
    await negation.click()
    await whole.getByRole('combobox', { name: /^Condition/ }).selectOptions('is at most')
    await whole.getByRole('button', { name: 'Apply' }).click()
    await expectFilter(service, { quantity: { $lte: { $field: 'total' } } })
  })

  test('is said by a shared view in the language of the user', async () => {
    const view = {
      id: 1,
      entity_key: 'order',
      name: 'More than it costs',
      is_shared_with: 'all',
      criteria: { $where: isMore },
    }
    const orders = [1, 2, 3, 4].map((id) => ({ id, number: `O-${id}`, customer_id: 1 }))
    const service = await openOrders({
      project: ordersProject,
      role: 'reader',
      locale: 'hr-HR',
      records: { saved_view: [view], order: orders },
    })
    await page.getByRole('button', { name: 'Prikazi', exact: true }).click()
    await page.getByRole('menuitemcheckbox', { name: 'More than it costs' }).click()
    await see(page.getByText('4 zapisa', { exact: true }), button(/Quantity > Total$/).first())
    await expect.poll(() => listedWhere(service)).toEqual(isMore)
  })
})
