/** Steps in a list: where a record is stands in words, and colours find what waits; and how lists are called, in a real browser. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

const project = {
  'docket.json': { name: 'Requests', locale: 'en' },
  'entities/request.json': {
    ...{ key: 'request', name: 'Request', pluralName: 'All requests', displayField: 'title' },
    fields: [{ key: 'title', name: 'Title', type: 'string', required: true }],
    workflow: {
      initialStep: 'draft',
      steps: [
        {
          ...{ key: 'draft', name: 'Draft' },
          actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }],
        },
        {
          ...{ key: 'review', name: 'In review' },
          actions: [
            { key: 'approve', kind: 'approveWorkflow', to: 'approved' },
            { key: 'reject', kind: 'rejectWorkflow', to: 'rejected' },
          ],
        },
        {
          ...{ key: 'approved', name: 'Approved' },
          actions: [{ key: 'finish', kind: 'proceedToStep', to: 'done' }],
        },
        { key: 'rejected', name: 'Rejected', final: true },
        { key: 'done', name: 'Done', final: true },
      ],
    },
  },
}

/** What leads to each step. */
const ways = {
  Draft: [],
  'In review': ['submit'],
  Approved: ['submit', 'approve'],
  Rejected: ['submit', 'reject'],
  Done: ['submit', 'approve', 'finish'],
}

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(project))
  browser = await startBrowser()
  for (const [at, actions] of Object.values(ways).entries()) {
    await service.ask('POST', '/request', { body: { title: `R-${at + 1}` } })
    for (const action of actions)
      await service.ask('POST', `/request/${at + 1}/proceedToStep`, { body: { action } })
  }
})

type Style = { readonly color: string; readonly backgroundColor: string }

/** In the browser. */
const readLook = (of: unknown): string => {
  const { getComputedStyle } = globalThis as unknown as { getComputedStyle: (of: unknown) => Style }
  const { color, backgroundColor } = getComputedStyle(of)
  return `${color} on ${backgroundColor}`
}

for (const colorScheme of ['light', 'dark'] as const)
  test(`what waits, was approved, rejected or closed looks different, ${colorScheme}`, async () => {
    const { page, reports } = await openPage(browser, service, '/console/request', { colorScheme })
    const looks = new Set<string>()
    for (const name of Object.keys(ways)) {
      const badge = page.getByRole('gridcell', { name, exact: true }).getByText(name)
      looks.add(await badge.evaluate(readLook))
    }
    assert.equal(looks.size, 5)
    assert.deepEqual(await findViolations(page), [])
    await page.getByRole('link', { name: 'R-3' }).click()
    await page
      .getByRole('listitem')
      .and(page.locator('[aria-current=step]'))
      .getByText('Approved')
      .waitFor()
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(reports, [])
  })

test('a list is called as several records are, and found by what one is', async () => {
  const { page, reports } = await openPage(browser, service, '/console/request/1')
  const navigation = page.getByRole('navigation', { name: 'Main navigation' })
  await navigation.getByRole('link', { name: 'All requests' }).click()
  await page.getByRole('heading', { name: 'All requests', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('request')
  await page.getByRole('option', { name: 'All requests' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Create' }).click()
  await page.getByRole('heading', { name: /^New.*Request$/ }).waitFor()
  assert.deepEqual(reports, [])
})
