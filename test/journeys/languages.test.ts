/** Every text of the console comes from the texts of a language: none stands in the code of a page. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { BrowserContext } from 'playwright-core'
import { signIn, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let service: TestService
let known = ''
let context: BrowserContext
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  const created = await service.ask('POST', '/order', { body: { number: 'L-1', customer_id: 1 } })
  const acted = { body: { action: 'submit' } }
  await service.ask('POST', `/order/${created.json().id}/proceedToStep`, acted)
  const task = { description: 'Compare the offers', assigne_id: 1 }
  await service.ask('POST', '/order/1/task', { body: task })
  // What definitions and records say, in whatever language they are written.
  const paths = ['/api/entities', '/api/me', '/order/1?include=customer', '/order/1/actions']
  const answers = await Promise.all(paths.map((path) => service.ask('GET', path)))
  known = ['"Shop"', ...answers.map(({ text }) => text), JSON.stringify(task)]
    .join('\n')
    .toLowerCase()
  context = await (await startBrowser()).newContext({ locale: 'de-DE' })
  await signIn(context, service)
  await markTexts()
})

/** Puts marks around every text of the German files, as they are loaded. */
const markTexts = () =>
  context.route(/\/assets\/.*\.js$/, async (route) => {
    const response = await route.fetch()
    const body = await response.text()
    const marked = body.replace(
      /export\s*\{\s*([\w$]+) as de\s*\}/,
      (_all, name: string) => `const mark = (value) =>
        typeof value === 'string' ? '⟦' + value + '⟧'
        : typeof value === 'function' ? (...given) => mark(value(...given))
        : value && typeof value === 'object'
          ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mark(inner)]))
          : value
      const marked = mark(${name})
      export { marked as de }`,
    )
    await route.fulfill({ response, body: marked })
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

/** Whether a text is of a definition, a record, or a time; paths and steps have several. */
const isData = (text: string): boolean =>
  isTime(text) || text.split(/[›·→]/).every((part) => known.includes(part.trim().toLowerCase()))

const pages = [
  ...['/console', '/console/order', '/console/order/1', '/console/order/new'],
  ...['/console/-/inbox', '/console/-/approvals', '/console/-/tasks'],
]

describe('no text stands in the code', () => {
  for (const path of pages)
    test(`of ${path}`, async () => {
      const page = await context.newPage()
      await page.goto(`${service.url}${path}`)
      await page.getByRole('main').getByRole('heading').first().waitFor()
      await page.waitForLoadState('networkidle')
      await page.getByText('⟦').first().waitFor()
      const texts: readonly string[] = await page.evaluate(textsOfPage)
      assert.deepEqual(
        [...new Set(texts)].filter((text) => !isData(text)),
        [],
      )
      await page.close()
    })
})
