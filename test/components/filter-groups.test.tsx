/** The form of a whole filter: groups inside of groups, by mouse and by keys. */
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import { addressed, openConsole, press } from './support/open-console.tsx'

const order = { id: 1, number: 'O-000001', total: '1.50', status: 'open' }

const openOrders = (where: object) =>
  openConsole(`/order?${new URLSearchParams({ w: JSON.stringify(where) })}`, {
    project: orderProject,
    records: { order: [order] },
  })

describe('groups of a filter', () => {
  const dialog = page.getByRole('dialog', { name: 'Advanced filter' })

  test('a group is added to a condition, negated, and applied', async () => {
    const service = await openOrders({ status: 'open' })
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByRole('button', { name: 'Advanced filter …' }).click()
    await dialog.getByRole('button', { name: 'Add a group' }).click()
    const group = dialog.getByRole('group', { name: 'Group of level 2' })
    await group.getByLabelText('How the conditions').selectOptions('None of these')
    await group.getByRole('combobox', { name: 'Field' }).fill('quan')
    await group.getByRole('option', { name: 'Quantity', exact: true }).click()
    await group.getByRole('combobox', { name: /^Condition/ }).selectOptions('is at least')
    await group.getByLabelText('Value', { exact: true }).fill('3')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    const $where = { status: { $eq: 'open' }, $not: { $or: [{ quantity: { $gte: 3 } }] } }
    await expect.poll(() => addressed('w')).toEqual($where)
    await expect
      .poll(() => service.asked.filter(({ path }) => path === '/order/search').at(-1)?.body)
      .toMatchObject({ $where })
  })

  test('keys alone change how conditions are joined, and remove one', async () => {
    await openOrders({ $or: [{ number: 'O-1' }, { number: 'O-2' }, { total: '3.50' }] })
    await press(page.getByRole('button', { name: 'Change the filter any of' }), '{Enter}')
    const remove = dialog.getByRole('button', { name: 'Remove the condition' })
    await expect.element(remove.last()).toBeVisible()
    await press(remove.last(), '{Enter}')
    await press(dialog.getByRole('button', { name: 'Apply' }), '{Enter}')
    await expect
      .poll(() => addressed('w'))
      .toEqual({ $or: [{ number: { $eq: 'O-1' } }, { number: { $eq: 'O-2' } }] })
  })
})
