/**
 * `npm run screenshots`: takes the pictures of the console and of a printed order in docs/images, of the example project in a service of its
 * own, so that they show what users see after the two commands of the README. Arguments name the pictures to take; without them all.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from '../support/chromium.ts'
import { runDocket, spawnDocket } from '../support/docket.ts'
import { until } from '../support/wait.ts'

const root = new URL('../../', import.meta.url)
const images = fileURLToPath(new URL('docs/images/', root))
const port = '3987'
const address = `http://127.0.0.1:${port}`

// What the buyer is told of, and what is printed.
const approved = [2954, 2964]

/** A page of paper on a desk, cut below the signature. */
const desk = `<style>
  body { margin: 0; padding: 24px; background: #f1f3f6 }
  main { width: 760px; height: 652px; overflow: hidden; background: #fff; outline: 1px solid #d3d8de; box-shadow: 0 2px 8px #0002 }
  svg { display: block; width: 100%; height: auto }
</style>`

type Picture = {
  readonly name: string
  /** Who sees it; the administrator sees the others. */
  readonly as?: 'administrator' | 'buyer'
  readonly path: string
  readonly options: BrowserContextOptions
  readonly arrange: (page: Page) => Promise<void>
}

const where = encodeURIComponent(
  JSON.stringify({ 'supplier.country.code': 'DE', total_eur: { $gte: '10000' } }),
)
const wide = { viewport: { width: 1360, height: 760 } }

const pictures: readonly Picture[] = [
  {
    name: 'console-list',
    path: `/console/purchase_order?w=${where}&s=${encodeURIComponent('["-total_eur"]')}`,
    options: wide,
    arrange: async (page) => {
      await page.getByRole('gridcell').first().waitFor()
      await page
        .getByRole('button', { name: /^Remove the filter/ })
        .nth(1)
        .waitFor()
    },
  },
  {
    name: 'console-record',
    path: '/console/purchase_order/2990',
    options: wide,
    arrange: (page) => page.getByRole('button', { name: 'Approve' }).waitFor(),
  },
  {
    name: 'console-approvals-dark',
    path: '/console/-/approvals',
    options: { ...wide, colorScheme: 'dark' },
    arrange: (page) => page.getByRole('img', { name: 'Purchase order' }).waitFor(),
  },
  {
    name: 'console-export',
    path: `/console/purchase_order?w=${where}`,
    options: wide,
    arrange: async (page) => {
      await page.getByRole('gridcell').first().waitFor()
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      await page.getByRole('dialog').getByRole('cell').first().waitFor()
    },
  },
  {
    name: 'console-inbox',
    as: 'buyer',
    path: '/console/-/inbox',
    options: wide,
    arrange: async (page) => {
      await page.getByRole('main').getByText('approved').first().click()
      await page.getByRole('main').getByRole('link', { name: 'Open' }).first().waitFor()
    },
  },
  {
    name: 'console-phone',
    path: '/console/purchase_order/2990',
    options: { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true },
    arrange: (page) => page.getByRole('button', { name: 'Approve' }).waitFor(),
  },
  {
    name: 'purchase-order',
    path: '/console/purchase_order',
    options: { viewport: { width: 810, height: 702 } },
    arrange: async (page) => {
      const order = `${address}/purchase_order/${approved[0]}`
      const picture = await page.request.get(`${order}/documents/purchase-order/picture`, {
        headers: { Origin: address },
      })
      // Its styles are not those of a page of the service.
      await page.goto('about:blank')
      await page.setContent(`${desk}<main>${await picture.text()}</main>`)
    },
  },
]

const named = process.argv.slice(2)
const wanted = pictures.filter(({ name }) => named.length === 0 || named.includes(name))

const project = await mkdtemp(join(tmpdir(), 'docket-screenshots-'))
await cp(new URL('example/', root), project, {
  recursive: true,
  filter: (path) => !path.includes('.docket'),
})
const service = spawnDocket(['start', '--project', project, '--port', port])
try {
  const isReady = () =>
    fetch(`${address}/api/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('the service is ready', isReady)
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox'],
  })
  const signIn = async (...user: readonly string[]) => {
    const { out } = await runDocket(['login', '--project', project, '--port', port, ...user])
    const code = /#code=(\S+)/.exec(out)?.[1]
    const { request } = await browser.newContext()
    const headers = { Origin: address }
    await request.post(`${address}/console/-/session`, { headers, data: { code } })
    return request
  }
  const administrator = await signIn()
  const headers = { Origin: address }
  for (const id of approved)
    await administrator.post(`${address}/purchase_order/${id}/proceedToStep`, {
      headers,
      data: { action: 'approve' },
    })
  const buyer = await signIn('--user', 'anna@example.com')
  const states = {
    administrator: await administrator.storageState(),
    buyer: await buyer.storageState(),
  }
  for (const { name, path, as = 'administrator', options, arrange } of wanted) {
    const storageState = states[as]
    const context = await browser.newContext({ ...options, storageState, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(`${address}${path}`)
    await arrange(page)
    await page.screenshot({ path: join(images, `${name}.png`) })
    process.stdout.write(`docs/images/${name}.png\n`)
  }
  await browser.close()
} finally {
  service.kill('SIGTERM')
  await until(
    'the service has ended',
    async () => service.exitCode !== null || service.signalCode !== null,
  )
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
}
