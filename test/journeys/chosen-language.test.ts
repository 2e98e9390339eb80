/** Whoever reads another language than that of their browser waits for no further answers at the start of a page. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { german, translatedProject } from '../support/translations/a-translated-project.ts'
import { until } from '../support/wait.ts'

const worded = ['/console/-/config.json', '/api/me', '/api/entities']

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(
    await writeProject({ ...translatedProject, 'translations/de.json': german }),
  )
  browser = await startBrowser()
  const body = { language: 'de' }
  await service.ask('PATCH', '/console/-/settings.json', { body })
})

const heading = (page: Page) => page.getByRole('heading', { level: 1, name: 'Bestellungen' })

/** The page in the language of its user, who has been there before, and the worded answers that it asks for, by language. */
const openAgain = async () => {
  const { page, reports } = await openPage(browser, service, '/console/order')
  await heading(page).waitFor()
  await page.waitForLoadState('networkidle')
  const asked: { readonly path: string; readonly language: string }[] = []
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname
    if (worded.includes(path))
      asked.push({ path, language: request.headers()['accept-language'] ?? '' })
  })
  return { page, reports, inGerman: () => asked.filter(({ language }) => /^de\b/.test(language)) }
}

/** Keeps all texts that stand in the navigation at any time, from its first moment on. */
const keepNavigation = `
  window.navigationTexts = new Set()
  new MutationObserver(() => {
    const text = document.querySelector('nav')?.textContent
    if (text) window.navigationTexts.add(text)
  }).observe(document, { childList: true, subtree: true, characterData: true })
`

test('the page is in the chosen language from its first moment on', async () => {
  const { page, reports } = await openPage(browser, service, '/console/order')
  await heading(page).waitFor()
  await page.addInitScript(keepNavigation)
  await page.route(/\/assets\/de-[^/]*\.js$/, async (route) => {
    await delay(500)
    await route.continue()
  })
  await page.reload()
  await heading(page).waitFor()
  await page.waitForLoadState('networkidle')
  const texts = await page.evaluate<string[]>('[...window.navigationTexts]')
  assert.ok(texts.length > 0)
  assert.deepEqual(
    texts.filter((text) => !text.includes('Mein Tag')),
    [],
  )
  assert.deepEqual(reports, [])
})

test('what every page reads first is asked for in the chosen language before the scripts are there, and once', async () => {
  const { page, reports, inGerman } = await openAgain()
  const scripts = Promise.withResolvers<void>()
  await page.route(/\/assets\/(?!start)[^/]*\.js$/, async (route) => {
    await scripts.promise
    await route.continue()
  })
  const loaded = page.reload()
  await until('the page has asked for everything', () => inGerman().length === worded.length)
  scripts.resolve()
  await loaded
  await heading(page).waitFor()
  await page.waitForLoadState('networkidle')
  assert.deepEqual(
    inGerman()
      .map(({ path }) => path)
      .toSorted(),
    worded.toSorted(),
  )
  assert.deepEqual(reports, [])
})

test('it is shown in another language as soon as that is chosen elsewhere', async () => {
  const { page } = await openAgain()
  await service.ask('PATCH', '/console/-/settings.json', { body: { language: null } })
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
  await service.ask('PATCH', '/console/-/settings.json', { body: { language: 'de' } })
})

test('nothing is asked for, and nothing kept, once the user has signed out', async () => {
  const { page, inGerman } = await openAgain()
  await page.locator('.user-menu button[popovertarget]').click()
  await page.getByRole('menuitem', { name: 'Abmelden' }).click()
  await page.getByRole('heading', { level: 1 }).getByText('Laden').waitFor()
  const before = inGerman().length
  await page.reload()
  await page.getByRole('heading', { level: 1 }).getByText('Laden').waitFor()
  await page.waitForLoadState('networkidle')
  // The name of the project alone, which anybody may know.
  const paths = inGerman().slice(before)
  assert.deepEqual(
    paths.map(({ path }) => path),
    ['/console/-/config.json'],
  )
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
  )
  assert.equal(kept, '[{"docket.language":"de"},{}]')
  assert.equal(await page.evaluate('caches.keys().then(({ length }) => length)'), 0)
})
