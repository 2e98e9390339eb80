/** What a browser asks for first: rows do not wait for the page around them. (What it loads: `facts/console/first-load`.) */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signIn, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

let service: TestService
before(async () => {
  service = await startTestService(await writeProject(orderProject))
})

/** Notes whether anything is rendered when the rows are asked for. */
const watchRows = `{
  const send = fetch
  globalThis.fetch = (url, init) => {
    if (String(url).includes('/order/search'))
      globalThis.renderedBefore ??= document.querySelector('nav') !== null
    return send(url, init)
  }
}`

test('what every page reads is asked for by the page itself, once, and rows before anything is rendered', async () => {
  // A browser that has nothing of the service yet.
  const context = await (await startBrowser()).newContext()
  await signIn(context, service)
  const page = await context.newPage()
  await page.addInitScript(watchRows)
  const urls: URL[] = []
  page.on('request', (request) => urls.push(new URL(request.url())))
  const asked = () => urls.map(({ pathname }) => pathname)
  await page.goto(`${service.url}/console/order`)
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await until('the tasks are counted', () => asked().includes('/api/tasks/count'))
  const script = asked().findIndex((path) => path.endsWith('.js'))
  const reads = ['/console/-/config.json', '/api/me', '/api/entities', '/console/-/settings.json']
  for (const path of reads) {
    assert.equal(asked().filter((one) => one === path).length, 1, `${path} in ${asked().join()}`)
    assert.ok(asked().indexOf(path) < script, `${path} comes before the scripts`)
  }
  // The rows do not wait for the page around them either.
  assert.ok(asked().indexOf('/order/search') < asked().indexOf('/api/tasks/count'), asked().join())
  assert.equal(await page.evaluate('globalThis.renderedBefore'), false)
  assert.deepEqual(
    urls.filter(({ origin }) => origin !== service.url).map(({ href }) => href),
    [],
  )
  await context.close()
})
