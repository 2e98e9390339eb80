/** The filter of a list: fields and records by name, numbers as people write them, several conditions, and groups. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import { entityFile } from '../support/definitions/files.ts'
import { pageOf, problem } from './support/answers.ts'
import { chip, expectFilter, openForm, openOrders } from './support/filters.ts'
import { addressed, press } from './support/open-console.tsx'
import { button, cell, dialogOf } from './support/parts.ts'
import { see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const add = button('Add a filter')
const form = dialogOf('Add a filter')
const field = form.getByRole('combobox', { name: 'Field', exact: true })
const value = form.getByRole('textbox', { name: 'Value' })
const chosen = form.getByRole('combobox', { name: 'Value' })
const condition = form.getByRole('combobox', { name: /^Condition/ })
const apply = form.getByRole('button', { name: 'Apply' })
const another = form.getByRole('button', { name: 'Add another condition' })
const alert = form.getByRole('alert')
const added = form.getByRole('status')
const whole = dialogOf('Advanced filter')
const option = (name: string) => form.getByRole('option', { name, exact: true })

describe('the filter of a list', () => {
  test('a linked record is chosen by its name, by keys alone', async () => {
    const service = await openOrders()
    await press(add, '{Enter}')
    await expect.element(field).toHaveFocus()
    await press(form.getByRole('button', { name: 'Cancel' }), '{Enter}')
    await expect.element(add).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await press(field, '{ArrowDown}')
    // What the list shows comes first, then the fields of the entity, then those of each link.
    const groups = form.getByRole('listbox').getByRole('group')
    await expect
      .poll(() =>
        groups
          .elements()
          .map((group) => group.getAttribute('aria-label'))
          .slice(0, 3),
      )
      .toEqual(['In this list', 'Order', 'Customer'])
    await userEvent.keyboard('cust')
    await see(option('Customer'))
    await userEvent.keyboard('{Enter}')
    await press(chosen, 'omer 20')
    await see(option('Customer 20'))
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('{Enter}')
    await see(chip('Customer is Customer 20'))
    await expectFilter(service, { customer: { $eq: 20 } })
  })

  test('words that name no field, or no record, are refused and stay', async () => {
    const service = await openOrders()
    await add.click()
    await expect.element(field).toHaveFocus()
    // Typing takes the place of the field that the form begins with.
    await userEvent.keyboard('totl')
    await expect.element(field).toHaveValue('totl')
    await see(alert.getByText('There is no field of that name.'))
    await userEvent.tab()
    await expect.element(field).toHaveValue('totl')
    await value.fill('5')
    await apply.click()
    await expect.element(field).toHaveFocus()
    await expect.element(field).toHaveAttribute('aria-invalid', 'true')
    await expect.element(field).toHaveValue('totl')
    expect(addressed('w')).toBe(null)
    await field.click()
    await see(option('Total'))
    await userEvent.keyboard('total')
    await see(option('Total'))
    await userEvent.tab()
    await userEvent.tab()
    await userEvent.keyboard('5{Enter}')
    await see(chip('Total is at least 5.00'))
    await expectFilter(service, { total: { $gte: '5' } })
    await openForm('customer', 'Customer')
    await chosen.fill('Customer 7')
    await option('Customer 7').click()
    await chosen.fill('nobody')
    await apply.click()
    await see(alert.getByText('Choose an entry from the list.'))
    await expect.element(chosen).toHaveValue('nobody')
    await press(field, '{Escape}')
    await expect.element(form).not.toBeInTheDocument()
    await expectFilter(service, { total: { $gte: '5' } })
  })

  test('a filter reaches over two links by name', async () => {
    const service = await openOrders()
    await openForm('cust created by', 'Customer › Created by')
    await chosen.fill('admin')
    await option('Administrator').click()
    await apply.click()
    await see(chip('Customer › Created by is Administrator'))
    await expectFilter(service, { 'customer._created_by': { $eq: 1 } })
  })

  for (const [locale, name, written, shown] of [
    ['en-GB', 'Add a filter', '10,000', '10,000.00'],
    ['de-DE', 'Filter hinzufügen', '10.000', '10.000,00'],
  ] as const)
    test(`a number is read as the list shows it in ${locale}`, async () => {
      const total = '10000.00'
      const order = [{ id: 1, number: 'O-000001', total, customer_id: 1 }]
      const service = await openOrders({ locale, records: { order } })
      await see(cell(shown))
      await page.getByRole('button', { name }).click()
      const own = page.getByRole('dialog', { name })
      await own.getByRole('combobox').first().fill('Total')
      await own.getByRole('option', { name: 'Total', exact: true }).click()
      await own.getByRole('combobox').nth(1).selectOptions('$gt')
      const typed = own.getByRole('textbox')
      await typed.fill('10000 pieces')
      await press(typed, '{Enter}')
      await see(own.getByRole('alert'))
      await expect.element(typed).toHaveAttribute('aria-invalid', 'true')
      // Nothing is no condition, and above all not that the field is empty.
      await typed.fill('')
      await press(typed, '{Enter}')
      expect(addressed('w')).toBe(null)
      await typed.fill(written)
      await press(typed, '{Enter}')
      await expectFilter(service, { total: { $gt: '10000' } })
    })

  test('a text is found by a part of it, and no pattern is shown', async () => {
    const service = await openOrders({ where: { number: { $ilike: '%01999_' } } })
    await see(page.getByText('Number matches the pattern %01999_'))
    await openForm('number', 'Number')
    await form.getByLabelText('Value', { exact: true }).fill('o-01999')
    await apply.click()
    await see(page.getByText('Number contains o-01999'))
    await expectFilter(service, {
      $and: [{ number: { $ilike: '%01999_' } }, { number: { $ilike: '%o-01999%' } }],
    })
  })

  test('several choices and several records are conditions too', async () => {
    const service = await openOrders()
    await openForm('step', 'Step')
    await condition.selectOptions('is one of')
    await apply.click()
    await see(alert.getByText('Enter a value.'))
    await form.getByLabelText('Draft').click()
    await form.getByLabelText('Approved').click()
    await apply.click()
    await see(page.getByText('Step is one of Draft, Approved'))
    await openForm('customer', 'Customer')
    await condition.selectOptions('is one of')
    for (const name of ['Customer 7', 'Customer 12']) {
      await chosen.fill(name)
      await option(name).click()
      await see(form.getByRole('button', { name: `Remove the value ${name}` }))
    }
    await apply.click()
    await see(page.getByText('Customer is one of Customer 7, Customer 12'))
    await expectFilter(service, {
      _step: { $in: ['draft', 'approved'] },
      customer: { $in: [7, 12] },
    })
  })

  test('what an address has wrong is said in words, and the rest of the filter stays', async () => {
    const wrong = { total: { $gt: '10,000' }, colour: 'red', quantity: { $gt: { $field: 'gone' } } }
    const service = await openOrders({
      where: { status: 'open', ...wrong },
      answers: {
        'POST /order/search': ({ body }) => {
          const asked = JSON.stringify(body)
          return Object.keys(wrong).some((key) => asked.includes(`"${key}":{`))
            ? problem(400, 'criteria.invalid', 'There is no field colour.')
            : pageOf([])
        },
      },
    })
    const said = page.getByRole('alert')
    for (const text of [
      'Total is more than 10,000: this value cannot be read.',
      'There is no field “colour”',
      'There is no field “gone”',
    ])
      await see(said.getByText(text))
    const remove = said.getByRole('button', { name: 'Remove this condition' })
    for (const left of [2, 1, 0]) {
      await remove.last().click()
      await expect.poll(() => remove.elements().length).toBe(left)
    }
    await expectFilter(service, { status: { $eq: 'open' } })
  })
})

describe('conditions added one after the other', () => {
  test('several conditions are added one after the other, by keys alone', async () => {
    const service = await openOrders()
    await press(add, '{Enter}')
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard('total')
    await see(option('Total'))
    await userEvent.keyboard('{Enter}')
    await press(another, '{Enter}')
    // What is missing is said, and nothing is added.
    await expect.element(value).toHaveFocus()
    await userEvent.keyboard('5')
    await press(another, '{Enter}')
    await see(added.getByText('Total is at least 5.00'))
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard('cust')
    await see(option('Customer'))
    await userEvent.keyboard('{Enter}')
    await press(chosen, 'omer 20')
    await see(option('Customer 20'))
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('{Enter}')
    await see(chip('Customer is Customer 20'))
    await expectFilter(service, { total: { $gte: '5' }, customer: { $eq: 20 } })
  })

  for (const leave of ['Cancel', 'Escape'])
    test(`${leave} leaves the filter as it was, also after a condition was added`, async () => {
      const service = await openOrders({ where: { status: 'open' } })
      await openForm('total', 'Total')
      await value.fill('5')
      await another.click()
      await see(added.getByText('Total is at least 5.00'))
      expect(addressed('w')).toEqual({ status: 'open' })
      if (leave === 'Escape') await press(condition, '{Escape}')
      else await form.getByRole('button', { name: leave }).click()
      await expect.element(add).toHaveFocus()
      await expectFilter(service, { status: 'open' })
    })

  test('Apply takes what was added, the same condition once, and needs no further one', async () => {
    const service = await openOrders()
    await openForm('total', 'Total')
    for (const _time of [1, 2]) {
      await field.fill('total')
      await option('Total').click()
      await value.fill('5')
      await another.click()
      await see(added.getByText('Total is at least 5.00'))
      await expect.element(field).toHaveFocus()
    }
    expect(added.getByRole('listitem').elements().length).toBe(1)
    await apply.click()
    await see(chip('Total is at least 5.00'))
    await expectFilter(service, { total: { $gte: '5' } })
  })

  test('the advanced filter begins with what was added', async () => {
    await openOrders()
    await openForm('total', 'Total')
    await value.fill('5')
    await another.click()
    await form.getByRole('button', { name: 'Advanced filter' }).click()
    await expect.element(whole.getByRole('textbox', { name: 'Value' })).toHaveValue('5')
    await whole.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(add).toHaveFocus()
    expect(addressed('w')).toBe(null)
  })
})

describe('a condition on the records of a one-to-many field', () => {
  const manyProject = {
    ...orderProject,
    'entities/line.json': {
      key: 'line',
      fields: [
        { key: 'order', type: 'manyToOne', entity: 'order' },
        { key: 'amount', name: 'Amount', type: 'integer' },
        { key: 'customer', name: 'Receiver', type: 'manyToOne', entity: 'customer' },
      ],
    },
    ...entityFile('customer', { name: 'Customer', displayField: 'name' }, [
      { key: 'name', name: 'Name', type: 'string', required: true },
      { key: 'city', name: 'City', type: 'string' },
      { key: 'orders', name: 'Orders', type: 'oneToMany', entity: 'order', mappedBy: 'customer' },
    ]),
    'entities/order.json': {
      ...orderProject['entities/order.json'],
      fields: [
        ...orderProject['entities/order.json'].fields,
        { key: 'lines', name: 'Lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
      ],
    },
  }
  const large = { lines: { $some: { amount: { $gt: 3 }, customer: { $in: [7] } } } }
  const words =
    'Lines: at least one record (all of (Amount is more than 3; Receiver is one of Customer 7))'

  test('is said in words, and kept when another condition is added, changed or removed', async () => {
    const $where = { ...large, quantity: { $gt: 1 } }
    const service = await openOrders({ project: manyProject, where: $where })
    await see(chip(words))
    await chip('Quantity is more than 1').click()
    const dialog = page.getByRole('dialog').last()
    await dialog.getByLabelText('Value', { exact: true }).fill('2')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expectFilter(service, { ...large, quantity: { $gt: 2 } })
    await chip(words).click()
    await see(whole.getByText(words))
    await whole.getByRole('button', { name: 'Add a condition' }).click()
    await whole.getByRole('button', { name: 'Remove the condition' }).last().click()
    await whole.getByRole('button', { name: 'Apply' }).click()
    await expectFilter(service, { ...large, quantity: { $gt: 2 } })
    await button('Remove the filter Quantity is more than 2').click()
    await expectFilter(service, large)
  })

  test('is removed by its chip, and in the form', async () => {
    const none = { 'customer.orders': { $none: {} }, $not: large }
    const service = await openOrders({ project: manyProject, where: none })
    await see(chip('Customer › Orders: no record'))
    await chip(`not (${words})`).click()
    expect(await findViolations()).toEqual([])
    await whole.getByRole('button', { name: 'Remove the condition' }).last().click()
    await whole.getByRole('button', { name: 'Apply' }).click()
    await expectFilter(service, { 'customer.orders': { $none: {} } })
    await button('Remove the filter Customer › Orders: no record').click()
    await expect.poll(() => addressed('w')).toBe(null)
  })
})

describe('groups of a filter', () => {
  test('a group is added to a condition, negated, and applied', async () => {
    const service = await openOrders({ where: { status: 'open' } })
    await add.click()
    await button('Advanced filter …').click()
    await whole.getByRole('button', { name: 'Add a group' }).click()
    const group = whole.getByRole('group', { name: 'Group of level 2' })
    await group.getByLabelText('How the conditions').selectOptions('None of these')
    await group.getByRole('combobox', { name: 'Field' }).fill('quan')
    await group.getByRole('option', { name: 'Quantity', exact: true }).click()
    await group.getByRole('combobox', { name: /^Condition/ }).selectOptions('is at least')
    await group.getByLabelText('Value', { exact: true }).fill('3')
    await whole.getByRole('button', { name: 'Apply' }).click()
    const $where = { status: { $eq: 'open' }, $not: { $or: [{ quantity: { $gte: 3 } }] } }
    await expectFilter(service, $where)
  })

  test('keys alone change how conditions are joined, and remove one', async () => {
    await openOrders({
      where: { $or: [{ number: 'O-1' }, { number: 'O-2' }, { total: '3.50' }] },
    })
    await press(button('Change the filter any of'), '{Enter}')
    const remove = whole.getByRole('button', { name: 'Remove the condition' })
    await expect.element(remove.last()).toBeVisible()
    await press(remove.last(), '{Enter}')
    await press(whole.getByRole('button', { name: 'Apply' }), '{Enter}')
    await expect
      .poll(() => addressed('w'))
      .toEqual({ $or: [{ number: { $eq: 'O-1' } }, { number: { $eq: 'O-2' } }] })
  })
})
