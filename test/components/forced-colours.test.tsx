/** The console where the system chooses all colours: what is chosen and current is still told apart. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cdp, type Locator, page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { orderProject } from '../support/console/an-order-project.ts'
import { pageOf } from './support/answers.ts'
import { openConsole } from './support/open-console.tsx'
import { adria } from './support/orders.ts'
import { see } from './support/record-form.ts'

const emulate = (features: readonly { readonly name: string; readonly value: string }[]) =>
  cdp().send('Emulation.setEmulatedMedia', { features: [...features] })

beforeEach(() =>
  emulate([
    { name: 'forced-colors', value: 'active' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]),
)
afterEach(() => emulate([]))

const frameOf = (one: Locator): string => {
  const { outlineStyle, borderBottomColor } = getComputedStyle(one.first().element())
  return `${outlineStyle} ${borderBottomColor}`
}

const differ = async (chosen: Locator, other: Locator) => {
  await see(chosen.first())
  expect(frameOf(chosen)).not.toBe(frameOf(other))
}

const open = (path: string) =>
  openConsole(path, {
    project: orderProject,
    records: {
      order: [{ id: 1, number: 'O-1', customer_id: 1 }],
      customer: adria,
    },
    answers: { 'GET /api/tasks': pageOf([]) },
  })

test('a chosen tab, option and page differ from the others in forced colours', async () => {
  await open('/order/1')
  expect(matchMedia('(forced-colors: active)').matches).toBe(true)
  await differ(
    page.getByRole('tab', { selected: true }),
    page.getByRole('tab', { selected: false }),
  )
  const navigation = page.getByRole('navigation', { name: 'Main navigation' })
  const current = navigation.getByRole('link', { name: 'Order' })
  await differ(current, navigation.getByRole('link', { name: 'Customer' }))
  await userEvent.keyboard('{Control>}k{/Control}')
  await see(page.getByRole('combobox', { name: 'Find anything' }))
  const optionOf = (selected: boolean) => page.getByRole('option', { selected })
  await differ(optionOf(true), optionOf(false))
  await cleanup()
  await open('/-/tasks')
  await expect.element(page.getByRole('radio', { checked: true })).toBeInTheDocument()
  const labels = page.getByRole('group', { name: 'My tasks' }).element().querySelectorAll('label')
  const [chosen, other] = [...labels].map((label) => frameOf(page.elementLocator(label)))
  expect(chosen).not.toBe(other)
  // No part of the page moves by itself, so there is nothing to reduce.
  expect(document.getAnimations()).toEqual([])
})
