/** What users set: theme, language, time zone, keys, e-mails, their calendar and their sessions. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { orderProject } from '../support/console/an-order-project.ts'
import type { Answers } from './support/answers.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { adria, emptyOrder } from './support/orders.ts'
import { button, cell } from './support/parts.ts'
import { gone, see, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const project = {
  ...orderProject,
  'roles/reader.json': { key: 'reader', permissions: { customer: { read: true } } },
}
const begun = '2026-05-04T08:30:00.000Z'
const session = (id: number, user_agent: string, more: object = {}) => ({
  id,
  user_agent,
  expires_at: '2100-01-01T00:00:00.000Z',
  is_current: false,
  created_at: begun,
  last_used_at: begun,
  ...more,
})
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'

const open = async (path = '/-/settings', { answers, ...options }: Opening = {}) => {
  const sessions = [session(1, chrome, { is_current: true }), session(2, firefox)]
  let addresses = 0
  let preferences: object = {
    data: [{ entity: 'order', operation: 'proceedToStep', email: 'immediately' }],
    dailyAt: '08:00',
    quietHours: null,
  }
  const own: Answers = {
    'GET /console/-/sessions': () => ({ body: { data: sessions } }),
    'DELETE /console/-/sessions/2': () => {
      sessions.pop()
      return { status: 204 }
    },
    'GET /api/notifications/preferences': () => ({ body: preferences }),
    'PUT /api/notifications/preferences': ({ body }) => {
      const { data, ...times } = body as { readonly data: readonly unknown[] }
      preferences = { ...preferences, ...times, ...(data.length > 0 && { data }) }
      return { body: preferences }
    },
    'GET /api/tasks/calendar': () => ({ body: { created_at: addresses > 0 ? begun : null } }),
    'POST /api/tasks/calendar': () => {
      addresses += 1
      return { status: 201, body: { url: `https://example.com/calendar/${addresses}` } }
    },
    'DELETE /api/tasks/calendar': () => {
      addresses = 0
      return { status: 204 }
    },
  }
  return openConsole(path, {
    project,
    records: {
      customer: adria,
      ...(options.role === undefined && {
        order: [{ ...emptyOrder, sent_at: '2026-05-04T10:30:00.000Z' }],
      }),
    },
    answers: { ...own, ...answers },
    ...options,
  })
}

test('theme, density and single keys are kept as soon as they are chosen, by keys alone', async () => {
  const service = await open()
  await press(page.getByRole('radio', { name: 'Normal' }), '{ArrowRight}')
  await press(page.getByRole('checkbox', { name: 'Shortcuts without Ctrl' }), '[Space]')
  await page.getByText('Dark', { exact: true }).click()
  await wrote(
    service,
    'PATCH /console/-/settings.json',
    { density: 'compact' },
    { singleKeys: false },
    { theme: 'dark' },
  )
  expect(await findViolations()).toEqual([])
})

test('the time zone of the user is used, and named where it is not that of the project', async () => {
  const list = '/order?c=["sent_at"]'
  await open(list)
  await see(cell('4 May 2026, 12:30'))
  await cleanup()
  await open(list, { settings: { timeZone: 'America/New_York' } })
  await see(page.getByRole('gridcell', { name: '4 May 2026, 06:30 GMT-4' }))
})

test('when e-mails come is chosen, with the times of daily ones and quiet hours', async () => {
  const service = await open()
  const choice = page.getByRole('combobox', { name: /^E-mail: Order, when/ })
  await choice.selectOptions('Once a day')
  await expect.element(choice).toHaveValue('daily')
  const time = page.getByLabelText('Daily e-mails come at')
  await time.fill('07:15')
  await press(time, '{Enter}')
  await page.getByRole('checkbox', { name: /^Quiet hours/ }).click()
  await page.getByLabelText('Until').fill('06:30')
  await press(page.getByLabelText('Until'), '{Enter}')
  const data = [{ entity: 'order', operation: 'proceedToStep', email: 'daily' }]
  await wrote(
    service,
    'PUT /api/notifications/preferences',
    { data },
    { data: [], dailyAt: '07:15' },
    { data: [], quietHours: { from: '20:00', to: '07:00' } },
    { data: [], quietHours: { from: '20:00', to: '06:30' } },
  )
  expect(await findViolations()).toEqual([])
})

test('the address of the calendar is shown once, renewed and ended', async () => {
  await open()
  await button('Create an address').click()
  const address = page.getByLabelText('Address of your calendar')
  await expect.element(address).toHaveValue('https://example.com/calendar/1')
  await button('Create a new address').click()
  await expect.element(address).toHaveValue('https://example.com/calendar/2')
  await button('Stop sharing').click()
  await see(button('Create an address'))
  await gone(address)
})

test('a session of another browser is ended, and this one is not offered', async () => {
  const service = await open()
  await see(page.getByText('this browser'))
  const out = button(/^Sign out there/)
  expect(out.elements()).toHaveLength(1)
  await button('Sign out there: Firefox on Linux').click()
  await gone(page.getByText('Firefox on Linux'))
  await expect.poll(() => service.asked.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
})

test('who may not read an entity is not asked about its notifications', async () => {
  const service = await open('/-/settings', {
    role: 'reader',
  })
  await see(page.getByText('this browser'))
  await gone(page.getByRole('heading', { name: 'Notifications' }))
  expect(service.faults).toEqual([])
})
