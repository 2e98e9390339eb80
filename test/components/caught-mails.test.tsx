/** E-mails that were caught instead of sent, as administrators see them. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { problem } from './support/answers.ts'
import { closeConsole, openConsole, press } from './support/open-console.tsx'
import { ordersProject } from './support/orders.ts'
import { button, heading, link } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

describe('caught e-mails', () => {
  const hash = '0123456789abcdef'
  const at = '2026-05-04T08:30:00.000Z'
  const caughtOf = (address: string, subject: string | null) => ({
    name: `2026-05-04T08-30-00.000Z_${address}_${hash}.eml`,
    address,
    subject,
    size: 1500,
    at,
  })

  const open = (...data: readonly object[]) =>
    openConsole('/-/admin/mail', {
      project: ordersProject,
      answers: {
        'GET /api/mail': ({ query }) => ({
          body: { data: data.slice(0, Number(query.get('limit'))) },
        }),
      },
    })

  const subjects = () =>
    page
      .getByRole('row')
      .getByRole('link')
      .elements()
      .map(({ textContent }) => textContent)

  test('are listed with recipient, subject and time, and lead to what they say', async () => {
    const service = await open(
      caughtOf('ana_b@example.com', 'O-1 waits'),
      caughtOf('gita@example.com', null),
    )
    await see(page.getByText('e-mails are written to a folder instead of sent'))
    const caught = page.getByRole('row', { name: 'ana_b@example.com' }).getByRole('cell')
    await see(caught.first())
    const texts = caught.elements().map(({ textContent }) => textContent)
    expect(texts).toEqual(['ana_b@example.com', 'O-1 waits', '4 May 2026, 10:30', '1.5 kB'])
    expect(subjects()).toEqual(['O-1 waits', 'No subject'])
    expect(await findViolations()).toEqual([])
    const { name } = caughtOf('gita@example.com', null)
    const removed = problem(404, 'request.no-such-path', 'There is no such e-mail.')
    service.answer({ [`GET /api/mail/${encodeURIComponent(name)}/message`]: removed })
    await press(link('O-1 waits'), '{ArrowDown}')
    await expect.element(link('No subject')).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await see(page.getByText('There is no such page.'))
    expect(decodeURIComponent(location.pathname)).toBe(`/console/-/admin/mail/${name}`)
  })

  test('are shown a hundred at once, and more when asked for', async () => {
    const all = Array.from({ length: 201 }, (_, n) => `O-${n + 1} waits`)
    await open(...all.map((subject, n) => caughtOf(`user-${n}@example.com`, subject)))
    await see(link('O-100 waits'))
    expect(subjects()).toEqual(all.slice(0, 100))
    await press(button('More'), '{Enter}')
    await see(link('O-200 waits'))
    expect(subjects()).toEqual(all.slice(0, 200))
    await button('More').click()
    await see(link('O-201 waits'))
    await gone(button('More'))
    expect(subjects()).toEqual(all)
  })

  test('are none yet, or cannot be read, which is said', async () => {
    await open()
    await see(page.getByText('None yet.'))
    await closeConsole()
    const sends = problem(404, 'request.no-such-path', 'E-mails are sent here, not caught.')
    await openConsole('/-/admin/mail', {
      project: ordersProject,
      answers: { 'GET /api/mail': sends },
    })
    await see(heading('Caught e-mails'), page.getByRole('alert'))
    await gone(page.getByText('None yet.'))
  })
})
