/** The console where the system chooses all colours: what is chosen and current is still told apart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, writeProject } from '../support/service.ts'
import { orderProject } from '../support/console/an-order-project.ts'

type Style = { readonly outlineStyle: string; readonly borderBottomColor: string }

const frameOf = (one: Locator): Promise<string> =>
  one.evaluate((element) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle: (of: unknown) => Style
    }
    const { outlineStyle, borderBottomColor } = getComputedStyle(element)
    return `${outlineStyle} ${borderBottomColor}`
  })

test('a chosen tab, option and page differ from the others in forced colours', async () => {
  const service = await startTestService(await writeProject(orderProject))
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  await service.ask('POST', '/order', { body: { number: 'O-1', customer_id: 1 } })
  const options = { forcedColors: 'active', reducedMotion: 'reduce' } as const
  const { page } = await openPage(await startBrowser(), service, '/console/order/1', options)
  const differ = async (chosen: Locator, other: Locator) => {
    await chosen.first().waitFor()
    assert.notEqual(await frameOf(chosen.first()), await frameOf(other.first()))
  }
  await differ(
    page.getByRole('tab', { selected: true }),
    page.getByRole('tab', { selected: false }),
  )
  const navigation = page.getByRole('navigation', { name: 'Main navigation' })
  const current = navigation.getByRole('link', { name: 'Order' })
  await differ(current, navigation.getByRole('link', { name: 'Customer' }))
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find anything' }).waitFor()
  const optionsOf = (selected: boolean) => page.getByRole('option', { selected })
  await differ(optionsOf(true), optionsOf(false))
  await page.keyboard.press('Escape')
  await page.goto(`${service.url}/console/-/tasks`)
  await page.getByRole('radio', { checked: true }).waitFor({ state: 'attached' })
  const labels = page.getByRole('group').locator('label')
  await differ(labels.nth(0), labels.nth(1))
  // No part of the page moves by itself, so there is nothing to reduce.
  assert.equal(await page.evaluate('document.getAnimations().length'), 0)
})
