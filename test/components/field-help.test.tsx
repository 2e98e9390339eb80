/** Descriptions of fields: by mouse, keys, touch and screen reader, and out of the way otherwise. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import { openConsole, press } from './support/open-console.tsx'
import { focus, input, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const text = 'What the carrier must know.'
const help = page.getByText(text)
const sign = page.getByRole('button', { name: 'What is this for?' })
const hidden = () => expect.element(help).not.toBeVisible()
const elsewhere = page.getByRole('heading', { level: 1 })

const open = async (options: object = {}) => {
  await openConsole('/order/1', {
    project: {
      ...orderProject,
      'roles/reader.json': {
        ...{ key: 'reader', name: 'Reader', permissions: { order: { read: true } } },
      },
    },
    records: { order: [{ id: 1, number: 'O-1', customer_id: 1 }] },
    answers: { 'POST /customer/search': { body: { data: [], next: null, previous: null } } },
    ...options,
  })
  await expect.element(sign).toHaveAccessibleDescription('Notes')
}

test('a description is not shown until it is asked for, and describes its field always', async () => {
  await open()
  await hidden()
  const notes = page.getByRole('textbox', { name: 'Notes' })
  await expect.element(notes).toHaveAccessibleDescription(text)
  await press(notes, '{F1}')
  await see(help)
  expect(await findViolations()).toEqual([])
  await userEvent.keyboard('{Escape}')
  await hidden()
  await expect.element(notes).toHaveFocus()
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}')
  await expect.element(input('Terms')).toHaveFocus()
})

test('it is shown to a mouse that rests on the sign, stays while it is read, and once it was pressed', async () => {
  await open({ settings: { theme: 'dark' } })
  await sign.hover()
  await see(help)
  await help.hover()
  await elsewhere.hover()
  await hidden()
  await sign.hover()
  await see(help)
  await sign.click()
  await elsewhere.hover()
  await focus(input('Quantity'))
  await see(help)
  await elsewhere.click()
  await hidden()
})

test('on a phone it is shown inside of the page', async () => {
  const viewport = { width: 320, height: 640 }
  await open({ viewport })
  // As a finger does, which rests on nothing before.
  ;(sign.element() as HTMLElement).click()
  await see(help)
  const { left, right } = help.element().getBoundingClientRect()
  expect(left).toBeGreaterThanOrEqual(0)
  expect(right).toBeLessThanOrEqual(viewport.width)
  expect(await findViolations()).toEqual([])
})

test('of a field that is only read, the sign is reached by keys', async () => {
  await open({ role: 'reader' })
  await press(sign, '{Enter}')
  await see(help)
  await expect.element(sign).toHaveAttribute('tabindex', '0')
  expect(await findViolations()).toEqual([])
})
