/** What axe finds wrong with a page in both themes, and at the widths of a phone, a tablet and a desk. */
import type { Page } from 'playwright-core'
import { findViolations } from '../../support/browser.ts'

export const widths = [320, 768, 1440] as const
/** So high that the bar of actions covers no input by half, which axe would take for a small one. */
export const height = 840

const themes = ['dark', 'light'] as const

export const findViolationsInThemes = async (page: Page): Promise<readonly string[]> => {
  const found: string[] = []
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    const violations = await findViolations(page)
    found.push(...violations.map((violation) => `${colorScheme}, ${violation}`))
  }
  return found
}
