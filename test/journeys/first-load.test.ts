/** How much a browser loads before it can show a page: few files, small, and none from elsewhere. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'
import { signIn, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { orderProject } from '../support/console/an-order-project.ts'

const maxFiles = 8
const maxFirstBytes = 150_000
const maxFurtherBytes = 60_000

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
})

type LoadedFile = { readonly path: string; readonly bytes: number }

const isFile = (response: Response): boolean =>
  ['script', 'stylesheet', 'font'].includes(response.request().resourceType())

const measure = async (response: Response): Promise<LoadedFile> => ({
  path: new URL(response.url()).pathname,
  bytes: gzipSync(await response.body()).length,
})

// What a page loads after this time is not of it.
const restAfterMs = 3000

/** A busy machine may need longer than that for the page itself. */
const keepRestAway = (page: Page) =>
  page.addInitScript(`{
    const plain = setTimeout
    globalThis.setTimeout = (act, ms, ...more) => (ms === ${restAfterMs} ? 0 : plain(act, ms, ...more))
  }`)

/** The scripts, styles and fonts of a page, with their sizes after gzip. */
const filesOf = async (path: string): Promise<readonly LoadedFile[]> => {
  // A browser that has nothing of the service yet.
  const context = await browser.newContext()
  await signIn(context, service)
  const page = await context.newPage()
  await keepRestAway(page)
  const responses: Response[] = []
  page.on('response', (response) => responses.push(response))
  await page.goto(`${service.url}${path}`)
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  const isElsewhere = (url: string) => new URL(url).origin !== service.url
  assert.deepEqual(responses.map((response) => response.url()).filter(isElsewhere), [])
  // What comes later is not of the first page.
  const files = await Promise.all(responses.filter(isFile).map(measure))
  await context.close()
  return files
}

const sumOf = (files: readonly LoadedFile[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

describe('the first load', () => {
  test('a list needs few files, which are small together', async () => {
    const files = await filesOf('/console/order')
    const paths = files.map(({ path }) => path)
    assert.equal(files.length <= maxFiles, true, `The list loads ${paths.join(', ')}.`)
    assert.equal(sumOf(files) <= maxFirstBytes, true, `The list loads ${sumOf(files)} bytes.`)
    assert.deepEqual(
      paths.filter((path) => !/\.(js|css)$/.test(path)),
      [],
    )
  })

  test('what every page reads first is asked for by the page itself, and once', async () => {
    const context = await browser.newContext()
    await signIn(context, service)
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${service.url}/console/order`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    await until('the tasks are counted', () => asked.includes('/api/tasks/count'))
    const script = asked.findIndex((path) => path.endsWith('.js'))
    for (const path of [
      ...['/console/-/config.json', '/api/me', '/api/entities', '/console/-/settings.json'],
    ]) {
      assert.equal(asked.filter((one) => one === path).length, 1, `${path} in ${asked.join(', ')}`)
      assert.ok(asked.indexOf(path) < script, `${path} comes before the scripts`)
    }
    // The rows do not wait for the page around them either.
    assert.ok(asked.indexOf('/order/search') < asked.indexOf('/api/tasks/count'), asked.join(', '))
    await context.close()
  })

  test('rows are asked for before anything is rendered', async () => {
    const context = await browser.newContext()
    await signIn(context, service)
    const page = await context.newPage()
    await page.addInitScript(`{
      const send = fetch
      globalThis.fetch = (url, init) => {
        if (String(url).includes('/order/search'))
          globalThis.renderedBefore ??= document.querySelector('nav') !== null
        return send(url, init)
      }
    }`)
    await page.goto(`${service.url}/console/order`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(await page.evaluate('globalThis.renderedBefore'), false)
    await context.close()
  })

  test('browsers compile the scripts of the first page while they come', async () => {
    const scripts = (await filesOf('/console/order')).filter(({ path }) => /-.*\.js$/.test(path))
    const hinted = await Promise.all(
      scripts.map(async ({ path }) => {
        const text = await (await fetch(service.url + path)).text()
        return text.startsWith('//# allFunctionsCalledOnLoad\n') && path
      }),
    )
    // What only joins them has next to no functions.
    assert.equal(hinted.filter(Boolean).length, scripts.length - 1, String(hinted))
  })

  for (const path of [
    ...['/console/order/new', '/console/-/inbox', '/console/-/approvals'],
    ...['/console/-/settings', '/console/-/tasks', '/console'],
  ])
    test(`${path} adds little to it`, async () => {
      const known = new Set((await filesOf('/console/order')).map((file) => file.path))
      const further = (await filesOf(path)).filter((file) => !known.has(file.path))
      assert.equal(sumOf(further) <= maxFurtherBytes, true, `${path} adds ${sumOf(further)} bytes.`)
    })
})
