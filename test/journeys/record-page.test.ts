/** The page of a record in a real browser: its parts, its documents, its removal by the user or by others, and who may do what. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { findViolations, openPage } from '../support/browser.ts'
import { until } from '../support/wait.ts'
import { approverEmail, sellerEmail, startShop } from './a-shop-project.ts'

const service = await startShop()

const create = async (path: string, body: object): Promise<number> =>
  (await service.ask('POST', path, { body })).json(201).id

const createOrder = (number: string) => create('/order', { number, customer_id: 1, total: '12.50' })

/** Opens a new order, and remembers every answer that refuses something. */
const openOrder = async (number: string, options: Parameters<typeof openPage>[2] = {}) => {
  const id = await createOrder(number)
  const opened = await openPage(service, `/console/order/${id}`, options)
  const refused: string[] = []
  opened.page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await opened.page.getByRole('heading', { name: number }).waitFor()
  return { ...opened, id, refused }
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name })
const selected = (page: Page, name: string) => page.getByRole('tab', { name, selected: true })
const choose = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More actions' }).press('Enter')
  await page.getByRole('menuitem', { name: item }).press('Enter')
}
const isFocused = (page: Page, name: string) =>
  page.getByRole('button', { name }).and(page.locator(':focus')).waitFor()

test('parts of a record', async (context) => {
  const { page, id, reports } = await openOrder('S-1')

  await context.test('have addresses, move by keys, and keep what was typed', async () => {
    await page.getByLabel('Notes').fill('Ring')
    await tab(page, 'Lines').click()
    await page.getByText('There are none yet.').waitFor()
    assert.equal(new URL(page.url()).hash, '#lines')
    await page.keyboard.press('ArrowLeft')
    await selected(page, 'Fields, not saved').waitFor()
    assert.equal(new URL(page.url()).hash, '#fields')
    assert.equal(await page.getByLabel('Notes').inputValue(), 'Ring')
    await page.getByRole('button', { name: 'Discard' }).click()
    await selected(page, 'Fields').focus()
    await page.keyboard.press('End')
    await page.getByRole('tab', { selected: true }).and(page.locator(':focus')).waitFor()
    assert.notEqual(new URL(page.url()).hash, '#fields')
  })

  await context.test('records that link to it are counted, listed, and in a list', async () => {
    await service.database.pool.query(
      `INSERT INTO records.line (order_id, article, _created_by, _updated_by)
       SELECT $1, 'Tube ' || n, 1, 1 FROM generate_series(1, 21) n`,
      [id],
    )
    const other = await createOrder('other')
    await create('/line', { order_id: other, article: 'Not here' })
    await page.reload()
    await tab(page, 'Lines 21').click()
    const lines = page.getByRole('tabpanel', { name: 'Lines 21' })
    await lines.getByRole('link', { name: 'Tube 20' }).waitFor()
    assert.equal(await lines.getByRole('row').count(), 1 + 21)
    await lines.getByRole('link', { name: 'Show all 21 in the list' }).click()
    await page.getByText('21 records').waitFor()
    await page.goBack()
    await selected(page, 'Lines 21').waitFor()
  })

  await context.test('who rests on a link sees what it leads to, and Escape hides it', async () => {
    await tab(page, 'Fields').click()
    const link = page.getByRole('link', { name: 'Open Adria Metal' })
    await link.hover()
    const look = page.getByRole('tooltip')
    await look.getByText('Split').waitFor()
    await page.mouse.move(0, 0)
    await look.waitFor({ state: 'detached' })
    await link.focus()
    await look.getByText('Adria Metal').waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.press('Escape')
    await look.waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Adria Metal' }).waitFor()
    // A record without documents has no such part.
    await page.getByRole('complementary', { name: 'History' }).getByText('created').waitFor()
    assert.equal(await tab(page, 'Documents').count(), 0)
    await page.goBack()
    await link.waitFor()
  })

  await context.test('on a phone the history is one of them', async () => {
    await page.setViewportSize({ width: 320, height: 700 })
    await tab(page, 'History').click()
    await page.getByRole('tabpanel', { name: 'History' }).getByText('created the record').waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await context.test(
    'a viewer of PDFs shows a document in a frame, if it can be printed',
    async () => {
      const showsFiles = (isShown: boolean) =>
        page.evaluate(`Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', {
        get: () => ${isShown}, configurable: true,
      })`)
      await showsFiles(true)
      const address = `${service.url}/order/${id}/documents/confirmation`
      const framed = page.waitForRequest(
        (one) => one.isNavigationRequest() && one.url() === address,
      )
      await tab(page, 'Documents 2').click()
      const response = await (await framed).response()
      assert.equal(response?.status(), 200)
      await page.locator('iframe[title=Confirmation]').waitFor()
      // The policies of both allow it.
      assert.deepEqual(reports, [])
      await tab(page, 'Fields').click()
      await showsFiles(false)
      await page.route('**/documents/confirmation/picture', (route) => route.abort())
      await page.clock.install()
      await tab(page, 'Documents 2').click()
      for (let waited = 0; waited < 20; waited++) await page.clock.runFor(1000)
      await page.getByRole('alert').getByText('The document could not be made.').waitFor()
    },
  )
})

test('a record that is removed', async (context) => {
  const { page, id } = await openOrder('S-2')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const status = async () => (await service.ask('GET', `/order/${id}`)).status
  const dialog = page.getByRole('dialog')
  const isRestored = () => tab(page, 'Fields').waitFor()
  const removedNote = page.getByText('This record was removed.')
  const justRemoved = (place: Page | Locator) => place.getByText('This record was just removed')
  /** Another user removes it, which is said where something is typed. */
  const remove = async (place: Page | Locator) => {
    const removed = await service.ask('DELETE', `/order/${id}`)
    assert.equal(removed.status, 204, removed.text)
    await justRemoved(place).waitFor()
  }
  const isCopied = async (place: Page | Locator, text: string) => {
    await place.getByRole('button', { name: 'Copy what I typed' }).press('Enter')
    await place.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), text)
  }

  await context.test('is refused if a user changed it first, and can be restored', async () => {
    const question = page.getByRole('dialog', { name: 'Remove S-2?' })
    await choose(page, 'Remove …')
    await question.getByRole('button', { name: 'Cancel' }).press('Enter')
    await isFocused(page, 'More actions')
    await choose(page, 'Remove …')
    await question.waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await findViolations(page), [])
    await service.ask('PATCH', `/order/${id}`, { body: { notes: 'Changed' } })
    await question.getByRole('button', { name: 'Remove' }).click()
    await question.getByRole('alert').waitFor()
    assert.equal(await status(), 200)
    await question.getByRole('button', { name: 'Cancel' }).click()
    const notes = page.getByLabel('Notes')
    await until('the change is shown', async () => (await notes.inputValue()) === 'Changed')
    await choose(page, 'Remove …')
    await question.getByRole('button', { name: 'Remove' }).click()
    await removedNote.waitFor()
    assert.equal(await status(), 404)
    await page.reload()
    await page.getByRole('button', { name: 'Restore' }).click()
    await isRestored()
    assert.equal(await status(), 200)
    await page.getByText('restored the record').waitFor()
  })

  await context.test('the form of an action stays, and what was typed can be copied', async () => {
    await page.getByRole('button', { name: 'Submit' }).click()
    await dialog.getByLabel('Comment').fill('Agreed by phone')
    await remove(dialog)
    assert.equal(await dialog.getByRole('button', { name: 'Submit' }).isDisabled(), true)
    assert.deepEqual(await findViolations(page), [])
    await isCopied(dialog, 'Comment: Agreed by phone')
    await page.keyboard.press('Escape')
    await removedNote.waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await isRestored()
  })

  await context.test('the form of a task stays, too', async () => {
    await tab(page, 'Tasks').click()
    await page.getByRole('button', { name: 'Create a task' }).click()
    await dialog.getByLabel('What to do').fill('Call Boreas')
    await remove(dialog)
    assert.equal(await dialog.getByLabel('What to do').inputValue(), 'Call Boreas')
    await isCopied(dialog, 'What to do: Call Boreas')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await removedNote.waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await isRestored()
  })

  await context.test('changed fields stay, and are discarded, or saved once restored', async () => {
    await tab(page, 'Fields').click()
    await page.getByLabel('Notes').fill('Leave at the gate')
    await remove(page)
    const save = page.getByRole('button', { name: 'Save' })
    assert.equal(await save.isDisabled(), true)
    await isCopied(page, 'Notes: Leave at the gate')
    assert.equal((await service.ask('POST', `/order/${id}/restore`)).status, 200)
    await justRemoved(page).waitFor({ state: 'detached' })
    await save.click()
    await page.getByText('Save again to keep both.').waitFor()
    await save.click()
    await save.waitFor({ state: 'detached' })
    assert.equal((await service.ask('GET', `/order/${id}`)).json().notes, 'Leave at the gate')
    await page.getByLabel('Notes').fill('Not needed')
    await remove(page)
    await page.getByRole('button', { name: 'Discard' }).click()
    await removedNote.waitFor()
  })
})

test('a user who takes a record over owns it, and may change it then, but adds no lines', async () => {
  const { page, refused } = await openOrder('S-3', { as: sellerEmail })
  await page.getByText('Owner: Administrator').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Notes' }).count(), 0)
  await tab(page, 'Lines').click()
  await page.getByText('There are none yet.').waitFor()
  assert.equal(await page.getByRole('link', { name: 'New line' }).count(), 0)
  await tab(page, 'Fields').click()
  await page.getByRole('button', { name: 'More actions' }).press('Enter')
  await page.locator('[role=menuitem]:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Take over' }).press('Enter')
  await page.getByText('Owner: Sale Horvat (you)').waitFor()
  await page.getByRole('textbox', { name: 'Notes' }).waitFor()
  assert.deepEqual(refused, [])
})

test('who may only read sees no more, reads and saves documents, and follows links', async () => {
  const { page, reports, refused } = await openOrder('S-4', { as: approverEmail })
  await page.getByRole('complementary', { name: 'History' }).getByText('Administrator').waitFor()
  await tab(page, 'Documents 2').waitFor()
  assert.equal(await page.getByRole('tab').count(), 2)
  assert.equal(await page.getByRole('textbox').count(), 0)
  // A user who may read a record may ask this.
  await page.getByRole('button', { name: 'More actions' }).click()
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Who was notified?'])
  await page.keyboard.press('Escape')
  await tab(page, 'Documents 2').click()
  // Without a viewer of PDFs it is a picture.
  const picture = page.getByRole('img', { name: 'Confirmation' })
  await until('the picture is loaded', () =>
    page.evaluate<boolean>("document.querySelector('img[alt=Confirmation]')?.naturalHeight > 0"),
  )
  const box = await picture.boundingBox()
  assert.ok(box && box.height > box.width)
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  assert.equal((await saved).suggestedFilename(), 'confirmation-S-4.pdf')
  const opener = page.getByRole('link', { name: 'Open in a new tab' })
  assert.match((await opener.getAttribute('href')) ?? '', /^\/order\/\d+\/documents\/confirmation$/)
  assert.deepEqual(reports, [])
  // An error of a template is shown with its file and line.
  await page.getByRole('radio', { name: 'Confirmation' }).focus()
  await page.keyboard.press('ArrowRight')
  const problem = page.getByRole('alert')
  await problem.getByText(/^broken\.typ:3:\d+$/).waitFor()
  await problem.getByText('dictionary does not contain key "nothing"').first().waitFor()
  await tab(page, 'Fields').click()
  const field = page.getByRole('status', { name: 'Customer' })
  await field.getByRole('link', { name: 'Adria Metal' }).click()
  await page.getByRole('heading', { name: 'Adria Metal' }).waitFor()
  assert.deepEqual(refused, [])
})
