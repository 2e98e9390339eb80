/** The dialog of an export: its columns by mouse and by keys, the preview of its file, and which records it has. */
import { describe, expect, test } from 'vitest'
import { type Locator, userEvent } from 'vitest/browser'
import { sheetHead, sheetTail, styles } from '../../src/export/formats/xlsx-parts.ts'
import { namedRole } from '../support/definitions/files.ts'
import { type Asked, type Given, problem } from './support/answers.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import {
  boxOf,
  customers,
  openKept,
  orderList,
  ordersProject,
  ordersUpTo,
} from './support/orders.ts'
import { button, dialogOf, item } from './support/parts.ts'
import { gone, input, see, sent } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
import { writeZip } from './support/write-zip.ts'

const project = {
  ...ordersProject,
  ...namedRole('Own', {
    order: { read: true, export: 'own' },
    customer: { read: true },
  }),
  'entities/order.json': {
    ...ordersProject['entities/order.json'],
    exportSettings: {
      columnDefs: [
        { field: 'number', headerName: 'Order no.' },
        { field: 'customer.name', headerName: 'Customer' },
        { field: 'customer.city', headerName: 'Customer' },
      ],
    },
  },
}

type Criteria = { readonly $select?: readonly string[]; readonly $where?: object }

const as = (type: string, body: unknown, headers: object = {}): Given => ({
  headers: { 'Content-Type': type, ...headers },
  body,
})

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** A file with the heads of its columns alone. */
const heads = ({ body }: Asked): Given => {
  const { $select = ['as', 'defined'] } = body as Criteria
  return as('text/csv; charset=utf-8', `${$select.join()}\r\n`)
}

const columns = ['number', 'customer.name', 'total', 'status']
const dialog = dialogOf('Export: Order')
const preview = dialog.getByRole('textbox', { name: 'The first rows, as in the file' })
const list = dialog.getByRole('listbox', { name: 'Columns in their order' })

type ExportOpening = Opening & { readonly search?: object; readonly select?: readonly number[] }

const openExport = async ({ search, select = [], answers, ...options }: ExportOpening = {}) => {
  const { service } = await openKept(orderList({ c: columns, ...search }), ordersUpTo(20), {
    project,
    settings: { exportFormat: 'csv' },
    answers: { 'POST /order/export': heads, ...answers },
    ...options,
  })
  for (const id of select) await boxOf(id).click()
  await button(select.length > 0 ? 'Export the selected records' : 'Export')
    .last()
    .click()
  await see(dialog)
  const asked = () => service.asked.findLast(({ path }) => path === '/order/export')
  return { service, asked, criteria: () => asked()?.body as Criteria | undefined }
}

const column = (name: string) => list.getByRole('option', { name, exact: true })
const textsOf = (parts: Locator) => parts.elements().map(({ textContent }) => textContent)

/** Waits until the preview has these columns. */
const file = (...paths: readonly string[]) =>
  expect.element(preview).toHaveValue(`${paths.join()}\n`)

/** Drags a column by its grip to the upper or the lower part of another. */
const drag = async (name: string, to: string, y: number) =>
  userEvent.dragAndDrop(column(name), column(to), {
    sourcePosition: { x: 10, y: 14 },
    targetPosition: { x: 10, y },
    force: true,
  })

describe('the columns of an export', () => {
  test('by mouse they are dragged, moved and taken out, and those of the list come back', async () => {
    await openExport()
    await file(...columns)
    await drag('Total', 'Order no.', 3)
    await file('total', 'number', 'customer.name', 'status')
    await expect.element(button('Up')).toBeDisabled()
    await button('Down').click()
    await file('number', 'total', 'customer.name', 'status')
    await drag('Order no.', 'Status', 25)
    await file('total', 'customer.name', 'status', 'number')
    await expect.element(column('Order no.')).toHaveAttribute('aria-selected', 'true')
    await expect.element(button('Down')).toBeDisabled()
    await button('Up').click()
    await button('Take out').click()
    await column('Customer').getByText('×').click()
    await file('total', 'status')
    expect(textsOf(list.getByRole('option'))).toEqual(['⠿Total×', '⠿Status×'])
    await see(dialog.getByText('Columns (2)'))
    const ofList = button('As in the list (4)')
    await expect.element(ofList).toHaveAttribute('aria-pressed', 'false')
    await ofList.click()
    await file(...columns)
    await expect.element(ofList).toHaveAttribute('aria-pressed', 'true')
    expect(await findViolations()).toEqual([])
  })

  test('by keys they are moved and taken out, and it is said', async () => {
    await openExport()
    const down = '{Alt>}{ArrowDown}{/Alt}'
    await press(list, `{ArrowDown}${down}${down}${down}`)
    await see(dialog.getByText('Customer is column 4 of 4.'))
    await file('number', 'total', 'status', 'customer.name')
    await userEvent.keyboard('{Home}{Alt>}{ArrowUp}{/Alt}{Delete}')
    await see(dialog.getByText('Order no. is taken out.'))
    await userEvent.keyboard('{End}{Alt>}{Home}{/Alt}')
    await see(dialog.getByText('Customer is column 1 of 3.'))
    await file('customer.name', 'total', 'status')
    const active = list.element().getAttribute('aria-activedescendant') ?? ''
    expect(column('Customer').element().id).toBe(active)
    // The last one stays.
    await userEvent.keyboard('{Delete}{Delete}{Delete}{Delete}')
    await file('status')
    expect(textsOf(list.getByRole('option'))).toEqual(['⠿Status'])
    await expect.element(button('Take out')).toBeDisabled()
  })

  test('are found by their names and their paths', async () => {
    await openExport({ search: { c: ['number'] } })
    const add = dialog.getByRole('combobox', { name: 'Add a column' })
    const offered = () => textsOf(dialog.getByRole('listbox').first().getByRole('option'))
    // Two columns have this name, so each has its path.
    await add.fill('cust city')
    await expect.poll(offered).toEqual(['Customer customer.city'])
    await userEvent.keyboard('{Enter}')
    await file('number', 'customer.city')
    await add.fill('CUSTOMER.ID')
    await expect.poll(offered).toEqual(['Customer › ID customer.id'])
    await userEvent.keyboard('{Enter}')
    await file('number', 'customer.city', 'customer.id')
    // The one that the export has already is not offered again.
    await add.fill('number')
    await expect.poll(offered).toEqual(['Serial number '])
    const far = '_created_by._created_by._created_by.full_name'
    await add.fill(far)
    await expect.poll(offered).toEqual([`Created by › Created by › Created by ${far}`])
    await userEvent.keyboard('{Enter}')
    await file('number', 'customer.city', 'customer.id', far)
  })

  test('are those of the definition, as it calls them', async () => {
    const { criteria } = await openExport()
    await button('As defined for exports (3)').click()
    await file('as', 'defined')
    expect(criteria()).not.toHaveProperty('$select')
    expect(textsOf(list.getByRole('option'))).toEqual([
      '⠿Order no.×',
      '⠿Customercustomer.name×',
      '⠿Customercustomer.city×',
    ])
    await press(list, '{Delete}')
    await file('customer.name', 'customer.city')
  })
})

describe('the preview of an export', () => {
  test('shows a workbook as a spreadsheet shows it', async () => {
    const cells = [
      '<c t="inlineStr"><is><t xml:space="preserve">A &amp; B_x000D_&#10;_x005F_x41_</t></is></c>',
      '<c s="6"><v>1234.5</v></c><c><v>12345</v></c><c/><c t="b"><v>1</v></c><c t="b"><v>0</v></c>',
      '<c s="1"><v>46146</v></c><c s="2"><v>46146.44791666667</v></c>',
    ]
    const columns = ['Text', 'Amount', 'Number', 'Nothing', 'Yes', 'No', 'Day', 'Moment'].map(
      (header) => {
        const cell = header === 'Moment' ? 'timestamp' : 'text'
        return { header, cell, digits: {}, width: 8 } as const
      },
    )
    const rows = `<row>${cells.join('')}</row>${sheetTail(columns.length, 2)}`
    const workbook = await writeZip({
      'xl/styles.xml': styles('en-GB'),
      'xl/worksheets/sheet1.xml': sheetHead(columns, 'Europe/Zagreb') + rows,
    })
    const { asked } = await openExport({
      locale: 'en-DE',
      settings: {},
      answers: {
        'POST /order/export': as(xlsx, workbook),
      },
    })
    await expect.element(input('Excel (xlsx)')).toBeChecked()
    const table = dialog.getByRole('region', { name: 'The first rows, as in the file' })
    await see(table.getByRole('columnheader', { name: 'Moment (Europe/Zagreb)' }))
    expect(textsOf(table.getByRole('cell'))).toEqual([
      ...['A & B\r\n_x41_', '1.234,50', '12345', '', 'TRUE', 'FALSE'],
      ...['04/05/2026', '04/05/2026 10:45:00'],
    ])
    expect(String(asked()?.query)).toBe('format=xlsx&names=true&limit=20')
  })

  test('is that of the dialect, which is offered again', async () => {
    const dialect = dialog.getByRole('combobox', { name: 'CSV form' })
    const german = Uint8Array.from([...'Größe;1,5\r\n'].map((one) => one.charCodeAt(0)))
    const { service, asked } = await openExport({
      locale: 'en-DE',
      answers: {
        'POST /order/export': (request) =>
          request.query.has('dialect')
            ? as('text/csv; charset=windows-1252', german)
            : heads(request),
      },
    })
    await file(...columns)
    await expect.element(dialect).toHaveValue('')
    await dialect.selectOptions('Excel: German')
    await expect.element(preview).toHaveValue('Größe;1,5\n')
    expect(String(asked()?.query)).toBe('format=csv&dialect=excel-de&limit=20')
    await button('Start the export').click()
    await expect
      .poll(() => sent(service, 'PATCH /console/-/settings.json'))
      .toEqual([{ exportCsv: 'excel-de' }])
    expect(await findViolations()).toEqual([])
  })

  test('says what it cannot show, and what a role may not read', async () => {
    const { service } = await openExport({
      answers: {
        'POST /order/export': ({ query }) => {
          const format = query.get('format')
          if (format === 'ndjson')
            return as('application/x-ndjson; charset=utf-8', '{"number":1}\n', {
              'X-Omitted-Columns': '2',
            })
          if (format === 'csv') return as('text/csv; charset=utf-8', 'x'.repeat(70_000))
          return as(xlsx, new Uint8Array(4_000_001))
        },
      },
    })
    await expect.element(preview).toHaveValue(`${'x'.repeat(65_536)} …`)
    await input('Parquet').click()
    await expect.element(preview).toHaveValue('{"number":1}\n')
    await see(dialog.getByText('Parquet has typed columns of these values'))
    await see(dialog.getByText('2 columns are left out, because your role may not read them.'))
    await input('Excel (xlsx)').click()
    await see(dialog.getByText('The rows are too long to be shown here.'))
    await gone(dialog.getByText('2 columns are left out'))
    service.answer({
      'POST /order/export': problem(422, 'export.cell-too-long', 'A cell is too long.'),
    })
    await input('JSON').click()
    await expect.element(dialog.getByRole('alert')).toHaveTextContent('A cell is too long.')
  })
})

describe('the records of an export', () => {
  test('are the selected ones, unless all that match are wanted', async () => {
    const search = { w: { status: 'open' }, q: 'O-0' }
    const { criteria } = await openExport({ search, select: [2, 4] })
    await see(dialog.getByText('Filter: Status is open'), dialog.getByText('Search: O-0'))
    await expect.element(input('Selected (2)')).toBeChecked()
    await expect.poll(() => criteria()?.$where).toEqual({ id: { $in: [2, 4] } })
    await input('All that match (10)').click()
    await expect
      .poll(criteria)
      .toMatchObject({ $where: { status: 'open' }, $search: 'O-0', $select: columns })
  })

  test('are those of a group, which is left for them and shown again', async () => {
    const service = await openConsole(orderList({ c: columns }), {
      project,
      settings: { exportFormat: 'csv', theme: 'dark' },
      records: { order: ordersUpTo(20), customer: customers },
      answers: { 'POST /order/export': heads },
    })
    await button('Menu of the column Status').click()
    await item('Group by this column …').click()
    await button('Export: open').click()
    await see(dialog.getByText('Filter: Status is open'))
    await file(...columns)
    expect(sent(service, 'POST /order/export').at(-1)).toMatchObject({
      $where: { status: { $eq: 'open' } },
    })
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('{Escape}')
    await see(dialogOf('Grouped by Status'))
  })

  test('of a role that exports its own alone are counted as such', async () => {
    const counted: unknown[] = []
    await openExport({
      role: 'own',
      answers: {
        'POST /order/search': ({ body }, usual) => {
          const { $select, $where } = body as Criteria
          if ($select?.join() !== 'id') return usual()
          counted.push($where)
          return { body: { data: [], next: null, previous: null, total: 3 } }
        },
      },
    })
    await see(dialog.getByText('Your role exports only your own records.'))
    await see(dialog.getByText('3 records', { exact: true }))
    await see(dialog.getByText('Without a filter: all records.'))
    expect(counted.at(-1)).toEqual({
      $or: [{ _created_by: { $eq: 1 } }, { _owned_by: { $eq: 1 } }],
    })
  })
})
