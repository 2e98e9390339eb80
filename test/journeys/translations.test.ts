/** The console in the language that its user has chosen: the words of the definitions, and no further answers that a page waits for. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { opened } from '../support/afterwards.ts'
import { findViolations, openPage } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService } from '../support/service.ts'
import { translatedProject } from '../support/translations/a-translated-project.ts'
import { until } from '../support/wait.ts'

const worded = ['/console/-/config.json', '/api/me', '/api/entities']

const service = opened(() => startTestService(translatedProject))
before(async () => {
  await createUser(service, 'clerk')
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  const body = { number: 'T-1', customer_id: 1, urgency: 'low' }
  await service.ask('POST', '/order', { body })
  const submitted = { body: { action: 'submit', values: { weight: 2 } } }
  assert.equal((await service.ask('POST', '/order/1/proceedToStep', submitted)).status, 200)
})

const choose = (language: string | null) =>
  service.ask('PATCH', '/console/-/settings.json', { body: { language } })

const heading = (page: Page, name = 'Bestellungen') =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

const userMenu = (page: Page) => page.locator('.user-menu button[popovertarget]')

test('the words of the definitions', async (context) => {
  const { page, reports } = await openPage(service, '/console/-/settings')

  await context.test('are read again when the user chooses another language', async () => {
    await page.getByRole('link', { name: 'Orders', exact: true }).waitFor()
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByRole('link', { name: 'Bestellungen', exact: true }).click()
    await heading(page)
    // The browser's own language is another one, and the choice stays.
    await page.reload()
    await heading(page)
    await page.getByRole('columnheader', { name: 'Dringlichkeit' }).first().waitFor()
  })

  await context.test('are in the export as in its German file', async () => {
    await page.getByRole('button', { name: 'Exportieren' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('columnheader', { name: 'Dringlichkeit' }).waitFor()
    await dialog.getByRole('cell', { name: 'Niedrig' }).first().waitFor()
    await dialog.locator('summary').last().click()
    const line = (name: string) => dialog.getByLabel(name, { exact: true }).inputValue()
    assert.match(await line('curl'), / -H 'Accept-Language: de' /)
    assert.match(await line('docket export'), / --names --language de /)
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.press('Escape')
  })

  await context.test('name steps, actions and the role of whom the user acts as', async () => {
    await page
      .getByRole('link', { name: /^Genehmigungen/ })
      .first()
      .click()
    await page.getByText('Bestellung · In Prüfung').first().waitFor()
    const approve = page.getByRole('button', { name: /^Genehmigen/ })
    await approve.first().waitFor()
    await userMenu(page).filter({ hasText: 'Administrator' }).click()
    await page.getByRole('menuitem', { name: 'Als andere Person handeln' }).click()
    const choice = page.getByRole('dialog').getByRole('button', { name: /Sachbearbeitung/ })
    await choice.first().click()
    // Who acts sees the console as that user does, whose browser is English.
    await userMenu(page).filter({ hasText: 'Clerk' }).waitFor()
  })
  assert.deepEqual(reports, [])
})

/** Keeps all texts that stand in the navigation at any time, from its first moment on. */
const keepNavigation = `
  window.navigationTexts = new Set()
  new MutationObserver(() => {
    const text = document.querySelector('nav')?.textContent
    if (text) window.navigationTexts.add(text)
  }).observe(document, { childList: true, subtree: true, characterData: true })
`

test('a user who reads another language than that of their browser, and has been there before', async (context) => {
  await choose('de')
  const { page, reports } = await openPage(service, '/console/order')
  await heading(page)
  await page.waitForLoadState('networkidle')
  const asked: string[] = []
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname
    const isGerman = /^de\b/.test(request.headers()['accept-language'] ?? '')
    if (worded.includes(path) && isGerman) asked.push(path)
  })

  await context.test('has the page in that language from its first moment on', async () => {
    await page.addInitScript(keepNavigation)
    const german = /\/assets\/de-[^/]*\.js$/
    await page.route(german, async (route) => {
      await delay(500)
      await route.continue()
    })
    await page.reload()
    await heading(page)
    await page.waitForLoadState('networkidle')
    const texts = await page.evaluate<string[]>('[...window.navigationTexts]')
    assert.ok(texts.length > 0)
    assert.deepEqual(
      texts.filter((text) => !text.includes('Mein Tag')),
      [],
    )
    await page.unroute(german)
  })

  await context.test('asks for what every page reads before the scripts, and once', async () => {
    asked.length = 0
    const scripts = Promise.withResolvers<void>()
    const others = /\/assets\/(?!start)[^/]*\.js$/
    await page.route(others, async (route) => {
      await scripts.promise
      await route.continue()
    })
    const loaded = page.reload()
    await until('the page has asked for everything', () => asked.length === worded.length)
    scripts.resolve()
    await loaded
    await heading(page)
    await page.waitForLoadState('networkidle')
    assert.deepEqual(asked.toSorted(), worded.toSorted())
    await page.unroute(others)
  })

  await context.test('sees another one as soon as that is chosen elsewhere', async () => {
    await choose(null)
    await page.reload()
    await heading(page, 'Orders')
    await choose('de')
    await page.reload()
    await heading(page)
  })
  assert.deepEqual(reports, [])

  await context.test('asks for nothing, and keeps nothing, once signed out', async () => {
    await userMenu(page).click()
    await page.getByRole('menuitem', { name: 'Abmelden' }).click()
    const signIn = page.getByRole('heading', { level: 1 }).getByText('Laden')
    await signIn.waitFor()
    asked.length = 0
    await page.reload()
    await signIn.waitFor()
    await page.waitForLoadState('networkidle')
    // The name of the project alone, which anybody may know.
    assert.deepEqual(asked, ['/console/-/config.json'])
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    )
    assert.equal(kept, '[{"docket.language":"de"},{}]')
    assert.equal(await page.evaluate('caches.keys().then(({ length }) => length)'), 0)
  })
})
