/** Numbers with their units in a real browser: in the list, in the head of a record and beside its inputs. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { offerProject } from './an-offer-project.ts'
import { createUser } from './create-user.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(offerProject))
  browser = await startBrowser()
  for (const code of ['EUR', 'DKK']) await service.ask('POST', '/currency', { body: { code } })
  for (const id of [1, 2])
    await service.ask('POST', '/offer', {
      body: { number: `O-${id}`, currency_id: id, price: '167921.60', weight: 12 },
    })
  await createUser(service, 'clerk')
})

test('amounts name their currency, whichever columns the list shows, and inputs their unit', async () => {
  const { page, reports } = await openPage(browser, service, '/console/offer')
  await page.getByRole('gridcell', { name: 'EUR 167,921.60' }).waitFor()
  await page.getByRole('gridcell', { name: 'DKK 167,921.60' }).waitFor()
  assert.equal(await page.getByRole('gridcell', { name: '12 kg' }).count(), 2)
  await page.getByRole('link', { name: 'O-2' }).click()
  await page.getByRole('listitem').getByText('DKK 167,921.60').waitFor()
  const price = page.getByLabel('Price')
  await price.and(page.getByRole('textbox', { description: 'DKK' })).waitFor()
  await page.getByRole('textbox', { name: 'Weight', description: 'kg' }).waitFor()
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(reports, [])
})

test('a role that may not see the unit sees the number alone', async () => {
  const { page, reports } = await openPage(browser, service, '/console/offer', {
    as: 'clerk@example.com',
  })
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await page
    .getByRole('gridcell', { name: /^167,921.60$/ })
    .nth(1)
    .waitFor()
  assert.equal(await page.getByRole('gridcell', { name: '12 kg' }).count(), 2)
  await page.getByRole('link', { name: 'O-2' }).click()
  await page.getByRole('listitem').getByText('167,921.60', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Weight', description: 'kg' }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Price', description: /./ }).count(), 0)
  assert.deepEqual([...refused, ...reports], [])
})
