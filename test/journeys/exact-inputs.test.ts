/** Records with values that browsers like to change: what a page shows, edits and puts back is stored as it was. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { isKept } from './kept-drafts.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
})

// As texts of JSON, so that no number passes through JavaScript on its way.
const records: readonly Readonly<Record<string, string>>[] = [
  {
    total: '"999999999999.99"',
    serial: '"9223372036854775807"',
    sent_at: '"2026-10-25T01:30:00.001Z"',
    terms: '{"id": 12345678901234567890, "rate": 1.0, "tiny": 1.50e-30}',
    notes: '"One\\r\\nTwo\\r\\n"',
  },
  {
    total: '"-0.01"',
    serial: '"-9007199254740993"',
    sent_at: '"2026-10-25T00:30:00.999Z"',
    terms: '[1e400, -0, "\\u2028"]',
    notes: '" leading and trailing "',
  },
  {
    total: '"0.10"',
    serial: '0',
    sent_at: '"0033-04-03T15:00:00.000Z"',
    terms: '"text"',
    notes: '"<b>\\"&amp;\'\\u202e עברית\\u200f 𝄞"',
  },
]

const zones = ['Europe/Zagreb', 'Pacific/Apia']

let created = 0

/** Creates a record, and returns its page. */
const openRecord = async (values: Readonly<Record<string, string>>, timezoneId: string) => {
  created += 1
  const { terms, ...others } = values
  const fields = Object.entries(others).map(([key, text]) => `,"${key}":${text}`)
  const body = `{"number":"E-${created}","customer_id":1${fields.join('')}}`
  const headers = { 'Content-Type': 'application/json' }
  const answer = await service.ask('POST', '/order', { body, headers })
  assert.equal(answer.status, 201, answer.text)
  const { id } = answer.json()
  // The service takes no JSON numbers that clients could lose digits of; tables may have them from elsewhere.
  const update = 'UPDATE records."order" SET terms = $1 WHERE id = $2'
  await service.database.pool.query(update, [terms, id])
  const { page } = await openPage(browser, service, `/console/order/${id}`, { timezoneId })
  await page.getByRole('heading', { name: `E-${created}` }).waitFor()
  return { id, page }
}

/** The values of a record as PostgreSQL has them. */
const stored = async (id: number): Promise<string> => {
  const { rows } = await service.database.pool.query<{ text: string }>(
    `SELECT row(total, serial, sent_at, terms, notes)::text AS text FROM records."order" WHERE id = $1`,
    [id],
  )
  return rows[0]?.text ?? ''
}

/** Changes a text and changes it back, as somebody does who made a mistake. */
const changeAndReturn = async (page: Page, label: string, other: string): Promise<void> => {
  const input = page.getByLabel(label, { exact: true })
  const shown = await input.inputValue()
  await input.fill(other)
  await page.getByText('1 change is not saved').waitFor()
  await input.fill(shown)
  await input.blur()
  await page.getByText('1 change is not saved').waitFor({ state: 'detached' })
}

describe('values in the inputs of a record', () => {
  for (const [at, values] of records.entries())
    test(`record ${at + 1}: another field is saved, and every other value stays as it was`, async () => {
      const { id, page } = await openRecord(values, 'America/New_York')
      const before = await stored(id)
      await page.getByLabel('Quantity').fill('7')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
      assert.equal(await stored(id), before)
    })

  for (const zone of zones)
    for (const [at, values] of records.entries())
      test(`record ${at + 1} in ${zone}: a value that was changed and put back is no change`, async () => {
        const { page } = await openRecord(values, zone)
        await changeAndReturn(page, 'Total', '1')
        await changeAndReturn(page, 'Serial number', '1')
        await changeAndReturn(page, 'Sent at', '2026-01-01T00:00:00.000')
        await changeAndReturn(page, 'Terms', '{}')
        await changeAndReturn(page, 'Notes', 'x')
      })

  test('what is typed keeps every digit over a reload', async () => {
    const { page } = await openRecord(records[0] ?? {}, 'Europe/Zagreb')
    const terms = page.getByLabel('Terms', { exact: true })
    await terms.fill('{ "id": 98765432109876543210 }')
    await page.getByText('1 change is not saved').waitFor()
    await isKept(page)
    await page.reload()
    await page.getByText('Restored:').waitFor()
    assert.match(await terms.inputValue(), /98765432109876543210/)
  })
})

test('an amount is read with its groups and typed without them, and what is typed takes its place', async () => {
  const total = '"-999999999999.90"'
  const { id, page } = await openRecord({ total }, 'Europe/Zagreb')
  const input = page.getByLabel('Total', { exact: true })
  assert.equal(await input.inputValue(), '-999,999,999,999.90')
  await page.getByLabel('Status', { exact: true }).focus()
  await page.keyboard.press('Shift+Tab')
  await input.and(page.locator(':focus')).waitFor()
  assert.equal(await input.inputValue(), '-999999999999.90')
  await page.keyboard.type('12300.5')
  await input.blur()
  assert.equal(await input.inputValue(), '12,300.5')
  await page.keyboard.press('Control+s')
  await until('it is saved', async () => (await stored(id)).startsWith('(12300.50,'))
})
