/** Every page of the console as it is loaded: it stays shown, fits in both directions, and has its texts from a language. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { opened } from '../../support/afterwards.ts'
import { openPage, signIn, startBrowser } from '../../support/browser.ts'
import { settler } from '../../support/console/a-crawl.ts'
import { goWithin } from '../../support/console/go-within.ts'
import { startAdminService } from './an-admin-service.ts'

const longName = 'Adria Metal d.o.o. za proizvodnju i trgovinu čelika i lima, Zagreb'
const task = { description: longName, due_date: '2026-01-01T09:00:00Z', assigne_id: 1 }

const service = opened(() => startAdminService())
before(async () => {
  await service.ask('PATCH', '/customer/1', { body: { name: longName, city: 'Zadar' } })
  for (const number of ['P-1', 'P-2']) {
    const body = { number, customer_id: 1, total: '1204.50', status: 'open', notes: 'Ring twice' }
    await service.ask('POST', '/order', { body })
  }
  await service.ask('POST', '/order/1/proceedToStep', { body: { action: 'submit' } })
  await service.ask('POST', '/order/1/task', { body: task })
})

/** What everybody uses, also on a phone. */
const daily = [
  ...['/console', '/console/order', '/console/order/1', '/console/order/new'],
  ...['/console/-/inbox', '/console/-/approvals', '/console/-/tasks', '/console/-/settings'],
]
const others = [
  ...['/customer', '/user/2', '/-/changes', '/-/removed', '/-/search?q=o'],
  ...['/-/admin/deliveries', '/-/admin/deliveries?kind=jobs', '/-/admin/explain', '/-/admin/mail'],
  '/-/admin/access',
  ...['/-/admin/definitions', '/-/admin/definitions/order'],
  ...['/-/admin/users', '/-/admin/roles', '/-/admin/roles/clerk'],
].map((path) => `/console${path}`)

// React hides by the style what waits for something to be loaded.
const watchHidden = `globalThis.hidden = []
new MutationObserver((records) => {
  for (const { target } of records)
    if (target.style.display === 'none') hidden.push(target.tagName + '.' + target.className)
}).observe(document, { subtree: true, attributeFilter: ['style'] })`

/** Elements that reach beyond the page, without those that are cut or scrolled on purpose. */
const overflowing = `(() => {
  const isCut = (element) => {
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const { overflowX, position, clipPath } = getComputedStyle(at)
      if (overflowX !== 'visible' || clipPath !== 'none') return true
      if (at.matches('dialog, [popover]')) return true
    }
    return false
  }
  const { clientWidth: width, scrollWidth } = document.documentElement
  const beyond = [...document.querySelectorAll('body *')].filter((element) => {
    const { left, right } = element.getBoundingClientRect()
    return (left < -1 || right > width + 1) && !isCut(element.parentElement)
  })
  return [...beyond.map((element) => element.outerHTML.slice(0, 120)), ...(scrollWidth > width ? ['the page'] : [])]
})()`

/** Nothing reaches beyond a page at 1280 and 320 pixels, from left to right and mirrored. */
const assertFits = async (page: Page, path: string) => {
  const assertWithin = async () => assert.deepEqual(await page.evaluate(overflowing), [], path)
  const setDirection = (direction: string) =>
    page.evaluate(`document.documentElement.dir = '${direction}'`)
  const placeOf = async () =>
    (await page.getByRole('main').getByRole('heading').first().boundingBox())?.x ?? 0
  await assertWithin()
  const before = await placeOf()
  await setDirection('rtl')
  await assertWithin()
  const navigation = await page.getByRole('navigation').first().boundingBox()
  assert.ok(navigation && navigation.x > 1000, path)
  assert.notEqual(await placeOf(), before, path)
  await page.setViewportSize({ width: 320, height: 800 })
  await assertWithin()
  await setDirection('ltr')
  await assertWithin()
  await page.setViewportSize({ width: 1280, height: 800 })
}

// Hidden again it would flicker, and lose the focus and the keys of a user who has begun.
test('a page that is shown is not hidden again while its parts load their texts, and nothing reaches beyond it', async () => {
  const { page, reports } = await openPage(service, '/health')
  await page.addInitScript(watchHidden)
  const settle = settler(page)
  for (const path of [...daily, ...others]) {
    await page.goto(`${service.url}${path}`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).first().waitFor()
    await settle()
    assert.deepEqual(await page.evaluate('hidden'), [], path)
    if (daily.includes(path)) await assertFits(page, path)
  }
  // The browser looks for the icon of the first page, which is no page of the console.
  const refused = /status of 401/
  assert.deepEqual(
    reports.filter((text) => !refused.test(text)),
    [],
  )
})

// A declaration, which stands in the file before it is called.
const mark = `
function mark(value) {
  if (typeof value === 'string') return '⟦' + value + '⟧'
  if (typeof value === 'function') return (...given) => mark(value(...given))
  if (!value || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mark(inner)]))
}`

/** Puts marks around every text of the German files, as they are loaded: the build makes one of them. */
const markTexts = (context: BrowserContext) =>
  context.route(/\/assets\/texts-de-.*\.js$/, async (route) => {
    const response = await route.fetch()
    const body = await response.text()
    const marked = body.replace(
      /\{(first|work|administration):\(\)=>([\w$]+)\}/g,
      '{$1:()=>mark($2)}',
    )
    await route.fulfill({ response, body: `${marked}${mark}` })
  })

const textsOfPage = `[...document.querySelectorAll('body *')]
  .flatMap((element) => [
    ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data),
    ...['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
  ])
  .map((text) => text.trim())
  .filter((text) => /\\p{L}{2}/u.test(text) && !/[⟦⟧]/.test(text))`

/** Of Intl: a day in full, or how long ago. */
const isTime = (text: string): boolean =>
  /^(\p{L}+, \d+\. \p{L}+ \d{4}|(in|vor) (\d+|dieser) \p{L}+)$/u.test(text)

test('every text of a page comes from the texts of a language, and none stands in its code', async () => {
  // What definitions and records say, in whatever language they are written: also those that the test before has visited.
  const visited = ['/order/1?include=customer', '/user/2']
  const paths = ['/api/entities', '/api/me', '/order', ...visited]
  const answers = await Promise.all(
    [...paths, '/order/1/actions'].map((path) => service.ask('GET', path)),
  )
  const known = ['"Shop"', ...answers.map(({ text }) => text)].join('\n').toLowerCase()
  /** Whether a text is of a definition, a record, or a time; paths and steps have several. */
  const isData = (text: string): boolean =>
    isTime(text) || text.split(/[›·→]/).every((part) => known.includes(part.trim().toLowerCase()))
  const context = await (await startBrowser()).newContext({ locale: 'de-DE' })
  await signIn(context, service)
  await markTexts(context)
  const page = await context.newPage()
  await page.goto(`${service.url}/console`)
  const goTo = goWithin(page)
  for (const path of daily.filter((one) => !one.endsWith('settings'))) {
    await goTo(path)
    await page.getByText('⟦').first().waitFor()
    const texts: readonly string[] = await page.evaluate(textsOfPage)
    assert.deepEqual(
      [...new Set(texts)].filter((text) => !isData(text)),
      [],
      path,
    )
  }
  await context.close()
})
