/** Descriptions of fields, by mouse, keys, touch and screen reader, and fields with JSON. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { adria, ordersProject } from './support/orders.ts'
import { button } from './support/parts.ts'
import { focus, gone, input, save, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const terms = {
  delivery: 'DAP',
  penalty: { percent: 0.5, cap: 5 },
  prices: Array.from({ length: 12 }, (_, at) => ({ from: at * 10, discount: `${at} %` })),
}

const open = (options: Opening = {}) =>
  openConsole('/order/1', {
    project: ordersProject,
    records: {
      order: [{ id: 1, number: 'J-1', customer_id: 1, terms }],
      customer: adria,
    },
    ...options,
  })

describe('the description of a field', () => {
  const text = 'What the carrier must know.'
  const help = page.getByText(text)
  const sign = button('What is this for?')
  const hidden = () => expect.element(help).not.toBeVisible()
  const elsewhere = page.getByRole('heading', { level: 1 })

  const openDescribed = async (options: Opening = {}) => {
    await open(options)
    await expect.element(sign).toHaveAccessibleDescription('Notes')
  }

  test('is not shown until it is asked for, and describes its field to a screen reader always', async () => {
    await openDescribed()
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

  test('is shown to a mouse that rests on the sign, stays while it is read, and once it was pressed', async () => {
    await openDescribed({ settings: { theme: 'dark' } })
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

  test('is shown inside of the page of a phone', async () => {
    const viewport = { width: 320, height: 640 }
    await openDescribed({ viewport })
    // As a finger does, which rests on nothing before.
    ;(sign.element() as HTMLElement).click()
    await see(help)
    const { left, right } = help.element().getBoundingClientRect()
    expect(left).toBeGreaterThanOrEqual(0)
    expect(right).toBeLessThanOrEqual(viewport.width)
    expect(await findViolations()).toEqual([])
  })

  test('is reached by keys where the field is only read', async () => {
    await openDescribed({ role: 'reader' })
    await press(sign, '{Enter}')
    await see(help)
    await expect.element(sign).toHaveAttribute('tabindex', '0')
    expect(await findViolations()).toEqual([])
  })
})

describe('a field with JSON', () => {
  test('says what is wrong with its line while the user types, by keys alone, and loses nothing', async () => {
    const service = await open()
    const json = input('Terms')
    await expect.element(json).toHaveValue(JSON.stringify(terms, null, 2))
    const typed = '{\n  "delivery": "DAP",\n  "days": 30\n  "rate": 98765432109876543210\n}'
    await json.fill(typed)
    const said = page.getByText('Line 3, at “"days": 30”: A comma or a closing bracket is missing.')
    await see(said)
    expect(await findViolations()).toEqual([])
    // The field lets go of the focus, and keeps the text.
    await press(json, '{Tab}')
    await expect.element(json).not.toHaveFocus()
    await expect.element(json).toHaveValue(typed)
    await see(said)
    await input('Quantity').fill('7')
    await userEvent.keyboard('{Control>}s{/Control}')
    await see(page.getByRole('alert').getByText('Line 3'))
    expect(said.elements().length).toBe(1)
    await expect.element(json).toHaveFocus()
    expect(sent(service, 'PATCH /order/1')).toEqual([])
    await json.fill(typed.replace('30\n', '30,\n'))
    await gone(said)
    await json.fill('{"delivery": "EXW", "days": 30}')
    await save(2)
    await wrote(service, 'PATCH /order/1', { terms: { delivery: 'EXW', days: 30 }, quantity: 7 })
  })

  test('keeps every digit, is indented when it is left, and is emptied', async () => {
    const service = await open()
    const json = input('Terms')
    await json.fill('{"rate": 98765432109876543210.10}')
    await press(json, '{Tab}')
    const digits = '98765432109876543210.10'
    await expect.element(json).toHaveValue(`{\n  "rate": ${digits}\n}`)
    await save()
    const texts = () =>
      service.asked.filter(({ method }) => method === 'PATCH').map((one) => one.text)
    expect(texts()).toEqual([`{"terms":{"rate":${digits}}}`])
    await json.fill('  ')
    await save()
    expect(texts().slice(1)).toEqual(['{"terms":null}'])
    await press(json, '{Tab}')
    await expect.element(json).toHaveValue('')
  })

  test('of a user who may only read it shows names and values, and unfolds what is long', async () => {
    await open({ role: 'reader', viewport: { width: 320, height: 800 } })
    const shown = input('Terms')
    await see(shown.getByText('0.5', { exact: true }))
    await expect.element(shown.getByText('3 %', { exact: true })).not.toBeVisible()
    await press(shown.getByText('12 entries'), '{Enter}')
    await see(shown.getByText('3 %', { exact: true }))
    expect(await findViolations()).toEqual([])
  })
})
