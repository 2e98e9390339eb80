/** A user who has a keyboard alone: presses keys, and must see after each of them what has the focus. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../support/wait.ts'

/**
 * What is wrong with the focus: nothing has it, what has it cannot be seen (outside of the window, or below a bar or a
 * popover: WCAG 2.4.11), or does not look as if it had it (2.4.7). Empty if nothing is wrong.
 */
const faultOfFocus = `(() => {
  const focused = document.activeElement
  if (!focused || focused === document.body) return 'Nothing has the focus.'
  // What takes the focus by itself when it is opened, and whose controls follow.
  if (focused.tabIndex < 0 && focused.matches('main, dialog')) return ''
  const active = document.getElementById(focused.getAttribute('aria-activedescendant') ?? '')
  const { width, height } = focused.getBoundingClientRect()
  const shown = active ?? (width > 1 && height > 1 ? focused : (focused.closest('label') ?? focused))
  const name = shown.outerHTML.slice(0, 200)
  const box = shown.getBoundingClientRect()
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)]
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)]
  if (right - left < 2 || bottom - top < 2) return 'Outside of the window: ' + name
  const shares = [0.02, 0.25, 0.5, 0.75, 0.98]
  const isSeen = shares.some((x) => shares.some((y) => {
    const hit = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y)
    return hit !== null && (shown.contains(hit) || hit.closest('label')?.contains(shown))
  }))
  if (!isSeen) return 'Covered: ' + name
  // A browser marks the calendar in an input of days itself.
  if (focused.matches('[type^=date]')) return ''
  const isMarked = [shown, focused].some((one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
  })
  return isMarked ? '' : 'Not marked: ' + name
})()`

const mostTabs = 80

export type Keyboard = ReturnType<typeof createKeyboard>

export const createKeyboard = (page: Page) => {
  /** Waits until the focus is as it must be, which it is soon or never. */
  const see = async (key: string): Promise<void> => {
    let fault = ''
    const isFine = async () => {
      // While another page is loaded there is none to look at.
      fault = await page.evaluate<string>(faultOfFocus).catch(() => 'The page was left.')
      return fault === ''
    }
    await until(`the focus is seen after ${key}`, isFine).catch(() =>
      assert.fail(`After ${key} at ${page.url()}: ${fault}`),
    )
  }
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      await page.keyboard.press(key)
      await see(key)
    }
  }
  const has = async (target: Locator): Promise<boolean> =>
    (await target.and(page.locator(':focus')).count()) > 0
  /** Presses Tab, or another key, until the focus is on the element. */
  const goTo = async (target: Locator, key = 'Tab'): Promise<void> => {
    await target.first().waitFor({ state: 'attached' })
    for (let pressed = 0; !(await has(target)); pressed += 1) {
      assert.ok(pressed < mostTabs, `${key} does not lead to ${target} at ${page.url()}`)
      await press(key)
    }
  }
  return {
    press,
    goTo,
    type: async (text: string): Promise<void> => {
      await page.keyboard.type(text)
      await see(text)
    },
    /** Leads to a button or link, and presses Enter. */
    enter: async (target: Locator, key = 'Tab'): Promise<void> => {
      await goTo(target, key)
      await press('Enter')
    },
    /** Chooses an item of a menu behind a button. */
    choose: async (button: Locator, item: string, key = 'Tab'): Promise<void> => {
      await goTo(button, key)
      await press('Enter')
      await goTo(page.getByRole('menuitem', { name: item }), 'ArrowDown')
      await press('Enter')
    },
    see: () => see('a wait'),
    /** Waits until an element that was opened has taken the focus. */
    arriveAt: async (target: Locator): Promise<void> => {
      await until(`${target} has the focus`, () => has(target))
      await see('it was opened')
    },
  }
}
