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
  const fileOf = (name: string, size = 1500) => ({ name, size, at })
  const caughtOf = (address: string) => fileOf(`2026-05-04T08-30-00.000Z_${address}_${hash}.eml`)

  const open = (...data: readonly object[]) =>
    openConsole('/-/admin/mail', {
      project: ordersProject,
      answers: { 'GET /api/mail': { body: { data } } },
    })

  const addresses = () =>
    page
      .getByRole('row')
      .getByRole('link')
      .elements()
      .map(({ textContent }) => textContent)

  test('are named by their address, or by their file if it was named by hand', async () => {
    const named = ['ana_b@example.com', 'gita@example.com'].map(caughtOf)
    const others = ['note.eml', `2026_ana@example.com_${hash.slice(1)}.eml`]
    const service = await open(...named, ...others.map((name) => fileOf(name, 20)))
    await see(page.getByText('e-mails are written to a folder instead of sent'))
    const caught = page.getByRole('row', { name: 'ana_b@example.com' }).getByRole('cell')
    await see(caught.first())
    const texts = caught.elements().map(({ textContent }) => textContent)
    expect(texts).toEqual(['ana_b@example.com', '4 May 2026, 10:30', '1.5 kB'])
    expect(addresses()).toEqual(['ana_b@example.com', 'gita@example.com', ...others])
    await see(page.getByRole('row', { name: 'note.eml' }).getByText('20 bytes'))
    expect(await findViolations()).toEqual([])
    const { name } = caughtOf('gita@example.com')
    const removed = problem(404, 'request.no-such-path', 'There is no such e-mail.')
    service.answer({ [`GET /api/mail/${encodeURIComponent(name)}/message`]: removed })
    await press(link('ana_b@example.com'), '{ArrowDown}')
    await expect.element(link('gita@example.com')).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await see(page.getByText('There is no such page.'))
    expect(decodeURIComponent(location.pathname)).toBe(`/console/-/admin/mail/${name}`)
  })

  test('are shown a hundred at once, and more when asked for', async () => {
    const all = Array.from({ length: 201 }, (_, n) => `user-${n + 1}@example.com`)
    await open(...all.map(caughtOf))
    await see(link('user-100@example.com'))
    expect(addresses()).toEqual(all.slice(0, 100))
    await press(button('More'), '{Enter}')
    await see(link('user-200@example.com'))
    expect(addresses()).toEqual(all.slice(0, 200))
    await button('More').click()
    await see(link('user-201@example.com'))
    await gone(button('More'))
    expect(addresses()).toEqual(all)
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
