/** The page of a record in a real browser: its parts, what may be done with it as a whole, and who may do it. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolationsEverywhere, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { addPeople, approverEmail, sellerEmail, shopProject } from './a-shop-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
let id = 0
let number = 0

const create = async (path: string, body: object, as?: string): Promise<number> => {
  const created = await service.ask('POST', path, { body, ...(as !== undefined && { as }) })
  assert.equal(created.status, 201, created.text)
  return created.json().id
}

before(async () => {
  service = await startTestService(await writeProject(shopProject))
  browser = await startBrowser()
  await addPeople(service)
  await create('/customer', { name: 'Adria Metal', city: 'Split' })
})

beforeEach(async () => {
  number += 1
  id = await create('/order', { number: `S-${number}`, customer_id: 1, total: '12.50' })
})

/** Opens a part of the record and remembers every answer that refuses something. */
const openRecord = async (part = '', options: Parameters<typeof openPage>[3] = {}) => {
  const opened = await openPage(browser, service, `/console/order/${id}${part}`, options)
  const refused: string[] = []
  opened.page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await opened.page.getByRole('heading', { name: `S-${number}` }).waitFor()
  return { ...opened, refused }
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name })
const choose = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('parts of a record', () => {
  test('records that link to it are listed with their number, and all of them in a list', async () => {
    for (let at = 1; at <= 21; at++)
      await create('/line', { order_id: id, article: `Tube ${at}`, price: '1.00' })
    await create('/line', {
      order_id: await create('/order', { number: 'other', customer_id: 1 }),
      article: 'Not here',
    })
    const { page, reports } = await openRecord()
    await tab(page, 'Lines 21').click()
    const lines = page.getByRole('tabpanel', { name: 'Lines 21' })
    await lines.getByRole('link', { name: 'Tube 20' }).waitFor()
    assert.equal(await lines.getByRole('row').count(), 1 + 20)
    await lines.getByRole('link', { name: 'Show all 21 in the list' }).click()
    await page.getByText('21 records').waitFor()
    await page.goBack()
    await page.getByRole('tab', { name: 'Lines 21', selected: true }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('a part has an address of its own, and tabs move by keys', async () => {
    const { page } = await openRecord('#lines')
    await page.getByRole('tab', { name: 'Lines', selected: true }).focus()
    await page.getByText('There are none yet.').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('tab', { name: 'Fields', selected: true }).waitFor()
    assert.equal(new URL(page.url()).hash, '#fields')
    await page.keyboard.press('End')
    await page.getByRole('tab', { selected: true }).and(page.locator(':focus')).waitFor()
    assert.notEqual(new URL(page.url()).hash, '#fields')
  })

  test('what was typed stays while another part is shown', async () => {
    const { page } = await openRecord()
    await page.getByLabel('Notes').fill('Ring')
    await tab(page, 'Lines').click()
    await tab(page, 'Fields, not saved').click()
    assert.equal(await page.getByLabel('Notes').inputValue(), 'Ring')
  })

  test('a new one is linked to the record, and another one can follow at once', async () => {
    const { page, reports } = await openRecord('#lines')
    await page.getByRole('link', { name: 'New: Line' }).click()
    const order = page.getByRole('combobox', { name: 'Order' })
    await order.and(page.locator(`[value="S-${number}"]`)).waitFor()
    await page.getByLabel('Article').fill('Tube')
    await page.getByRole('button', { name: 'Create and add another' }).click()
    await page.getByText('Tube was created.').waitFor()
    await page.getByLabel('Article').fill('Sheet')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('tab', { name: 'Lines 2', selected: true }).waitFor()
    const found = await service.ask('POST', '/line/search', { body: { $where: { order_id: id } } })
    assert.deepEqual(
      found.json().data.map(({ article }: { article: string }) => article),
      ['Tube', 'Sheet'],
    )
    assert.deepEqual(reports, [])
  })

  test('on a phone the history is one of the parts', async () => {
    const { page } = await openRecord('', { viewport: { width: 320, height: 700 } })
    await tab(page, 'History').click()
    await page.getByRole('tabpanel', { name: 'History' }).getByText('created the record').waitFor()
  })
})

describe('a link of a record', () => {
  test('whoever rests on it sees what it leads to, and Escape hides it', async () => {
    const { page, reports } = await openRecord()
    const link = page.getByRole('link', { name: 'Open Adria Metal' })
    await link.hover()
    const look = page.getByRole('tooltip')
    await look.getByText('Split').waitFor()
    await page.mouse.move(0, 0)
    await look.waitFor({ state: 'detached' })
    await link.focus()
    await look.getByText('Adria Metal').waitFor()
    await page.keyboard.press('Escape')
    await look.waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Adria Metal' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('it can be followed by those who may not change it', async () => {
    const { page } = await openRecord('', { as: approverEmail })
    const field = page.getByRole('status', { name: 'Customer' })
    await field.getByRole('link', { name: 'Adria Metal' }).click()
    await page.getByRole('heading', { name: 'Adria Metal' }).waitFor()
  })
})

describe('a record as a whole', () => {
  test('it is removed after its name was confirmed, and restored on the same page', async () => {
    const { page } = await openRecord()
    await choose(page, 'Remove …')
    const dialog = page.getByRole('dialog', { name: `Remove S-${number}?` })
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('This record was removed.').waitFor()
    assert.equal((await service.ask('GET', `/order/${id}`)).status, 404)
    await page.reload()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('tab', { name: 'Fields' }).waitFor()
    assert.equal((await service.ask('GET', `/order/${id}`)).status, 200)
    await page.getByText('restored the record').waitFor()
  })

  test('a removal of a record that somebody else changed first is refused with the reason', async () => {
    const { page } = await openRecord()
    await choose(page, 'Remove …')
    await page.getByRole('dialog').waitFor()
    await service.ask('PATCH', `/order/${id}`, { body: { notes: 'Changed' } })
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    assert.equal((await service.ask('GET', `/order/${id}`)).status, 200)
  })

  test('whoever takes it over owns it, and may change it then', async () => {
    const { page, refused } = await openRecord('', { as: sellerEmail })
    await page.getByText('Owner: Administrator').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Notes' }).count(), 0)
    await page.getByRole('button', { name: 'More actions' }).press('Enter')
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Take over' }).press('Enter')
    await page.getByText('Owner: Sale Horvat (you)').waitFor()
    await page.getByRole('textbox', { name: 'Notes' }).waitFor()
    assert.deepEqual(refused, [])
  })
})

test('a role sees only what it may do, and is refused nothing', async () => {
  const { page, refused } = await openRecord('', { as: approverEmail })
  await page.getByRole('complementary', { name: 'History' }).getByText('Administrator').waitFor()
  assert.equal(await page.getByRole('tab').count(), 1)
  assert.equal(await page.getByRole('textbox').count(), 0)
  // Whoever may read a record may ask this.
  await page.getByRole('button', { name: 'More actions' }).click()
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Who was notified?'])
  await openRecord('', { as: sellerEmail }).then(async ({ page: other, refused: others }) => {
    await tab(other, 'Lines').click()
    await other.getByText('There are none yet.').waitFor()
    assert.equal(await other.getByRole('link', { name: 'New: Line' }).count(), 0)
    refused.push(...others)
  })
  assert.deepEqual(refused, [])
})

describe('axe finds nothing', () => {
  const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'lines of a record': async (page) => {
      await tab(page, 'Lines 1').click()
      await page.getByRole('link', { name: 'Tube' }).waitFor()
    },
    'look at a linked record': async (page) => {
      await page.getByRole('link', { name: 'Open Adria Metal' }).focus()
      await page.getByRole('tooltip').getByText('Split').waitFor()
    },
    'confirmation of a removal': async (page) => {
      await choose(page, 'Remove …')
      await page.getByRole('dialog').waitFor()
    },
  }
  for (const [name, arrange] of Object.entries(states))
    test(`${name}, light and dark, 320, 768 and 1440 pixels`, async () => {
      await create('/line', { order_id: id, article: 'Tube' })
      // So high that the bar of actions covers no input by half, which axe would take for a small one.
      const { page } = await openRecord('', { viewport: { width: 320, height: 840 } })
      const options = { isLoadedAgain: true }
      assert.deepEqual(await findViolationsEverywhere(page, () => arrange(page), options), [])
    })
})
