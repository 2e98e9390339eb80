/**
 * `npm run screenshots`: takes the pictures of the console and of a printed order in docs/images, of the example project in a service of its
 * own behind TLS, so that they show what a team sees on its server. Arguments name the pictures to take; without them all.
 */
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from '../support/chromium.ts'
import { addDevice } from '../support/console/a-device.ts'
import { runDocket, spawnDocket } from '../support/docket.ts'
import { startTlsProxy } from '../support/tls-proxy.ts'
import { until } from '../support/wait.ts'

const root = new URL('../../', import.meta.url)
const images = fileURLToPath(new URL('docs/images/', root))
const port = '3987'
const proxy = await startTlsProxy('shop.test')
const target = `http://127.0.0.1:${port}`
proxy.passTo(target)
const address = proxy.url

const project = await mkdtemp(join(tmpdir(), 'docket-screenshots-'))
const environment = { PUBLIC_URL: address, TRUST_PROXY: '127.0.0.1' }

/** Invites a user of the example; the link. */
const invite = async (email: string): Promise<string> => {
  const { out, err } = await runDocket(
    ['invite', '--project', project, '--email', email],
    environment,
  )
  if (out === '') throw new Error(err)
  return out.trim()
}

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
  readonly as?: 'administrator' | 'buyer' | 'nobody'
  readonly path: string
  readonly options: BrowserContextOptions
  readonly arrange: (page: Page) => Promise<void>
}

const where = encodeURIComponent(
  JSON.stringify({ 'supplier.country.code': 'DE', total_eur: { $gte: '10000' } }),
)
/** An order that is delivered. */
const damagedOrder = 'PO-2026-01163'
const damaged = encodeURIComponent(JSON.stringify({ state: 'damaged' }))
/** A spreadsheet of another system. */
const oldSuppliers = [
  'Code;Firma;Category;Land;City;E-mail;Currency;Partner since',
  'MUELLER-2;Müller GmbH;metal;DE;Bremen;bestellung@mueller.example;EUR;03.05.2019',
  'KOVAC-2;Kovač d.o.o.;wood;HR;Osijek;narudzbe@kovac.example;EUR;14.11.2020',
  'BAUER-7;Bauer & Söhne;tools;Deutschland;Köln;post@bauer.example;EUR;31.02.2021',
  'HUBER-3;Huber KG;office;AT;Graz;huber.example;EUR;09.09.2022',
  'WEISS-1;Weiß AG;electrical;Deutschland;Ulm;info@weiss.example;EUR;22.01.2018',
  'MUELLER-2;Müller Nord;metal;DE;Kiel;nord@mueller.example;EUR;01.07.2023',
].join('\n')

const oldOrders = [
  'Number;Title;Supplier;Currency;Order date;Cost centre;Line;Place;Article;Pieces;Price',
  'PO-2019-00001;Shelves for the store;BURA;EUR;03.02.2019;CC-1000;PO-2019-00001-1;1;MET-0001;4;129,00',
  'PO-2019-00001;Shelves for the store;BURA;EUR;03.02.2019;CC-1000;PO-2019-00001-2;2;MET-0002;16;24,50',
  ';;;;;;PO-2019-00001-3;3;MET-0004;2;9,95',
  'PO-2019-00002;Work benches;VELEBIT;EUR;04.02.2019;CC-1000;PO-2019-00002-1;1;MET-0003;2;410,00',
].join('\n')

/** Two pages of a phone, next to each other. */
const phones = (pictures: readonly Buffer[]): string => {
  const images = pictures.map(
    (one) => `<img src="data:image/png;base64,${one.toString('base64')}">`,
  )
  return `<meta name="viewport" content="width=device-width"><style>
  body { display: flex; justify-content: center; gap: 28px; margin: 0; padding: 24px; background: #f1f3f6 }
  img { width: 390px; height: 844px; border-radius: 18px; outline: 1px solid #d3d8de; box-shadow: 0 2px 8px #0002 }
</style>${images.join('')}`
}

/** Runs in a page: until the bytes of a picture are there and drawn. */
const drawn = (image: { readonly decode: () => Promise<void> }): Promise<void> => image.decode()

const phone = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true }
const photo = fileURLToPath(new URL('example/seed/files/crushed-corner.jpg', root))

const wide = { viewport: { width: 1360, height: 760 } }
const small = { viewport: { width: 720, height: 620 } }

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
    name: 'console-import',
    path: '/console/supplier/import',
    options: wide,
    arrange: async (page) => {
      const buffer = Buffer.from(oldSuppliers)
      const file = { name: 'Lieferanten.csv', mimeType: 'text/csv', buffer }
      await page.getByRole('button', { name: 'Choose a file' }).waitFor()
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByLabel('Firma goes to').selectOption({ label: 'Name' })
      await page.getByLabel('Land goes to').selectOption({ label: 'Country › Code' })
      await page.getByRole('button', { name: 'Check all rows' }).click()
      await page.getByRole('heading', { name: '4 rows have faults' }).waitFor()
    },
  },
  {
    name: 'console-import-lines',
    path: '/console/purchase_order/import',
    options: { viewport: { width: 1360, height: 1330 } },
    arrange: async (page) => {
      const buffer = Buffer.from(oldOrders)
      const file = { name: 'Old orders.csv', mimeType: 'text/csv', buffer }
      await page.getByRole('button', { name: 'Choose a file' }).waitFor()
      await page.locator('input[type=file]').setInputFiles(file)
      for (const [head, label] of [
        ['Supplier', 'Supplier › Code'],
        ['Line', 'Lines › Line'],
        ['Place', 'Lines › Position'],
        ['Article', 'Lines › Product › SKU'],
        ['Pieces', 'Lines › Quantity'],
        ['Price', 'Lines › Unit price'],
      ])
        await page.getByLabel(`${head} goes to`).selectOption({ label: label ?? '' })
      await page.getByRole('columnheader', { name: 'Lines › Unit price' }).waitFor()
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
    name: 'console-files',
    path: `/console/goods_receipt?w=${damaged}`,
    options: wide,
    arrange: async (page) => {
      await page.getByRole('img', { name: 'wet-boards.jpg' }).first().click()
      const picture = page.getByRole('dialog').getByRole('img')
      await picture.evaluate(drawn)
    },
  },
  {
    name: 'console-comments',
    as: 'buyer',
    path: '/console/purchase_order/2998',
    options: wide,
    arrange: async (page) => {
      const write = page.getByRole('textbox', { name: 'Write a comment' })
      await write.focus()
      await page.keyboard.type('@bor')
      await page.getByRole('option', { name: 'Boris Šimić' }).waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.type('they offer 2 % below list. Is this in the budget?')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('article').waitFor()
    },
  },
  {
    name: 'console-phone',
    path: '/console/purchase_order/2990',
    options: phone,
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Approve' }).waitFor()
      await page.getByRole('link', { name: /^Approvals \d/ }).waitFor()
      await page.getByText(/^Lines\s*\d/).waitFor()
    },
  },
  {
    name: 'console-phone-files',
    as: 'buyer',
    path: '/console/goods_receipt/new',
    options: { ...phone, viewport: { width: 390, height: 844 } },
    arrange: async (page) => {
      const receipt = await photographed(page)
      const order = await asked(page)
      await page.setViewportSize({ width: 856, height: 892 })
      await page.goto('about:blank')
      await page.setContent(phones([receipt, order]))
    },
  },
  {
    name: 'console-users',
    path: '/console/-/admin/users',
    options: wide,
    arrange: async (page) => {
      await invite('dora@example.com')
      await page.reload()
      await page.getByRole('table', { name: 'Open invitations' }).waitFor()
    },
  },
  {
    name: 'console-audit',
    path: '/console/-/admin/audit',
    options: wide,
    arrange: (page) => page.getByRole('cell').getByText('Moved to another step').first().click(),
  },
  {
    name: 'console-sign-in',
    as: 'nobody',
    path: '/console',
    options: small,
    arrange: (page) => page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor(),
  },
  {
    name: 'console-invitation',
    as: 'nobody',
    path: '/console',
    options: small,
    arrange: async (page) => {
      await page.goto(await invite('dora@example.com'))
      await page.getByRole('button', { name: 'Create a passkey' }).waitFor()
    },
  },
  {
    name: 'purchase-order',
    path: '/console/purchase_order',
    options: { viewport: { width: 810, height: 702 } },
    arrange: async (page) => {
      const path = `/purchase_order/${approved[0]}/documents/purchase-order/picture`
      const picture = await page.evaluate(async (one) => (await fetch(one)).text(), path)
      // Its styles are not those of a page of the service.
      await page.goto('about:blank')
      await page.setContent(`${desk}<main>${picture}</main>`)
    },
  },
]

/** A photo of a damaged delivery in the form of its receipt. */
const photographed = async (page: Page): Promise<Buffer> => {
  await page.getByRole('textbox', { name: 'Number' }).fill('GR-2026-01284')
  await page.getByRole('combobox', { name: 'Order' }).fill(damagedOrder)
  await page.getByRole('option', { name: damagedOrder }).click()
  await page.getByRole('combobox', { name: 'Received at' }).fill('2026-11-02 07:40')
  await page.getByRole('textbox', { name: 'Delivery note' }).fill('LS 260344')
  await page.getByRole('textbox', { name: 'Packages' }).fill('12')
  await page.getByRole('combobox', { name: 'State' }).selectOption('Damaged')
  await page.getByRole('textbox', { name: 'Remarks' }).fill('One corner crushed in transit.')
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Take a photo' }).click()
  await (await chosen).setFiles(photo)
  await page.getByText('not saved yet').waitFor()
  await page.getByText(/^Notifies .*Boris/).waitFor()
  await page.getByRole('button', { name: 'Create', exact: true }).focus()
  await page.keyboard.press('End')
  return page.screenshot()
}

/** A comment with the photo, on the page of the order. */
const asked = async (page: Page): Promise<Buffer> => {
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'GR-2026-01284' }).waitFor()
  await page.getByRole('link', { name: damagedOrder }).first().click()
  await page.getByRole('heading', { name: damagedOrder }).waitFor()
  await page.getByRole('tab', { name: 'Comments and history' }).click()
  await page.getByRole('textbox', { name: 'Write a comment' }).focus()
  await page.keyboard.type('@bor')
  await page.getByRole('option', { name: 'Boris Šimić' }).click()
  await page.keyboard.type('one corner is crushed. Do we keep it and ask for a credit note?')
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Take a photo' }).click()
  await (await chosen).setFiles(photo)
  await page.getByText('not saved yet').waitFor()
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await page.getByRole('article').locator('img').evaluate(drawn)
  return page.screenshot()
}

/** Runs in a page. */
const approve = async (id: number): Promise<void> => {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ action: 'approve' })
  await fetch(`/purchase_order/${id}/proceedToStep`, { method: 'POST', headers, body })
}

const named = process.argv.slice(2)
const wanted = pictures.filter(({ name }) => named.length === 0 || named.includes(name))

await cp(new URL('example/', root), project, {
  recursive: true,
  filter: (path) => !path.includes('.docket'),
})
const service = spawnDocket(['start', '--project', project, '--port', port], environment)
try {
  const isReady = () =>
    fetch(`${target}/api/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('the service is ready', isReady)
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--host-resolver-rules=MAP *.test 127.0.0.1'],
  })
  const open = (options: BrowserContextOptions) =>
    browser.newContext({ ...options, locale: 'en-GB', ignoreHTTPSErrors: true })
  const accept = async (link: string, byPasskey = false) => {
    const page = await (await open({})).newPage()
    await addDevice(page)
    await page.goto(link)
    await page.getByLabel('New password', { exact: true }).fill('a picture of a yellow horse')
    const way = byPasskey ? 'Create a passkey' : 'Set the password'
    await page.getByRole('button', { name: way }).click()
    await page.getByRole('navigation').first().waitFor()
    return page
  }
  const first = join(project, '.docket', 'first-invitation')
  await until('the first invitation is there', () => existsSync(first))
  const administrator = await accept(await readFile(first, 'utf8'))
  for (const id of approved) await administrator.evaluate(approve, id)
  const buyer = await accept(await invite('anna@example.com'))
  await accept(await invite('boris@example.com'), true)
  const states = {
    administrator: await administrator.context().storageState(),
    buyer: await buyer.context().storageState(),
    nobody: { cookies: [], origins: [] },
  }
  for (const { name, path, as = 'administrator', options, arrange } of wanted) {
    const context = await open({ ...options, storageState: states[as] })
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
  await proxy.close()
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
}
