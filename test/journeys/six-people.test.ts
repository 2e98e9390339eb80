/**
 * Six people of four roles and no identity provider, behind a proxy with TLS: from the first invitation, by passwords, passkeys and an
 * app, to one who loses a device and one who leaves.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { offeredSignInWays } from '../../src/auth/sign-in-ways.ts'
import { firstInvitation } from '../../src/cli/first-invitation.ts'
import { opened } from '../support/afterwards.ts'
import { type OpenPage, openPage } from '../support/browser.ts'
import { addDevice, codeOf, keyOf } from '../support/console/a-device.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { namedRole } from '../support/definitions/files.ts'
import { startTestService } from '../support/service.ts'
import { idOf } from '../support/sessions/a-browser.ts'
import { clientAddress, startTlsProxy } from '../support/tls-proxy.ts'

const theirOwn = { approver: { $caller: 'id' } }
const project = {
  ...orderProject,
  'docket.json': {
    ...orderProject['docket.json'],
    signIn: { secondFactorFor: ['approver'] },
  },
  ...namedRole('Clerk', {
    customer: { create: true, read: true },
    user: { read: true },
    order: { create: true, read: true, update: 'own', tasks: true, actions: ['submit'] },
  }),
  ...namedRole('Approver', {
    customer: { read: true },
    order: {
      read: true,
      tasks: true,
      actions: ['approve', 'reject'],
      conditions: { read: theirOwn },
    },
  }),
  ...namedRole('Warehouse', { customer: { read: true } }),
}

const service = opened(async () => {
  const proxy = await startTlsProxy('shop.test')
  const environment = {
    PUBLIC_URL: proxy.url,
    TRUST_PROXY: '127.0.0.1',
    ADMIN_EMAIL: 'maria@example.com',
  }
  const started = await startTestService(project, environment)
  proxy.passTo(started.url)
  return { ...started, url: proxy.url }
})

/** The link that `docket start` writes where no person reads what it prints. */
const firstLink = async (): Promise<string> => {
  const { config, database, url: base } = service
  const ways = offeredSignInWays(config, service.project.settings)
  await firstInvitation({ pool: database.pool, config, ways, base, isShown: false })
  return (await readFile(join(config.PROJECT, '.docket', 'first-invitation'), 'utf8')).trim()
}

const phone = { viewport: { width: 390, height: 760 } }
const open = (options: Partial<typeof phone> = {}): Promise<OpenPage> =>
  openPage(service, '/console', { as: null, ignoreHTTPSErrors: true, ...options })

const mailOf = (name: string) => `${name.toLowerCase()}@example.com`
const passwordOf = (name: string) => `${name} rides a yellow horse`

const signedIn = (page: Page, name: string) => page.getByRole('button', { name }).waitFor()
const signedOut = (page: Page) => page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
const go = (page: Page, path: string) => page.goto(`${service.url}/console${path}`)

const greeted = async (page: Page, link: string, name: string) => {
  await page.goto(link)
  await page.getByRole('heading', { name: `Welcome, ${name}` }).waitFor()
}

const signOut = async (page: Page, name: string) => {
  await page.getByRole('button', { name }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await signedOut(page)
}

const signIn = async (page: Page, name: string, password = passwordOf(name)) => {
  await page.getByLabel('E-mail or user name').fill(mailOf(name).toUpperCase())
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const isRefused = (page: Page, why: string) => page.getByRole('alert').getByText(why).waitFor()
const isWrong = (page: Page) => isRefused(page, 'The name or the password is wrong.')

const setPassword = async (page: Page, name: string) => {
  await page.getByLabel('New password', { exact: true }).fill(passwordOf(name))
  await page.getByRole('button', { name: 'Set the password' }).click()
}

const makePasskey = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await signedIn(page, name)
}

/** Sends a request of a page, with the cookie of its session. */
const post = async (page: Page, path: string, body: object): Promise<number> => {
  const { status, id: made } = await page.evaluate(
    async ([address, text]) => {
      const headers = { 'Content-Type': 'application/json' }
      const reply = await fetch(address, { method: 'POST', headers, body: text })
      const { id } = (await reply.json()) as { id?: number }
      return { status: reply.status, id: id ?? 0 }
    },
    [path, JSON.stringify(body)] as const,
  )
  assert.ok(status < 300, `${path}: ${status}`)
  return made
}

/** Invites a new user by the dialog; the link. */
const invite = async (page: Page, name: string, role: string): Promise<string> => {
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a user' })
  await dialog.getByLabel('First name').fill(name)
  await dialog.getByLabel('Last name').fill('Test')
  await dialog.getByLabel('E-mail').fill(mailOf(name))
  await dialog.getByLabel('Role').selectOption(role)
  await dialog.getByRole('button', { name: 'Create the user' }).click()
  const link = await page.getByLabel('Link that lets this person in').inputValue()
  await page.keyboard.press('Escape')
  return link
}

const rowOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Users' }).getByRole('row', { name: `${name} Test` })

/** The names of orders that a user's list has. */
const ordersOf = async (page: Page): Promise<readonly string[]> => {
  await go(page, '/order')
  const names = page.getByRole('grid').getByRole('link', { name: /^A-\d$/ })
  await names.first().waitFor()
  return (await names.allTextContents()).sort()
}

test('six people of four roles work without an identity provider', async (context) => {
  const { page: maria, reports } = await open()
  const { page: ana } = await open()
  const { page: iva } = await open(phone)
  const { page: boris } = await open()
  const { page: lost } = await open()
  const { page: vesna } = await open()
  const { page: goran } = await open()
  const links = new Map<string, string>()
  const addresses: string[] = []
  ana.on('request', (request) => addresses.push(request.url()))

  await context.test(
    'the first administrator sets a password by the first invitation',
    async () => {
      await signedOut(maria)
      await greeted(maria, await firstLink(), 'Administrator')
      await setPassword(maria, 'Maria')
      await signedIn(maria, 'Administrator')
    },
  )

  await context.test('she invites five people of three further roles', async () => {
    await go(maria, '/-/admin/users')
    for (const [name, role] of [
      ['Ana', 'Clerk'],
      ['Iva', 'Clerk'],
      ['Boris', 'Approver'],
      ['Vesna', 'Approver'],
      ['Goran', 'Warehouse'],
    ] as const)
      links.set(name, await invite(maria, name, role))
    await maria.getByRole('radio', { name: 'Invited 5' }).waitFor()
  })

  await context.test(
    'they come in by a password, a passkey and an app, one on a phone',
    async () => {
      for (const [page, name] of [
        [ana, 'Ana'],
        [iva, 'Iva'],
        [boris, 'Boris'],
        [goran, 'Goran'],
      ] as const) {
        await greeted(page, links.get(name) ?? '', `${name} Test`)
        // What scans e-mails opens the link too; nothing is used up before the password is set.
        if (page === ana) await page.reload()
        await setPassword(page, name)
        if (page === iva) await iva.getByRole('button', { name: 'Open the navigation' }).click()
        if (page !== boris) await signedIn(page, `${name} Test`)
      }
      await boris.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
      await boris.getByRole('button', { name: 'Use an authenticator app' }).click()
      await boris.getByRole('img', { name: 'QR code of the key' }).waitFor()
      const key = await keyOf(boris)
      await boris.getByLabel('Code of the app').fill(codeOf(key, 0))
      await boris.getByRole('button', { name: 'Use this app' }).click()
      await boris.getByRole('heading', { name: 'Recovery codes' }).waitFor()
      const recovery = await boris.locator('.recovery-codes li').first().textContent()
      await boris.getByRole('button', { name: 'I have kept them' }).click()
      await signedIn(boris, 'Boris Test')
      for (const code of [codeOf(key, 1), recovery ?? '']) {
        await signOut(boris, 'Boris Test')
        await signIn(boris, 'Boris')
        await boris.getByLabel('Code', { exact: true }).fill(code)
        await boris.getByRole('button', { name: 'Confirm' }).click()
        await signedIn(boris, 'Boris Test')
      }
      await addDevice(lost)
      await greeted(lost, links.get('Vesna') ?? '', 'Vesna Test')
      await makePasskey(lost, 'Vesna Test')
      await signOut(lost, 'Vesna Test')
      await lost.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await signedIn(lost, 'Vesna Test')
      await go(maria, '/-/admin/users')
      await rowOf(maria, 'Vesna').getByText('Passkey').waitFor()
      await maria.getByText('No invitation is open.').waitFor()
    },
  )

  await context.test('a link works once, and a password is changed by its user', async () => {
    const link = links.get('Ana') ?? ''
    const code = new URL(link).hash.replace('#invitation=', '')
    const sent = addresses.filter((address) => address.includes(code) && !address.includes('#'))
    assert.deepEqual(sent, [])
    await signOut(ana, 'Ana Test')
    await ana.goto(link)
    await isRefused(ana, 'ask an administrator for a new link')
    await signIn(ana, 'Ana', 'a new horse battery')
    await isWrong(ana)
    await signIn(ana, 'Ana')
    await signedIn(ana, 'Ana Test')
    assert.ok(!ana.url().includes('invitation'))
    await go(ana, '/-/settings')
    await ana.getByLabel('Current password', { exact: true }).fill(passwordOf('Ana'))
    await ana.getByLabel('New password', { exact: true }).fill('a new horse battery')
    await ana.getByRole('button', { name: 'Change the password' }).click()
    await ana.getByText('All your other sessions have ended.').waitFor()
    await signOut(ana, 'Ana Test')
    await signIn(ana, 'Ana', 'a new horse battery')
    await signedIn(ana, 'Ana Test')
  })

  await context.test('each sees what their role may', async () => {
    const customer_id = await post(ana, '/customer', { name: 'Adria Metal' })
    for (const [number, approver] of [
      ['A-1', 'Boris'],
      ['A-2', 'Vesna'],
    ] as const) {
      const approver_id = await idOf(service, mailOf(approver))
      const id = await post(ana, '/order', { number, customer_id, approver_id })
      await post(ana, `/order/${id}/proceedToStep`, { action: 'submit' })
    }
    assert.deepEqual(await ordersOf(ana), ['A-1', 'A-2'])
    assert.deepEqual(await ordersOf(iva), ['A-1', 'A-2'])
    assert.deepEqual(await ordersOf(boris), ['A-1'])
    assert.deepEqual(await ordersOf(lost), ['A-2'])
    await go(goran, '/order')
    await goran.getByText('There is no such page.').waitFor()
    const navigation = goran.getByRole('navigation', { name: 'Main navigation' })
    await navigation.getByRole('link', { name: 'Customer' }).waitFor()
    for (const name of ['Order', 'User', 'Users'])
      assert.equal(await navigation.getByRole('link', { name, exact: true }).count(), 0)
    await go(goran, '/-/admin/users')
    await goran.getByText('There is no such page.').waitFor()
  })

  await context.test('one loses a device, and comes back by a new invitation', async () => {
    await maria.getByRole('button', { name: 'Invite … Vesna Test' }).click()
    await maria.getByRole('button', { name: 'Create the link' }).click()
    const line = maria.getByLabel('Link that lets this person in')
    const link = await line.inputValue()
    await maria.keyboard.press('Escape')
    await addDevice(vesna)
    await greeted(vesna, link, 'Vesna Test')
    await makePasskey(vesna, 'Vesna Test')
    await go(lost, '')
    await signedOut(lost)
    await lost.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await isRefused(lost, 'The passkey is not known here')
    assert.deepEqual(await ordersOf(vesna), ['A-2'])
  })

  await context.test(
    'one leaves, and another one has their task and what waits for them',
    async () => {
      const description = 'Compare the offers'
      const assigne_id = await idOf(service, mailOf('Boris'))
      await post(ana, '/order/1/task', { description, assigne_id })
      await go(boris, '/-/tasks')
      await boris.getByText(description).waitFor()
      await rowOf(maria, 'Boris').getByRole('button', { name: 'Sessions …' }).click()
      const sessions = maria.getByRole('dialog', { name: 'Sessions of Boris Test' })
      await sessions.getByRole('button', { name: /^Sign out there: / }).waitFor()
      await sessions.getByRole('button', { name: 'Close' }).click()
      await rowOf(maria, 'Boris').getByRole('button', { name: 'Deactivate …' }).click()
      const dialog = maria.getByRole('dialog', { name: 'Deactivate Boris Test' })
      for (const item of ['Order, open tasks: 1', 'Order, Approver: 1'])
        await dialog.getByText(item).waitFor()
      await dialog.getByLabel('Who takes over').fill('Vesna')
      await dialog.getByRole('option', { name: 'Vesna Test' }).click()
      await dialog.getByRole('button', { name: 'Deactivate', exact: true }).click()
      for (const said of ['Boris Test is deactivated.', 'Handed over to Vesna Test:'])
        await dialog.getByText(said).waitFor()
      await dialog.getByRole('button', { name: 'Close' }).first().click()
      await rowOf(maria, 'Boris').getByText('Not active').waitFor()
      await go(vesna, '/-/tasks')
      await vesna.getByText(description).waitFor()
      await go(vesna, '/-/approvals')
      const queue = vesna.getByRole('list', { name: 'Waiting for a decision' })
      for (const name of ['A-1', 'A-2']) await queue.getByText(name).waitFor()
      await go(boris, '')
      await signedOut(boris)
      await signIn(boris, 'Boris')
      await isWrong(boris)
    },
  )

  await context.test(
    'the first administrator enters her name, which the menu has at once',
    async () => {
      await go(maria, '/user/1')
      await maria.getByLabel('Full name').fill('Maria Test')
      await maria.getByRole('button', { name: 'Save' }).click()
      await signedIn(maria, 'Maria Test')
    },
  )

  await context.test('the audit says who came from where', async () => {
    await go(maria, '/-/admin/audit')
    await maria.getByText(clientAddress).first().waitFor()
    assert.deepEqual(reports, [])
  })
})
