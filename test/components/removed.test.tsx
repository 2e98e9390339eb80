/** Records that were removed, of one entity or of all: which, when and by whom, and restoring one or many. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { roleFile } from '../support/definitions/files.ts'
import { type Answer, pageOf, problem } from './support/answers.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { emptyOrder, numberOf, ordersProject } from './support/orders.ts'
import { button, heading, item, link } from './support/parts.ts'
import { gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const project = {
  ...ordersProject,
  ...roleFile('remover', { order: { read: true, delete: true }, customer: { read: true } }),
}

const ana = { id: 2, full_name: 'Ana Horvat' }
const at = (day: number) => `2026-05-0${day}T08:30:00.000Z`
const removedBy = (day: number, by: typeof ana | null) => ({
  _is_deleted: true,
  _version: 3,
  _updated_at: at(day),
  _updated_by: by?.id ?? null,
  ...(by && { updated_by: by }),
})
const orderOf = (id: number, day: number) => ({
  ...emptyOrder,
  id,
  number: numberOf(id),
  ...removedBy(day, ana),
})
const customer = { id: 1, name: 'Adria Metal', city: null, ...removedBy(3, null) }

type Body = { readonly $where: { readonly _is_deleted?: boolean }; readonly $search?: string }

/** Removed orders and a removed customer; restoring one takes it off, or is refused for the reason that is given. */
const open = async (path: string, { answers = {}, ...options }: Opening = {}) => {
  const orders = new Map([4, 2, 1].map((id) => [id, orderOf(id, id)]))
  const customers = new Map([[1, customer]])
  const searchIn =
    (rows: ReadonlyMap<number, object>): Answer =>
    ({ body }) => {
      const { $where, $search = '' } = body as Body
      if (!$where._is_deleted) return pageOf([])
      return pageOf([...rows.values()].filter((row) => JSON.stringify(row).includes($search)))
    }
  const restoreIn =
    (rows: Map<number, object>, id: number): Answer =>
    () => {
      const row = rows.get(id)
      rows.delete(id)
      return { headers: { ETag: '"4"' }, body: { ...row, _is_deleted: false, _version: 4 } }
    }
  const service = await openConsole(path, {
    project,
    role: 'remover',
    answers: {
      'POST /order/search': searchIn(orders),
      'POST /customer/search': searchIn(customers),
      'POST /order/1/restore': restoreIn(orders, 1),
      'POST /order/4/restore': restoreIn(orders, 4),
      'POST /order/2/restore': problem(409, 'record.conflict', 'Another record has this value.', {
        errors: [{ path: 'number', message: 'is already that of another record' }],
      }),
      ...answers,
    },
    ...options,
  })
  return service
}

const list = page.getByRole('list', { name: 'Removed records' })
const rows = () =>
  list
    .getByRole('listitem')
    .elements()
    .map((row) => row.textContent)
const box = (name: string) => page.getByRole('checkbox', { name, exact: true })
const refusal = 'Number is already that of another record'

test('what was removed is listed, the newest first, with who and when; only what may be restored is offered', async () => {
  const service = await open('/-/removed')
  await see(heading('Removed'), list)
  expect(rows()).toEqual([
    expect.stringMatching(/^O-000004.* · removed by Ana Horvat · 4 May 2026.*Restore$/),
    expect.stringMatching(/^Adria Metal.* · removed · 3 May 2026[^R]*$/),
    expect.stringMatching(/^O-000002.* · removed by Ana Horvat · 2 May 2026.*Restore$/),
    expect.stringMatching(/^O-000001.* · removed by Ana Horvat · 1 May 2026.*Restore$/),
  ])
  expect(sent(service, 'POST /order/search')[0]).toMatchObject({
    $where: { _is_deleted: true },
    $orderBy: ['-_updated_at', '-id'],
  })
  await gone(box('Select Adria Metal'))
  expect(await findViolations()).toEqual([])
})

test('one is restored by its button, several by their boxes; a refusal stands next to its record, which stays selected', async () => {
  const service = await open('/-/removed')
  await press(button(`Restore ${numberOf(4)}`), '{Enter}')
  await see(page.getByText('1 record is restored.'))
  await gone(link(numberOf(4)))
  await see(button('Restore the selected ones'))
  await press(box('Select all shown'), ' ')
  await button('Restore 2 records').click()
  const refused = list.getByRole('listitem').filter({ hasText: numberOf(2) })
  await see(refused.getByText(refusal))
  await see(page.getByText('1 record was not restored; the reason stands next to it.'))
  await gone(link(numberOf(1)))
  await expect.element(box(`Select ${numberOf(2)}`)).toBeChecked()
  await expect.element(box(`Select ${numberOf(2)}`)).toHaveAccessibleDescription(refusal)
  for (const id of [1, 2, 4]) await wrote(service, `POST /order/${id}/restore`, undefined)
  expect(await findViolations()).toEqual([])
})

test('the address has the entity and the words; what finds nothing leads back to all', async () => {
  await open('/-/removed')
  await see(link('Adria Metal'))
  await page.getByRole('combobox', { name: 'Records of' }).selectOptions('order')
  await gone(link('Adria Metal'))
  await page.getByRole('searchbox', { name: 'Find among removed records' }).fill(numberOf(2))
  await gone(link(numberOf(1)))
  await see(link(numberOf(2)))
  expect(Object.fromEntries(new URLSearchParams(location.search))).toEqual({
    entity: 'order',
    q: numberOf(2),
  })
  await page.getByRole('searchbox').fill('nothing has this')
  await see(page.getByText('No removed record was found.'))
  await press(button('Show all removed records'), '{Enter}')
  await see(link('Adria Metal'))
  expect(location.search).toBe('')
})

test('where nothing was removed, the page says so', async () => {
  await open('/-/removed', {
    answers: { 'POST /order/search': pageOf([]), 'POST /customer/search': pageOf([]) },
  })
  await see(page.getByText('Nothing was removed.'))
  expect(await findViolations()).toEqual([])
})

test('an entity that cannot be read is named, and the others are shown', async () => {
  const slow = problem(503, 'request.too-slow', 'It took too long.')
  await open('/-/removed', { answers: { 'POST /order/search': slow } })
  await see(link('Adria Metal'), page.getByText(/^Could not be read: .+ Choose one/))
})

test('if the service is lost on the way, what was not reached stays selected', async () => {
  const lost = problem(503, 'database.unavailable', 'The service is starting.')
  await open('/-/removed?entity=order', { answers: { 'POST /order/1/restore': lost } })
  await press(box('Select all shown'), ' ')
  await button('Restore 3 records').click()
  await see(page.getByRole('alert').getByText('The service is starting.'))
  await see(page.getByText('1 record is restored.'))
  for (const id of [1, 2]) await expect.element(box(`Select ${numberOf(id)}`)).toBeChecked()
})

test('it is reached from the navigation by those who restore, and from the list by all who read it', async () => {
  await open('/order', { role: 'reader' })
  await see(button('Views'))
  await gone(link('Removed'))
  await button('Views').click()
  await item('Removed').click()
  await see(link(numberOf(4)))
  expect(location.search).toBe('?entity=order')
  expect(page.getByRole('checkbox').elements()).toEqual([])
})

test.for([
  ['en-GB', 'Restore 2 records'],
  ['de-DE', '2 Datensätze wiederherstellen'],
  ['hr-HR', 'Vrati 2 zapisa'],
] as const)('on a phone nothing is wider than the page: %s', async ([locale, label]) => {
  await open('/-/removed', { locale, viewport: { width: 360, height: 740 } })
  // The first one selects all.
  const boxes = page.getByRole('main').getByRole('checkbox')
  await see(boxes.nth(3))
  for (const at of [1, 2]) {
    ;(boxes.nth(at).element() as HTMLElement).focus()
    await userEvent.keyboard(' ')
  }
  await see(button(label))
  const main = document.querySelector('.removed') as HTMLElement
  expect(main.scrollWidth).toBeLessThanOrEqual(main.clientWidth)
  expect(await findViolations()).toEqual([])
})
