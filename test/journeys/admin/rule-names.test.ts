/** What people read of the groups and files that notifications name by their codes. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { orderProject } from '../../support/console/an-order-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  const project = await writeProject({
    ...orderProject,
    'entities/order.json': {
      ...orderProject['entities/order.json'],
      notifications: [
        {
          operation: 'proceedToStep',
          action: 'approve',
          recipient: { userGroups: ['a-team', 'nobody'] },
          attachments: {
            printableDocuments: ['order-letter', 'no-letter'],
            documentFunctions: ['order-lines-csv', 'native/entity-export', 'native/record-json'],
          },
          content: { title: '{{ record.number }}' },
        },
      ],
    },
    'document-functions/order-lines-csv.ts': 'export const exec = async () => ({ documents: [] })',
  })
  service = await startTestService(project)
  await service.ask('POST', '/user_group', { body: { code: 'a-team', name: 'Approval <b>team' } })
  const letter = { code: 'order-letter', name: 'Letter of an order', entity_key: 'order' }
  await service.ask('POST', '/printable_document', { body: { ...letter, template_source: '= A' } })
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  await service.ask('POST', '/order', { body: { number: 'O-1', customer_id: 1 } })
  browser = await startBrowser()
})

const explained = '/console/-/admin/explain?entity=order&record=1&operation=proceedToStep'

for (const path of [
  `${explained}&action=approve`,
  '/console/-/admin/definitions/order?part=notifications',
])
  test(`groups and files have their names, and their codes where there is none: ${path}`, async () => {
    const { page, reports } = await openPage(browser, service, path)
    await page.getByText('Notifies: group Approval <b>team, group nobody').waitFor()
    const files =
      'Letter of an order, no-letter, Order lines csv, The record as CSV, The record as JSON'
    await page.getByText(`Attached: ${files}`, { exact: true }).waitFor()
    // What is said of one person alone, if somebody asks for them.
    assert.equal(await page.getByText('It notifies nobody.').count(), 0)
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(reports, [])
  })

test('an action says its step once, by its name', async () => {
  const { page } = await openPage(browser, service, `${explained}&action=approve`)
  const events = page.getByRole('combobox', { name: 'What happens' })
  const option = events.getByRole('option', { name: 'Approve (In review)', exact: true })
  await option.waitFor({ state: 'attached' })
})
