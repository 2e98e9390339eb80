/** The search of the console: what its palette shows of records, the page with all results, and words in lists. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import type { Found } from '../../console/api/types.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { namedRole } from '../support/definitions/files.ts'
import { type Asked, type Given, problem } from './support/answers.ts'
import { finds, foundOf } from './support/given.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { button, cell, heading, link } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const project = {
  ...orderProject,
  ...namedRole('Reader', {
    order: { create: true, read: true, hiddenFields: ['total'] },
  }),
}

const order = Array.from({ length: 12 }, (_, at) => ({
  id: at + 1,
  number: `Löwe ${at + 1}`,
  customer_id: 1,
  total: '1204.50',
}))
const customer = [
  { id: 1, name: 'Löwe & Söhne', city: 'Wien' },
  { id: 2, name: '<b>Müller</b>', city: 'מולר' },
]
const user = [{ id: 2, full_name: 'reader', email: 'reader@example.com' }]

const orders = order.map(({ id, number }) => foundOf('order', id, number, 'number'))
const sohne = foundOf('customer', 1, 'Löwe & Söhne', 'name')
const muller = (field: string) => foundOf('customer', 2, '<b>Müller</b>', field)

/** What the service finds, by the words that it is asked for. */
const results: Readonly<Record<string, readonly Found[]>> = {
  lowe: [...orders.toReversed(), sohne],
  'lowe 2': orders.slice(1, 2),
  löwe: [...orders.toReversed(), sohne],
  'löwe 1': [...orders.slice(0, 1)],
  o: orders,
  mueller: [muller('name')],
  'reader@example.com': [foundOf('user', 2, 'reader', 'email')],
  wien: [foundOf('customer', 1, 'Löwe & Söhne', 'city')],
  2: [muller('id')],
  sohne: [sohne, foundOf('order', 2, 'Löwe 2', 'customer', { linked: 'Löwe & Söhne' })],
  'vienna alone': [foundOf('saved_view', 7, 'Vienna alone', 'name')],
}

/** So many of each entity that the role reads. */
const search =
  (isReader: boolean) =>
  ({ query }: Asked): Given => {
    const all = results[query.get('q') ?? ''] ?? []
    const most = Number(query.get('limit'))
    const data = [...Map.groupBy(all, ({ entity }) => entity).values()]
      .flatMap((some) => some.slice(0, most))
      .filter(({ entity }) => !isReader || entity === 'order')
    return finds(...data)
  }

const view = {
  id: 7,
  name: 'Vienna alone',
  entity_key: 'order',
  is_shared_with: 'me',
  criteria: {},
  columns: null,
}

const open = (path: string, options: Opening = {}) => {
  const isReader = options.role === 'reader'
  return openConsole(path, {
    project,
    records: isReader ? { order } : { order, customer, user, saved_view: [view] },
    answers: {
      'GET /api/search': search(isReader),
      'GET /api/notifications': { body: [] },
      ...options.answers,
    },
    ...options,
  })
}

const option = (name: string | RegExp) => page.getByRole('option', { name })
const palette = page.getByRole('dialog').getByRole('combobox')
const marksIn = (part: { element: () => Element }) =>
  [...part.element().querySelectorAll('mark')].map(({ textContent }) => textContent)

const find = async (words: string) => {
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(palette).toHaveFocus()
  await palette.fill(words)
}

describe('records that the palette finds', () => {
  const openList = async (options: Opening = {}) => {
    const service = await open('/order', options)
    await see(cell('Löwe 1'))
    return service
  }

  test('show their main facts, and the words in them, by keys alone', async () => {
    await openList()
    await find('lowe')
    await see(option('Löwe 12').getByText('Löwe & Söhne'), option('Löwe 12').getByText('1,204.50'))
    expect(marksIn(option('Löwe 12'))).toEqual(['Löwe'])
    await see(option('Löwe & Söhne Customer').getByText('Wien'))
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('{Enter}')
    await see(heading('Löwe 12'))
  })

  test('are no markup, and two letters may be one', async () => {
    await open('/order', { viewport: { width: 320, height: 640 } })
    await see(link('Löwe 2'))
    await find('mueller')
    await see(option('<b>Müller</b>').getByText('מולר'))
    expect(marksIn(option('<b>Müller</b>'))).toEqual(['Müller'])
    expect(await findViolations()).toEqual([])
  })

  test.for([
    ['reader@example.com', 'reader', ': reader@example.com', 'reader@example.com'],
    ['wien', 'Löwe & Söhne', 'City: Wien', 'Wien'],
    ['2', '<b>Müller</b>', 'ID: 2', '2'],
    ['sohne', 'Löwe 2', 'Customer: Löwe & Söhne', 'Söhne'],
  ] as const)(
    'say by which field or link they were found, if it is not their name: %s',
    async ([words, name, text, marked]) => {
      await openList()
      await find(words)
      const found = option(name).filter({ hasText: new RegExp(text, 'i') })
      await see(found)
      await expect.poll(() => marksIn(found)).toContain(marked)
    },
  )

  test('have no fact that a role may not read, and nothing of it is asked for', async () => {
    const service = await openList({ role: 'reader' })
    await find('löwe')
    await see(option('Löwe 12'))
    await gone(page.getByText('1,204.50'))
    await gone(page.getByRole('option').getByText('Söhne'))
    expect(service.asked.filter(({ path }) => path.startsWith('/customer'))).toEqual([])
    expect(service.asked.some(({ text }) => text.includes('total'))).toBe(false)
  })

  test('name the entity of a view, as the list of views does, and lead to its list', async () => {
    await openList()
    await find('vienna alone')
    const found = option('Vienna alone')
    await see(found.getByText('Saved view'), found.getByText('Order', { exact: true }))
    await found.click()
    await see(button('Vienna alone'))
    expect(location.search).toMatch(/^\?view=7\b/)
    await cleanup()
    await open('/saved_view')
    await see(cell('Order'))
  })

  test('are all offered only if there are any; keys lead nowhere where nothing is', async () => {
    await openList()
    await find('lowe')
    const all = option('All results')
    await see(all)
    await palette.fill('zzzz')
    await see(page.getByRole('status').getByText('Nothing found.'))
    await gone(all)
    await userEvent.keyboard('{ArrowDown}{ArrowUp}{Enter}')
  })

  test('Enter means the words that were typed, not those that were searched for before', async () => {
    const service = await openList()
    await find('lowe')
    await see(page.getByRole('option', { name: 'Löwe 12 Order', selected: true }))
    const held = Promise.withResolvers<void>()
    service.answer({
      'GET /api/search': async (asked) => {
        await held.promise
        return search(false)(asked)
      },
    })
    await palette.fill('löwe 1')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => service.asked.at(-1)?.query.get('q')).toBe('löwe 1')
    await expect.element(page.getByRole('listbox')).toHaveAttribute('aria-busy', 'true')
    held.resolve()
    await see(heading('Löwe 1'))
    await find('inbox')
    await userEvent.keyboard('{Enter}')
    await see(heading('Inbox'))
  })

  test.for([1280, 320])(
    'the input stays where it is, however much is found, at %i pixels',
    async (width) => {
      await open('/order', { viewport: { width, height: 800 } })
      await see(link('Löwe 1').first())
      await userEvent.keyboard('{Control>}k{/Control}')
      await see(option('Inbox'))
      const top = () => Math.round(palette.element().getBoundingClientRect().top)
      const first = top()
      await palette.fill('zzzz')
      await see(page.getByRole('status').getByText('Nothing found.'))
      expect(top()).toBe(first)
      await palette.fill('o')
      await see(option('All results'))
      expect(top()).toBe(first)
    },
  )

  test('are looked for as soon as the palette was closed and opened again, and what is typed is taken', async () => {
    await openList()
    for (const at of Array(4).keys()) {
      // Nothing waits in between, as for a hand that is quick.
      await userEvent.keyboard(
        `{Control>}k{/Control}${at % 2 === 0 ? 'lo' : ''}{Escape}{Control>}k{/Control}x${at}`,
      )
      await expect.element(palette).toHaveValue(`x${at}`)
      await userEvent.keyboard('{Escape}')
    }
    await gone(page.getByRole('dialog'))
  })
})

describe('the page of the search', () => {
  const words = page.getByRole('searchbox', { name: 'Find anything' })
  const part = page.getByRole('region', { name: 'Order' })

  test('is opened from the palette by keys, leads to records and to their lists', async () => {
    const service = await open('/order')
    await see(page.getByRole('grid'))
    await find('lowe')
    await see(option('Löwe 12'))
    await userEvent.keyboard('{ArrowUp}')
    await see(page.getByRole('option', { name: 'All results', selected: true }))
    await userEvent.keyboard('{Enter}')
    await expect.element(words).toHaveFocus()
    expect(location.search).toBe('?q=lowe')
    await see(part.getByRole('link', { name: 'Löwe 12' }))
    expect(part.getByRole('listitem').elements()).toHaveLength(10)
    await see(part.getByText('1,204.50').first())
    await expect.poll(() => marksIn(part)[0]).toBe('Löwe')
    await see(page.getByRole('region', { name: 'Customer' }).getByText('Wien'))
    await userEvent.keyboard('{ArrowDown}')
    await expect.element(part.getByRole('link', { name: 'Löwe 12' })).toHaveFocus()
    await userEvent.keyboard('{ArrowUp}')
    await expect.element(words).toHaveFocus()
    await part.getByRole('link', { name: 'Show more: Order' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Löwe 12' })
    await expect.poll(() => marksIn(row)).toEqual(['Löwe', 'Löwe'])
    const searched = () =>
      service.asked.findLast(({ path }) => path === '/order/search')?.body as { $search?: string }
    expect(searched().$search).toBe('lowe')
    // A number is what was looked for, or it is not.
    await page.getByRole('searchbox', { name: 'Find in this list' }).fill('1204.5 söhne')
    await expect.poll(() => marksIn(row)).toEqual(['Söhne', '1,204.50'])
  })

  test('says what it finds, and offers lists where it finds nothing', async () => {
    await open('/-/search', { viewport: { width: 320, height: 800 } })
    await see(page.getByText('Finds records by their names'))
    expect(await findViolations()).toEqual([])
    await words.fill('löwe')
    await see(part.getByText('1,204.50').first())
    expect(await findViolations()).toEqual([])
    await words.fill('vienna')
    await see(page.getByRole('heading', { name: 'No name, title or id has “vienna”.' }))
    // By keys: the pointer would be over a record, which is then read.
    await press(page.getByRole('main').getByRole('link', { name: 'Customer' }), '{Enter}')
    await see(page.getByRole('searchbox', { name: 'Find in this list' }))
    expect(location.search).toBe('?q=vienna')
  })

  test('shows a role nothing that it may not read, offers no such record in a link, and says what is refused', async () => {
    const service = await open('/-/search?q=löwe', { role: 'reader' })
    await see(link('Löwe 3'))
    for (const text of ['1,204.50', 'Söhne', 'Customer']) await gone(page.getByText(text))
    await find('order')
    await page.getByRole('option', { name: 'Order', exact: true }).click()
    await link('Create').click()
    await see(page.getByRole('textbox', { name: 'Number', exact: true }))
    await gone(page.getByRole('combobox', { name: 'Customer' }))
    expect(service.asked.filter(({ path }) => path.startsWith('/customer'))).toEqual([])
    await cleanup()
    await open('/-/search?q=a b c', {
      answers: {
        'GET /api/search': problem(400, 'criteria.invalid', 'Too many words.'),
      },
    })
    await see(page.getByRole('alert'))
  })
})

test('words that a list is searched for are marked where the service looks for them', async () => {
  const columns = ['number', 'total', 'quantity', 'customer.name', 'customer.city', 'link']
  const search = new URLSearchParams({
    q: 'lowe sohne wien 1204.5 12 example',
    c: JSON.stringify(columns),
  })
  const values = { customer_id: 1, total: '1204.50', link: 'https://example.com/a' }
  await openConsole(`/order?${search}`, {
    project,
    records: {
      order: [
        { ...values, id: 1, number: 'Löwe A', quantity: 12 },
        { ...values, id: 2, number: '<b>Löwe</b> B', quantity: 120, link: null },
      ],
      customer,
    },
  })
  // A number is found as a whole, and of a linked record only its name.
  const marked = ['Löwe', '1,204.50', '12', 'Löwe', 'Söhne', 'example']
  await expect.poll(() => marksIn(page.getByRole('row').nth(1))).toEqual(marked)
  await expect
    .poll(() => marksIn(page.getByRole('row').nth(2)))
    .toEqual(['Löwe', '1,204.50', 'Löwe', 'Söhne'])
  await see(cell('<b>Löwe</b> B'))
  const address = link('https://example.com/a')
  await expect.element(address).toHaveAttribute('href', 'https://example.com/a')
  expect(marksIn(address)).toEqual(['example'])
  // The keys of a list do not stop at it.
  await expect.element(address).toHaveAttribute('tabindex', '-1')
})
