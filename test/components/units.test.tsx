/** Numbers with their units: in lists, records, sums, filters and approvals, and the names of units that are choices. */
import { describe, expect, test } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { entityFile, exporting, namedRole } from '../support/definitions/files.ts'
import { workflowOf } from '../support/definitions/workflow-of.ts'
import type { Answer } from './support/answers.ts'
import { bulkWithout, finds, foundOf } from './support/given.ts'
import { addressed, openConsole, press } from './support/open-console.tsx'
import { button, dialogOf, item, link, tab } from './support/parts.ts'
import { gone, input, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
import { approvalOf, notifies, waitingAnswers } from './support/waiting.ts'

const amount = { type: 'decimal', precision: 20, scale: 2 }
const workflow = workflowOf({
  review: [
    { key: 'approve', kind: 'approveWorkflow', to: 'approved' },
    { key: 'reject', kind: 'rejectWorkflow', to: 'approved' },
  ],
  approved: [],
})

type Row = { readonly id: number; readonly [field: string]: unknown }
type Results = Readonly<Record<string, unknown>>
type Search = {
  readonly $aggregate?: Readonly<Record<string, readonly [string]>>
  readonly $group?: readonly string[]
  readonly $where?: { readonly id?: { readonly $in: readonly number[] }; currency_id?: number }
}

const valueAt = (row: Row, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Results)[key], row)

/** What a service says of the numbers of these records, digit by digit. */
const resultsOf = (rows: readonly Row[], path: string): Results => {
  const values = rows.map((row) => BigInt(String(valueAt(row, path)).replace('.', '')))
  const hasCents = typeof valueAt(rows[0] as Row, path) === 'string'
  const print = (value = 0n) => (hasCents ? `${value}`.replace(/(\d\d)$/, '.$1') : Number(value))
  const sorted = values.toSorted((one, other) => (one < other ? -1 : 1))
  const sum = values.reduce((one, other) => one + other)
  const avg = print(sum / BigInt(values.length))
  return { sum: print(sum), avg, min: print(sorted[0]), max: print(sorted.at(-1)) }
}

/** Answers searches that add up these records, by groups or together, as a service does. */
const adding =
  (rows: readonly Row[], groupsAreComplete = true): Answer =>
  async (asked, usual) => {
    const { $aggregate = {}, $group, $where = {} } = asked.body as Search
    if (!asked.text.includes('"$aggregate"') && !$group) return usual()
    const found = rows.filter(
      ({ id, currency_id }) =>
        ($where.id?.$in.includes(id) ?? true) &&
        ($where.currency_id ?? currency_id) === currency_id,
    )
    const totalsOf = (some: readonly Row[]) => {
      const results = Object.entries($aggregate).map(([name, [path]]) => [
        name,
        { [path]: resultsOf(some, path)[name] },
      ])
      return { count: some.length, ...Object.fromEntries(results) }
    }
    const keyOf = (row: Row) =>
      Object.fromEntries(($group ?? []).map((path) => [path, valueAt(row, path)]))
    const groups = [...Map.groupBy(found, (row) => JSON.stringify(keyOf(row)))].map(
      ([key, some]) => ({ key: JSON.parse(key), ...totalsOf(some) }),
    )
    const totals = $group ? { groups, groupsAreComplete } : { aggregate: totalsOf(found) }
    return { body: { data: [], next: null, previous: null, ...totals } }
  }

const cell = (name: string | RegExp) => page.getByRole('gridcell', { name })
const totals = page.getByRole('region', { name: 'Totals' })
const textsOf = (cells: Locator) =>
  cells
    .elements()
    // Spaces that do not break are as good as usual ones.
    // biome-ignore lint/performance/useDomNodeTextContent: cells and lines are read as they are shown
    .map((one) => (one as HTMLElement).innerText.replaceAll('\u00a0', ' '))

const openGroups = async (column: string) => {
  await page.getByRole('button', { name: `Menu of the column ${column}` }).click()
  await item('Group by this column …').click()
  return page.getByRole('dialog', { name: `Grouped by ${column}` })
}

describe('amounts in several currencies', () => {
  const project = {
    'docket.json': { name: 'Offers', locale: 'en' },
    ...entityFile('currency', { name: 'Currency', displayField: 'code' }, [
      { key: 'code', name: 'Code', type: 'string' },
      { key: 'offers', name: 'Offers', type: 'oneToMany', entity: 'offer', mappedBy: 'currency' },
    ]),
    'entities/offer.json': {
      key: 'offer',
      name: 'Offer',
      displayField: 'number',
      workflow,
      fields: [
        { key: 'number', name: 'Number', type: 'string', required: true },
        { key: 'currency', name: 'Currency', type: 'manyToOne', entity: 'currency' },
        { key: 'price', name: 'Price', ...amount, unit: { field: 'currency.code' } },
        { key: 'weight', name: 'Weight', type: 'integer', unit: 'kg' },
        { key: 'kind', name: 'Kind', type: 'enum', values: ['goods', 'service'] },
      ],
      exportSettings: exporting('number', 'price', 'weight', 'kind'),
    },
    /** May not see currencies. */
    ...namedRole('Clerk', {
      offer: { read: true, update: true, actions: ['approve', 'reject'] },
    }),
  }
  const currency = [
    { id: 1, code: 'EUR' },
    { id: 2, code: 'DKK' },
  ]
  /** By currency; more digits than a number of JavaScript has. */
  const offer = (
    [
      [1, '167921.60'],
      [2, '167921.60'],
      [1, '123456789012345678.90'],
    ] as const
  ).map(([currency_id, price], at) => ({
    id: at + 1,
    number: `O-${at + 1}`,
    price,
    weight: 12,
    kind: 'goods',
    _step: 'review',
    currency_id,
    currency: currency[currency_id - 1],
  }))
  const open = (path: string, { areComplete = true, ...options }: Record<string, unknown> = {}) =>
    openConsole(path, {
      project,
      records: {
        offer: offer.map(({ currency: _currency, ...rest }) => rest),
        ...(options.role === undefined && { currency }),
      },
      answers: {
        'POST /offer/search': adding(offer, areComplete === true),
        'GET /api/search': finds(foundOf('currency', 2, 'DKK', 'code')),
        'POST /api/notifications/recipients': notifies(),
        ...waitingAnswers(() => [1, 2].map((id) => approvalOf('offer', id, `O-${id}`))),
        'POST /offer/bulk': bulkWithout({ 3: 'workflow.condition-not-met' }),
      },
      ...options,
    })
  const bar = page.getByRole('region', { name: 'Selection' })
  const selectAll = async () => {
    await see(cell('DKK 167,921.60'))
    for (const name of ['O-1', 'O-2', 'O-3']) await page.getByRole('checkbox', { name }).click()
  }

  test('name their currency, whichever columns the list shows, and inputs their unit', async () => {
    await open('/offer')
    await see(cell('EUR 167,921.60'), cell('DKK 167,921.60'))
    expect(cell('12 kg').elements()).toHaveLength(3)
    await link('O-2').click()
    await see(page.getByRole('listitem').getByText('DKK 167,921.60'))
    await expect.element(input('Price')).toHaveAccessibleDescription('DKK')
    await expect.element(input('Weight')).toHaveAccessibleDescription('kg')
    expect(await findViolations()).toEqual([])
  })

  test('are numbers alone for a role that may not see the unit, which adds none of them up', async () => {
    const service = await open('/offer', { role: 'clerk' })
    await expect.poll(() => cell(/^167,921.60$/).elements()).toHaveLength(2)
    expect(cell('12 kg').elements()).toHaveLength(3)
    await page.getByRole('checkbox', { name: 'O-1' }).click()
    await see(bar.getByText('1 selected'))
    await bar.getByRole('button', { name: 'Totals' }).click()
    await see(totals.getByLabelText('Column'))
    expect(totals.getByLabelText('Column').element().textContent).not.toMatch(/Price/)
    await link('O-2').click()
    await see(page.getByRole('listitem').getByText('167,921.60', { exact: true }))
    await expect.element(input('Weight')).toHaveAccessibleDescription('kg')
    await expect.element(input('Price')).not.toHaveAccessibleDescription()
    expect(service.asked.filter(({ path }) => path.startsWith('/currency'))).toEqual([])
  })

  test('are added up for each unit, digit by digit: of the selection, of all and of groups', async () => {
    await open('/offer')
    await selectAll()
    await see(bar.getByText('EUR 123,456,789,012,513,600.50'), bar.getByText('DKK 167,921.60'))
    await bar.getByRole('button', { name: 'Totals' }).click()
    const rows = totals.getByRole('row', { name: 'All that match' })
    // The sum of weights is one number, so it is shown first.
    await see(rows.getByText('36 kg'))
    await totals.getByLabelText('Column').selectOptions('Price')
    await see(rows.getByText('EUR 123,456,789,012,513,600.50'))
    expect(textsOf(rows).map((text) => text.split('\t').slice(1))).toEqual([
      [
        ...['EUR 123,456,789,012,513,600.50', 'EUR 61,728,394,506,256,800.25', 'EUR 167,921.60'],
        ...['EUR 123,456,789,012,345,678.90', '2'],
      ],
      [...Array.from({ length: 4 }, () => 'DKK 167,921.60'), '1'],
    ])
    expect(await findViolations()).toEqual([])
    const dialog = await openGroups('Kind')
    await dialog.getByLabelText('Column').selectOptions('Sum of Price')
    const group = dialog.getByRole('row', { name: 'goods' })
    await see(group.getByText('EUR 123,456,789,012,513,600.50'))
    expect(textsOf(group.getByRole('cell')).slice(0, 2)).toEqual([
      '3',
      'EUR 123,456,789,012,513,600.50\nDKK 167,921.60',
    ])
    expect(await findViolations()).toEqual([])
  })

  test('of records that link to one are added up and named; more units than one request gives are said to be more', async () => {
    await open('/currency/1#offers')
    const offers = page.getByRole('region', { name: 'Offers' })
    await see(offers.getByText('Price EUR 123,456,789,012,513,600.50'))
    await cleanup()
    await open('/offer', { areComplete: false })
    await button('Totals').click()
    await totals.getByLabelText('Column').selectOptions('Price')
    await see(totals.getByText('Only the first 2 units are shown.'))
  })

  test('are said before several records are approved', async () => {
    await open('/-/approvals')
    await see(button('O-1'))
    await userEvent.keyboard('xjx')
    await see(page.getByText('2 selected'))
    const sums = (part: Locator | typeof page) =>
      expect.poll(() => part.getByText('167,921.60').elements().length).toBeGreaterThanOrEqual(2)
    await expect
      .poll(() => document.querySelector('.decide-bar')?.textContent)
      .toMatch(/EUR\s167,921.60.*DKK\s167,921.60/)
    await press(button('Approve 2'), '{Enter}')
    await sums(dialogOf('Approve: 2 records'))
    await cleanup()
    await open('/offer')
    await selectAll()
    await button('Approve …').click()
    const check = dialogOf('Approve: 3 records')
    await check.getByRole('button', { name: 'Check' }).click()
    await see(check.getByText('Possible for 2 records.'))
    // Of the two for which it is possible.
    await sums(check)
    await gone(check.getByText('123,456'))
  })

  test('order a list by their numbers alone, which says so and is ordered by the unit first', async () => {
    await open('/offer?s=["-price"]')
    const said = page.getByText(
      /^Price is in the order of its numbers alone, .*: (DKK, EUR|EUR, DKK)\.$/,
    )
    await see(said)
    await press(button('Order by Currency first'), '{Enter}')
    await gone(said)
    expect(addressed('s')).toEqual(['currency.code', '-price'])
    await cleanup()
    const service = await open('/offer?s=["-price"]&w={"currency_id":1}')
    await expect.poll(() => service.asked.some(({ text }) => text.includes('$group'))).toBe(true)
    await see(cell('EUR 167,921.60'))
    await gone(said)
  })

  test('are compared without their units in a condition, which says so and offers one of them, by keys alone', async () => {
    await open('/offer')
    await button('Menu of the column Price').click()
    await item('Filter by this column').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabelText('Condition').selectOptions('is at least')
    await dialog.getByLabelText('Value').fill('1000')
    const only = dialog.getByRole('combobox', { name: 'Only with this: Currency' })
    await expect
      .element(only)
      .toHaveAccessibleDescription(/^Numbers are compared without their units/)
    await only.fill('DKK')
    await see(dialog.getByRole('option', { name: 'DKK' }))
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('{Enter}{Enter}')
    await see(button('Change the filter Currency is DKK'))
    await button('Change the filter Price is at least').click()
    await see(dialog.getByLabelText('Value'))
    await gone(only)
  })
})

describe('units that are choices', () => {
  const project = {
    'docket.json': { name: 'Works', locale: 'en' },
    ...entityFile('article', { name: 'Article', displayField: 'name' }, [
      { key: 'name', name: 'Name', type: 'string', required: true },
      {
        key: 'measure',
        name: 'Measure',
        type: 'enum',
        values: [
          { value: 'hour', name: 'Hours' },
          ...['running_metre', 'm2', { value: 'EUR', name: 'Euros' }],
        ],
      },
      { key: 'stock', name: 'Stock', type: 'integer', unit: { field: 'measure' } },
      { key: 'works', name: 'Works', type: 'oneToMany', entity: 'work', mappedBy: 'article' },
    ]),
    'entities/work.json': {
      key: 'work',
      name: 'Work',
      pluralName: 'Works',
      displayField: 'number',
      workflow,
      fields: [
        { key: 'number', name: 'Number', type: 'string', required: true },
        { key: 'article', name: 'Article', type: 'manyToOne', entity: 'article' },
        { key: 'quantity', name: 'Quantity', ...amount, unit: { field: 'article.measure' } },
        { key: 'kind', name: 'Kind', type: 'enum', values: ['usual', 'urgent'] },
      ],
      exportSettings: exporting('number', 'quantity', 'kind', 'article.stock'),
    },
    'translations/de.json': {
      entities: {
        article: { fields: { measure: { values: { hour: 'Stunden', EUR: 'Euro' } } } },
        work: { pluralName: 'Arbeiten' },
      },
    },
  }
  const article = [
    { id: 1, name: 'Montage', measure: 'hour', stock: 8 },
    { id: 2, name: 'Cable', measure: 'running_metre', stock: 250 },
    { id: 3, name: 'Fee', measure: 'EUR', stock: 1 },
  ]
  const work = (
    [
      [1, '15.50'],
      [2, '3.00'],
      [3, '7.00'],
      [1, '4.00'],
    ] as const
  ).map(([article_id, quantity], at) => ({
    id: at + 1,
    number: `W-${at + 1}`,
    article_id,
    quantity,
    kind: 'usual',
    _step: 'review',
    article: article[article_id - 1],
  }))
  const open = (path: string, options: object = {}) =>
    openConsole(path, {
      project,
      records: { article, work: work.map(({ article: _article, ...rest }) => rest) },
      answers: {
        'POST /work/search': adding(work),
        ...waitingAnswers(() => [approvalOf('work', 1, 'W-1')]),
      },
      ...options,
    })

  test.for([
    ['en-GB', ['15.5 Hours', '3 running metre', 'EUR 7.00', '4 Hours', '8 Hours']],
    ['de-DE', ['15,5 Stunden', '3 running metre', '7,00 EUR']],
  ] as const)(
    'a list has their names, and the words of those without one: %s',
    async ([locale, texts]) => {
      await open('/work?s=["-quantity"]', { locale })
      for (const text of texts) await see(cell(text).first())
      const said = page.getByRole('status').getByText(locale === 'de-DE' ? 'Stunden' : 'Hours')
      await see(said)
      expect(said.element().textContent).toMatch(/running metre/)
      expect(said.element().textContent).not.toMatch(/hour,|running_metre/)
      expect(await findViolations()).toEqual([])
    },
  )

  test('sums are given by unit, of all and of groups, each with the name of its unit', async () => {
    await open('/work')
    await button('Totals').click()
    await totals.getByLabelText('Column').selectOptions('Quantity')
    for (const sum of ['19.5 Hours', '3 running metre', 'EUR 7.00', '9.75 Hours'])
      await see(totals.getByText(sum, { exact: true }).first())
    const dialog = await openGroups('Kind')
    await dialog.getByLabelText('Column').selectOptions('Sum of Quantity')
    const group = dialog.getByRole('row', { name: 'Usual' })
    await see(group.getByText('19.5 Hours'), group.getByText('3 running metre'))
  })

  test('an input has the name of its unit at its end, which follows another choice', async () => {
    await open('/article/1')
    await expect.element(input('Stock')).toHaveAccessibleDescription('Hours')
    await input('Measure').selectOptions('Running metre')
    await expect.element(input('Stock')).toHaveAccessibleDescription('running metre')
    await tab('Works').click()
    const related = page.getByRole('region', { name: 'Works' })
    await see(related.getByRole('gridcell', { name: '15.5 Hours' }))
    await see(related.getByText('Quantity 19.5 Hours'))
    await cleanup()
    await open('/-/approvals')
    await see(button('W-1').getByText('15.5 Hours'))
    await see(page.getByRole('listitem').getByText('15.5 Hours').last())
    await expect.element(input('Quantity')).toHaveAccessibleDescription('Hours')
  })
})
