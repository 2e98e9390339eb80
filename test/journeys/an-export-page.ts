/** The dialog of an export in a browser, over orders that are long enough to be cut. */
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { openPage } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService } from '../support/service.ts'

/** With notes that no encoding makes small, so that buffers cannot take all of them at once. */
export const startOrders = async (): Promise<TestService> => {
  const service = await startTestService(orderProject)
  const { pool } = service.database
  await pool.query(
    `INSERT INTO records.customer (name, _created_by, _updated_by) VALUES ('Čavao "d.o.o."', 1, 1)`,
  )
  await pool.query(
    `INSERT INTO records."order" (number, customer_id, total, notes, _created_by, _updated_by)
     SELECT 'O-' || lpad(n::text, 6, '0'), 1, n + 0.5,
       (SELECT string_agg(md5(n || '-' || part), '') FROM generate_series(1, 120) part), 1, 1
     FROM generate_series(1, 3000) n`,
  )
  return service
}

type Opening = {
  readonly where?: object
  readonly columns?: readonly string[]
}

export type Storage = keyof typeof storages

const addressOf = ({ where, columns }: Opening): string => {
  // The order of an export that says none.
  const search = new URLSearchParams({ s: '["id"]' })
  if (where) search.set('w', JSON.stringify(where))
  if (columns) search.set('c', JSON.stringify(columns))
  return `/console/order?${search}`
}

const storages = {
  own: 'window.showSaveFilePicker = undefined',
  memory: `window.showSaveFilePicker = undefined
    delete FileSystemFileHandle.prototype.createWritable`,
  // A file of the browser's own storage, because nobody is there to choose one.
  chosen: `window.showSaveFilePicker = async ({ suggestedName }) =>
    (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`,
}

/** Where the browser stores files from now on. */
export const storeIn = (page: Page, storage: Storage) => page.evaluate(storages[storage])

/** Opens the list of orders and its export as CSV. */
export const openExport = async (service: TestService, opening: Opening) => {
  const opened = await openPage(service, addressOf(opening))
  const { page } = opened
  await page.getByRole('gridcell').first().waitFor()
  await storeIn(page, 'own')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Export: Order' })
  await dialog.getByLabel('CSV', { exact: true }).check()
  // The form that was chosen before is kept.
  await dialog.getByLabel('CSV form').selectOption('')
  return { ...opened, dialog }
}

/** Waits until the preview shows what is chosen. */
export const settled = async (dialog: Locator): Promise<void> => {
  const preview = dialog.getByRole('heading', { name: 'The first rows' }).locator('..')
  await preview.and(dialog.locator('[aria-busy=false]')).waitFor()
}

export const startExport = (dialog: Locator): Promise<void> =>
  dialog.getByRole('button', { name: 'Start the export' }).click()

export const saveLink = (dialog: Locator): Locator =>
  dialog.getByRole('link', { name: 'Save order-' })

/** The file that is saved without a further click. */
export const savedFile = async (page: Page, dialog: Locator) => {
  const download = page.waitForEvent('download')
  await startExport(dialog)
  return (await download).suggestedFilename()
}

/** The file that the dialog offers. */
export const saveFile = async (page: Page, dialog: Locator) => {
  const download = page.waitForEvent('download')
  await saveLink(dialog).click()
  const file = await download
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
}

/** The names of the files that the browser has: where the user chose, and in its own storage. */
export const storedFiles = (page: Page): Promise<string[]> =>
  page.evaluate(`(async () => {
    const root = await navigator.storage.getDirectory()
    const entries = await Array.fromAsync(root.values())
    const inside = entries.map(async (entry) =>
      entry.kind === 'file' ? [entry.name] : Array.fromAsync(entry.keys()))
    return (await Promise.all(inside)).flat()
  })()`)

export const storedText = (page: Page, name: string): Promise<string> =>
  page.evaluate(`(async () => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle('${name}')
    return (await handle.getFile()).text()
  })()`)
