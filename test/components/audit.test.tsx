/** The page of the audit: its entries and what they say, its filters, and its file. */
import { describe, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { AuditEntry } from '../../console/api/admin/audit.ts'
import { languages } from '../../console/texts/texts.ts'
import { auditedSignInWays, auditKindNames } from '../../src/audit/audit-kinds.ts'
import { recordOperations } from '../../src/definitions/operations.ts'
import { pageOf, problem } from './support/answers.ts'
import { administers } from './support/given.ts'
import { type Opening, openConsole } from './support/open-console.tsx'
import { ordersProject } from './support/orders.ts'
import { button, heading, link } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const entryOf = (id: string, kind: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  at: '2026-05-04T08:30:00.000Z',
  kind,
  user: { id: 3, full_name: 'Ana Test' },
  acting_user: null,
  about_user: null,
  entity: null,
  entity_id: null,
  task_id: null,
  part: null,
  session_id: null,
  address: null,
  user_agent: null,
  times: 1,
  detail: null,
  changes: null,
  users: [],
  action: null,
  comment: null,
  ...more,
})

const entries = [
  entryOf('h5', 'change', {
    entity: 'order',
    entity_id: 1,
    changes: { notes: { before: 'Ring once', after: 'Ring twice' } },
  }),
  entryOf('h4', 'change', { entity: 'order', entity_id: 2 }),
  entryOf('e3', 'refuseSignIn', {
    user: null,
    about_user: { id: 4, full_name: 'Gita Test' },
    times: 3,
    address: '192.0.2.7',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Gecko/20100101 Firefox/152.0',
    detail: { way: 'password', reason: 'wrong' },
  }),
  entryOf('e2', 'export', {
    entity: 'order',
    detail: { format: 'csv', columns: ['number', 'notes'], state: 'ended', rows: 7 },
  }),
  entryOf('e6', 'leave', {
    about_user: { id: 4, full_name: 'Gita Test' },
    detail: { to: 8, tasks: 2, to_name: 'Boris Test' },
  }),
  entryOf('e7', 'createApiKey', { detail: { key_id: 5, scope: '*:read', key_name: 'Till' } }),
  entryOf('h3', 'createComment', { entity: 'order', entity_id: 1, changes: {} }),
  entryOf('e8', 'anonymise', { entity: 'user', entity_id: 3, detail: {} }),
  entryOf('e1', 'changeDefinitions', {
    user: null,
    detail: {
      changed: [{ type: 'role', key: 'clerk', from: 'aa', to: 'bb', parts: ['permissions.order'] }],
    },
  }),
]

const open = (search = '', { answers, ...more }: Opening = {}, data = entries) =>
  openConsole(`/-/admin/audit${search}`, {
    project: ordersProject,
    answers: {
      'GET /api/me': administers('audit'),
      'POST /user/search': pageOf([{ id: 3, full_name: 'Ana Test' }]),
      'GET /api/audit': ({ query }) => ({
        body: query.has('after')
          ? { data: [entryOf('e0', 'signIn')], next: null }
          : { data, next: 'x' },
      }),
      ...answers,
    },
    ...more,
  })

const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })

describe('the audit', () => {
  test('says what happened, by whom, to what, and from where, with details to open', async () => {
    await open()
    await see(heading('Audit'), rowOf('Ring twice').getByText('Changed').first())
    const refused = rowOf('Sign-in refused')
    await see(refused.getByText('Sign-in refused (3×)'), refused.getByText('192.0.2.7'))
    await see(refused.getByText('Not known'), refused.getByRole('link', { name: 'Gita Test' }))
    await refused.getByText('Sign-in refused (3×)').click()
    await see(
      refused.getByText('Password'),
      refused.getByText('Wrong'),
      refused.getByText('Firefox on Linux'),
    )
    const changed = rowOf('Ring twice')
    await changed.getByText('Changed').first().click()
    await see(changed.getByText('Ring once'), changed.getByText('Ring twice'))
    await see(rowOf('You may not read the values.'))
    await rowOf('Exported').getByText('Exported').click()
    await see(page.getByText('number, notes'), page.getByText('Complete'))
    await rowOf('Definitions changed').getByText('Definitions changed').click()
    await see(page.getByText('permissions.order'))
    await see(rowOf('Anonymised').getByRole('link', { name: 'Ana Test' }))
    await see(rowOf('Commented'))
    const left = rowOf('User has left')
    await left.getByText('User has left').click()
    await see(left.getByText('Boris Test'))
    await gone(left.getByText('8', { exact: true }))
    const made = rowOf('API key created')
    await made.getByText('API key created').click()
    await see(made.getByText('Till'), made.getByText('What the key may do'))
    expect(await findViolations()).toEqual([])
    await button('More').click()
    await see(rowOf('Signed in'))
    await gone(button('More'))
  })

  test('is narrowed down by its address, and by its filters, in days of the user', async () => {
    const service = await open('?kind=export&entity=order&record=7&until=2026-05-04&user=x&from=1')
    const asked = () =>
      Object.fromEntries(
        service.asked.findLast(({ path }) => path.startsWith('/api/audit'))?.query ?? [],
      )
    await expect.poll(asked).toEqual({
      kind: 'export',
      entity: 'order',
      record: '7',
      to: '2026-05-04T22:00:00.000Z',
      limit: '50',
    })
    await button(/^Remove the filter Record: /).click()
    await expect.poll(asked).not.toHaveProperty('record')
    await page.getByLabelText(/^What/).selectOptions('Signed in')
    // In the language of the page, as in every form; what is no day yet filters nothing.
    const from = page.getByLabelText('From', { exact: true })
    await from.fill('1 Ma')
    await from.fill('1 May 2026')
    await expect.poll(asked).toEqual({
      kind: 'signIn',
      from: '2026-04-30T22:00:00.000Z',
      to: '2026-05-04T22:00:00.000Z',
      limit: '50',
    })
    expect(new URLSearchParams(location.search).get('from')).toBe('2026-05-01')
  })

  test('says when nothing matches', async () => {
    await open('?kind=export', {
      answers: {
        'GET /api/audit': ({ query }) => ({
          body: { data: query.has('kind') ? [] : entries, next: null },
        }),
      },
    })
    await see(page.getByText('Nothing matches.'))
    await button('Show all').click()
    await see(rowOf('Ring twice'))
  })

  test('fits a phone', async () => {
    await open('', { viewport: { width: 320, height: 640 } })
    await see(rowOf('Sign-in refused'))
    expect(document.documentElement.scrollWidth).toBe(320)
    expect(await findViolations()).toEqual([])
  })

  test('has no page for users without the permission', async () => {
    await open('', { answers: { 'GET /api/me': administers() } })
    await see(page.getByText('There is no such page.'))
    expect(link('Audit').elements()).toEqual([])
  })
})

test('the file has what the filters say, and one that is cut is not kept', async () => {
  const written: string[] = []
  const kept = vi.fn()
  const discarded = vi.fn()
  const stream = {
    write: async (bytes: Uint8Array) => void written.push(new TextDecoder().decode(bytes)),
    close: async () => kept(),
    abort: async () => discarded(),
  }
  const handle = { getFile: async () => ({ size: 0 }), createWritable: async () => stream }
  vi.stubGlobal('showSaveFilePicker', async () => handle)
  try {
    const service = await open('?kind=export', {
      answers: {
        'POST /api/audit/export': { body: 'at,kind\r\n', headers: { 'Content-Type': 'text/csv' } },
      },
    })
    await button('Save as CSV').click()
    await expect.poll(() => kept).toHaveBeenCalledOnce()
    expect(written.join('')).toContain('at,kind')
    const asked = service.asked.find(({ path }) => path.startsWith('/api/audit/export'))
    expect(Object.fromEntries(asked?.query ?? [])).toEqual({ kind: 'export', format: 'csv' })
    service.answer({ 'POST /api/audit/export': problem(503, 'database.unavailable', 'Later.') })
    await button('Save as CSV').click()
    await see(page.getByRole('alert').getByText('Later.'))
    expect(discarded).toHaveBeenCalledOnce()
  } finally {
    vi.unstubAllGlobals()
  }
})

test('every kind and way has a name in every language', async () => {
  for (const { loadLater } of Object.values(languages)) {
    const [, { administration }] = await loadLater()
    const { kinds, ways } = administration.audit
    const all = new Set<string>([...recordOperations, ...auditKindNames])
    expect(Object.keys(kinds).sort()).toEqual([...all].sort())
    expect(Object.keys(ways).sort()).toEqual([...auditedSignInWays].sort())
  }
})
