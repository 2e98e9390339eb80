/** The lines of a record: typed by keys, pasted from a spreadsheet, with faults at their cells, and saved with the record. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { readTable } from '../../console/features/lines/table-text.ts'
import { entityFile, namedRole } from '../support/definitions/files.ts'
import { type Given, problem } from './support/answers.ts'
import { finds, foundOf } from './support/given.ts'
import { type Opening, openConsole } from './support/open-console.tsx'
import { button, option, tab } from './support/parts.ts'
import { gone, input, keysOf, see, sent, unsaved, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

/** An order with its lines, and with these fields. */
const orderFile = (...more: readonly object[]) =>
  entityFile('order', { name: 'Order', displayField: 'number' }, [
    { key: 'number', name: 'Number', type: 'string', required: true },
    {
      key: 'lines',
      name: 'Lines',
      type: 'oneToMany',
      entity: 'line',
      mappedBy: 'order',
      orderBy: 'position',
    },
    ...more,
  ])

const project = {
  'docket.json': { name: 'Shop', locale: 'en-GB' },
  ...orderFile(),
  ...entityFile('line', { name: 'Line', pluralName: 'Lines', displayField: 'code' }, [
    { key: 'code', name: 'Code', type: 'string', required: true, maxLength: 4 },
    { key: 'order', name: 'Order', type: 'manyToOne', entity: 'order' },
    { key: 'position', name: 'Position', type: 'integer' },
    { key: 'article', name: 'Article', type: 'manyToOne', entity: 'article' },
    { key: 'price', name: 'Price', type: 'decimal', precision: 10, scale: 2 },
    { key: 'due_on', name: 'Due', type: 'date' },
    {
      key: 'amount',
      name: 'Amount',
      type: 'decimal',
      scale: 2,
      precision: 10,
      formula: 'price * 2',
    },
  ]),
  ...entityFile('article', { name: 'Article', displayField: 'name' }, [
    { key: 'name', name: 'Name', type: 'string' },
  ]),
  ...namedRole('Reader', { order: { read: true }, line: { read: true }, article: { read: true } }),
}

const rows = [
  { id: 1, code: 'A', position: 1, price: '1.00' },
  { id: 2, code: 'B', position: 2, price: '2.00' },
].map((row) => ({ ...row, order_id: 1, _version: 3 }))

const open = (path: string, options: Opening = {}) =>
  openConsole(path, {
    project,
    records: {
      order: [{ id: 1, number: 'O-1' }],
      line: rows,
      article: ['Oak', 'Ash', 'Ash'].map((name, at) => ({ id: 7 + at, name })),
    },
    ...options,
  })

const grid = page.getByRole('grid', { name: 'Lines' })
const cell = (row: number, column: number) =>
  grid.getByRole('row').nth(row).getByRole('gridcell').nth(column)
const change = 'PATCH /order/1'
const press = (keys: string) => userEvent.keyboard(keys)
const save = '{Control>}s{/Control}'

/** As the clipboard does. */
const clipboard = (kind: 'paste' | 'copy', text = ''): string => {
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', text)
  const options = { clipboardData, bubbles: true, cancelable: true }
  document.activeElement?.dispatchEvent(new ClipboardEvent(kind, options))
  return clipboardData.getData('text/plain')
}

test('lines are typed, added, moved and removed by keys, and saved with the record in one request', async () => {
  const answers = { 'GET /api/search': finds(foundOf('article', 7, 'Oak', 'name')) }
  const service = await open('/order/1#lines', { answers })
  await see(cell(1, 0))
  ;(grid.element() as HTMLElement).focus()
  await press('{ArrowRight}{ArrowRight}{ArrowRight}7.5{Enter}')
  await expect.element(page.getByLabelText('Price of B')).toHaveFocus()
  await press('8{Enter}')
  await expect.element(page.getByLabelText('Code of new row 3')).toHaveFocus()
  await press('C{Tab}{Tab}Oak')
  await see(option('Oak'))
  await press('{ArrowDown}{Enter}{Tab}9{Tab}')
  await expect.element(page.getByLabelText('Due of C')).toHaveFocus()
  await press('{Escape}{Home}{Alt>}{ArrowUp}{/Alt}')
  await expect.element(cell(2, 0)).toHaveTextContent('C')
  await press('{ArrowUp}{Control>}{Delete}{/Control}')
  await see(unsaved())
  expect((await findViolations()).join()).toBe('')
  const reads = () => sent(service, 'POST /line/search').length
  const before = reads()
  await press(save)
  const create = [{ code: 'C', position: 2, article_id: 7, price: '9' }]
  await wrote(service, change, {
    lines: {
      create,
      change: [{ id: 2, _version: 3, price: '8', position: 3 }],
      remove: [{ id: 1, _version: 3 }],
    },
  })
  await gone(unsaved())
  expect(reads()).toBeGreaterThan(before)
  expect(keysOf(service, change)).toEqual([expect.any(String)])
})

test('a new line whose records are called by their ids is named by its place', async () => {
  const line = entityFile('line', { name: 'Line', pluralName: 'Lines' }, [
    { key: 'code', name: 'Code', type: 'string', required: true },
    { key: 'order', name: 'Order', type: 'manyToOne', entity: 'order' },
    { key: 'position', name: 'Position', type: 'integer' },
  ])
  await open('/order/1#lines', { project: { ...project, ...line } })
  await see(cell(1, 0))
  await button('Add a row').click()
  await expect.element(page.getByLabelText('Code of new row 3')).toHaveFocus()
})

describe('a pasted range', () => {
  test('fills cells from the active one on and adds lines, with its faults at the cells before anything is saved', async () => {
    const service = await open('/order/1#lines', { locale: 'de-DE' })
    await see(cell(1, 0))
    ;(grid.element() as HTMLElement).focus()
    await press('{ArrowDown}')
    clipboard(
      'paste',
      'D\t2\tOak\t1.204,50 €\t24.5.2026\r\nF\t3\tAsh\r\n"E ""x"""\tzwei\tElm\t12\t2026-05-25\r\n',
    )
    await expect.element(cell(4, 0)).toHaveTextContent('E "x"')
    await press(save)
    // A length, a number, a name that nothing has, and one that two have.
    await see(page.getByText(/4 (Werte|values)/))
    expect(sent(service, change)).toEqual([])
    await press('{Control>}{End}{/Control}{Home}{ArrowRight}')
    await press('2{Enter}')
    await press('{Escape}')
    ;(grid.element() as HTMLElement).focus()
    expect((await findViolations()).join()).toBe('')
  })

  test('is read with its quotation marks, tabs and line ends', () => {
    expect(readTable('a\t"b ""c""\td"\r\n\t5" pipe\n')).toEqual([
      ['a', 'b "c"\td'],
      ['', '5" pipe'],
    ])
    expect(readTable('')).toEqual([['']])
  })
})

test('the table says that saving waits for files of the record, and saves them when they are sent', async () => {
  const upload = `up_${'a'.repeat(32)}`
  const about = { filename: 'a.png', bytes: 8, mimetype: 'image/png' }
  const { promise, resolve } = Promise.withResolvers<Given>()
  const service = await open('/order/1', {
    project: { ...project, ...orderFile({ key: 'photos', name: 'Photos', type: 'files' }) },
    answers: {
      'POST /api/uploads': () => promise,
      [change]: (_asked, usual) =>
        usual({ photos: [{ id: 70, ...about, width: null, height: null }] }),
    },
  })
  const chooser = () => document.querySelector('[data-column=photos] input[type=file]')
  await expect.poll(chooser).toBeTruthy()
  const file = new File(['12345678'], 'a.png', { type: 'image/png' })
  await userEvent.upload(page.elementLocator(chooser() as Element), file)
  await see(page.getByRole('progressbar', { name: 'a.png' }))
  await tab(/^Lines/).click()
  await see(page.getByText('Not all files are sent.', { exact: false }))
  expect((await findViolations()).join()).toBe('')
  await press(save)
  expect(sent(service, change)).toEqual([])
  resolve({ status: 201, body: { upload, sha256: '0'.repeat(64), ...about } })
  await see(unsaved())
  await press(save)
  await wrote(service, change, { photos: { add: [upload] } })
  await gone(unsaved())
})

test('what the service refuses is said at the cell or the line, and a copied range is text with tabs', async () => {
  const errors = [
    { path: 'lines.change[0].code', message: 'This code is taken.' },
    { path: 'lines.remove[0]', message: 'B is used.' },
  ]
  const refused = problem(409, 'record.conflict', '2 issues.', { errors })
  await open('/order/1#lines', { answers: { [change]: refused } })
  await see(cell(1, 0))
  ;(grid.element() as HTMLElement).focus()
  await press('{Shift>}{ArrowDown}{ArrowRight}{/Shift}')
  expect(clipboard('copy')).toBe('A\t1\r\nB\t2')
  await press('{Control>}{Delete}{/Control}{ArrowUp}{Home}X{Tab}{Escape}')
  await press(save)
  await see(page.getByText('B is used.'), page.getByText('1 value needs your attention'))
  await see(page.getByText('Another record has this value already.', { exact: false }))
  await page.getByRole('button', { name: 'Discard' }).last().click()
})

test('cells of a list are copied as a range, which begins sideways or is dragged', async () => {
  await open(`/line?c=${encodeURIComponent(JSON.stringify(['code', 'position', 'price']))}`)
  const list = page.getByRole('grid')
  const listed = (row: number, column: number) =>
    list.getByRole('row').nth(row).getByRole('gridcell').nth(column)
  await see(listed(1, 1))
  await expect.poll(() => list.element().parentElement?.querySelector('span[hidden]')).toBeTruthy()
  ;(list.element() as HTMLElement).focus()
  expect(clipboard('copy')).toBe('A')
  await press('{Shift>}{ArrowRight}{ArrowRight}{ArrowDown}{/Shift}')
  await expect.element(listed(2, 3)).toHaveAttribute('data-picked')
  expect(clipboard('copy')).toBe('A\t1\t1.00\r\nB\t2\t2.00')
  expect((await findViolations()).join()).toBe('')
  await press('{ArrowUp}')
  await expect.element(listed(2, 3)).not.toHaveAttribute('data-picked')
})

test('a new record is created with its lines, which are checked before', async () => {
  const errors = [{ path: 'lines.create[0].code', message: 'This code is taken.' }]
  const refused = problem(409, 'record.conflict', 'It is taken.', { errors })
  const service = await open('/order/new', {
    answers: { 'POST /order': refused },
  })
  await input('Number *').fill('O-2')
  await button('Add a row').click()
  await expect.element(page.getByLabelText('Code of new row 1')).toHaveFocus()
  await press('{Escape}')
  await button('Create').click()
  await see(page.getByText('Enter a value.'))
  expect(sent(service, 'POST /order')).toEqual([])
  await press('{Escape}')
  ;(grid.element() as HTMLElement).focus()
  await press('N{Enter}')
  await expect.element(page.getByLabelText('Code of new row 2')).toHaveFocus()
  await press('{Escape}{Control>}{Delete}{/Control}')
  await button('Create').click()
  await wrote(service, 'POST /order', {
    number: 'O-2',
    lines: { create: [{ code: 'N', position: 1 }] },
  })
  await see(page.getByText('Another record has this value already.', { exact: false }))
})

test('all lines of a long list are shown on demand, and the buttons of a row move it', async () => {
  const many = Array.from({ length: 210 }, (_, at) => ({
    id: at + 1,
    code: `L${at + 1}`,
    position: at + 1,
    order_id: 1,
    _version: 3,
  }))
  await open('/order/1#lines', {
    answers: {
      'POST /line/search': ({ query }) => ({
        body: { data: many.slice(0, Number(query.get('limit'))), next: null, total: 210 },
      }),
    },
  })
  await see(cell(200, 0))
  await gone(cell(201, 0))
  await button('Show all 210 rows').click()
  await see(cell(210, 0))
  await gone(button('Show all 210 rows'))
  await button('Move row 1 down').click()
  await expect.element(cell(1, 0)).toHaveTextContent('L2')
  await button('Move row 2 up').click()
  await expect.element(cell(1, 0)).toHaveTextContent('L1')
  await gone(unsaved())
})

test('a role that may not write them reads a table', async () => {
  await open('/order/1#lines', { role: 'reader' })
  await see(page.getByRole('cell', { name: 'A' }))
  await gone(grid)
})

describe('a range pasted into a list', () => {
  const list = page.getByRole('grid').first()
  const pasted = page.getByRole('dialog', { name: 'Paste into the list' })
  const columns = ['code', 'price', 'article.name', 'amount']
  const path = `/line?c=${encodeURIComponent(JSON.stringify(columns))}`
  const bulk = 'POST /line/bulk'
  const outcome = (id: number | null, version: number | null) => {
    const rest = { code: null, detail: null, errors: [] }
    return { id, status: 'done' as const, version, ...rest }
  }
  const written = (dryRun: boolean, ...data: ReturnType<typeof outcome>[]) => ({
    body: { dryRun, counts: { done: data.length, unchanged: 0, refused: 0 }, data },
  })
  const openList = async (options: Opening) => {
    const service = await open(path, options)
    await see(list)
    await expect
      .poll(() => list.element().parentElement?.querySelectorAll('span[hidden]').length)
      .toBeGreaterThan(1)
    ;(list.element() as HTMLElement).focus()
    return service
  }

  test('makes new records of a list that has none', async () => {
    const service = await open(path, {
      answers: {
        'POST /line/search': () => ({ body: { data: [], next: null, total: 0 } }),
        [bulk]: () => written(true, outcome(null, null)),
      },
    })
    const hint = page.getByText('Rows that are copied in a spreadsheet can be pasted here.')
    const none = page.getByText('There are no records yet.')
    await see(hint, none)
    const end = none.element().getBoundingClientRect().bottom
    expect(hint.element().getBoundingClientRect().top - end).toBeLessThan(20)
    await expect
      .poll(() => {
        clipboard('paste', 'C\t1\n')
        return pasted.elements().length
      })
      .toBe(1)
    await see(pasted.getByText('1 record is new.'))
    await expect
      .poll(() => sent(service, bulk))
      .toEqual([{ create: [{ code: 'C', price: '1' }], dryRun: true }])
  })

  test('is shown as it will be, with its faults at the cells, and saved in one request that is taken back', async () => {
    const errors = [
      { path: 'create[0].code', message: 'This code is taken.' },
      { path: 'change[0]', message: 'B is closed.' },
    ]
    let tries = 0
    const service = await openList({
      answers: {
        [bulk]: ({ body }) => {
          const { dryRun = false, remove } = body as { dryRun?: boolean; remove?: unknown }
          tries += 1
          if (tries === 1) return problem(409, 'record.conflict', '2 issues.', { errors })
          return remove
            ? written(false, outcome(9, null), outcome(2, 5))
            : written(dryRun, outcome(2, 4), outcome(9, 1))
        },
      },
    })
    await press('{ArrowDown}')
    await expect
      .element(list)
      .toHaveAttribute('aria-activedescendant', expect.stringMatching(/-1-0$/))
    clipboard('paste', 'B2\t3.5\tOak\t99\nC\tx\tElm\t1\n')
    await see(
      pasted.getByText('1 record is changed. 1 record is new.'),
      pasted.getByText('B is closed.'),
    )
    const tried = {
      create: [{ code: 'C', price: 'x', article_id: 'Elm' }],
      change: [{ id: 2, _version: 3, code: 'B2', price: '3.5', article_id: 7 }],
    }
    await expect.poll(() => sent(service, bulk)).toEqual([{ ...tried, dryRun: true }])
    expect((await findViolations()).join()).toBe('')
    await pasted.getByRole('button', { name: 'Save' }).click()
    expect(sent(service, bulk)).toHaveLength(1)
    ;(pasted.getByRole('grid').element() as HTMLElement).focus()
    await press('{Control>}{End}{/Control}{Home}D{Tab}4{Tab}{Escape}{Delete}')
    await see(pasted)
    await press(save)
    const corrected = { create: [{ code: 'D', price: '4' }], change: tried.change }
    await expect.poll(() => sent(service, bulk).slice(1)).toEqual([corrected])
    await see(pasted.getByText('Done: 2 records.'))
    await pasted.getByRole('button', { name: 'Undo' }).click()
    await see(pasted.getByText('2 records are as they were before.'))
    expect(sent(service, bulk).at(-1)).toEqual({
      change: [{ id: 2, _version: 4, code: 'B', price: '2.00', article_id: null }],
      remove: [{ id: 9, _version: 1 }],
    })
    await pasted.getByRole('button', { name: 'Close' }).click()
    await expect.element(list).toHaveFocus()
  })

  test('is dropped by Escape, and is not for a role that writes none of them', async () => {
    const service = await openList({ answers: { [bulk]: () => written(true, outcome(1, null)) } })
    clipboard('paste', 'New')
    await see(pasted.getByText('1 record is changed.'))
    await press('{Escape}')
    await gone(pasted)
    expect(sent(service, bulk)).toEqual([
      { change: [{ id: 1, _version: 3, code: 'New' }], dryRun: true },
    ])
  })
})
