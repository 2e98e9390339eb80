/** What a service answers to the page of an import: what it found in a file, a run, and rows with faults. */
import { roleFile } from '../../support/definitions/files.ts'
import type { Asked, Given } from './answers.ts'
import { type Opening, openConsole } from './open-console.tsx'
import { ordersProject } from './orders.ts'

const rights = { create: true, read: true, update: true, import: true }
export const importProject = {
  ...ordersProject,
  ...roleFile('reader', { order: { read: true } }),
  ...roleFile('importer', { order: rights, customer: { read: true } }),
}

const column = (head: string, path: string | null, more: object = {}) => ({
  position: 0,
  head,
  samples: [`${head} 1`, `${head} 2`],
  path,
  hasDecimals: false,
  decimal: null,
  hasDates: false,
  dates: null,
  issue: null,
  isUnknown: false,
  ...more,
})

type Columns = Readonly<Record<string, { readonly field: string } | null>>

/** What the service finds in the file, by what it is told. */
export const look = ({ query }: Pick<Asked, 'query'>): Given => {
  const given = JSON.parse(query.get('columns') ?? '{}') as Columns
  const client = given.Kunde?.field ?? null
  const isOpen = !('Kunde' in given)
  const path = client === null ? [] : [{ value: 'Čavao', fault: null }]
  return {
    body: {
      format: 'csv',
      encoding: 'windows-1252',
      separator: query.get('separator') ?? 'semicolon',
      sheet: null,
      sheets: [],
      columns: [
        column('Nr', 'number'),
        column('Kunde', client, {
          position: 1,
          issue: isOpen ? 'is not a column of order' : null,
          isUnknown: isOpen,
        }),
        column('Betrag', 'total', { position: 2, hasDecimals: true, decimal: 'comma' }),
      ],
      targets: ['number', 'customer.name', 'customer.id', 'total', 'notes'],
      matches: [['number'], ['id']],
      imports: [],
      rows: [
        {
          row: 2,
          fault: null,
          cells: [
            { value: 'O-1', fault: null },
            ...path,
            { value: 'zwölf', fault: 'must be a number, not "zwölf"' },
          ],
        },
        { row: 3, fault: 'has 9 cells, but there are 3 heads', cells: [] },
      ],
      notes: ['The file was read with semicolons.'],
      issues: [],
    },
  }
}

export const run = {
  id: 7,
  entity: 'order',
  user_id: 1,
  file_name: 'alt.csv',
  state: 'ready',
  mode: 'insert',
  match: [],
  all_or_nothing: true,
  rows: 5000,
  faulty: 0,
  created: 5000,
  changed: 0,
  unchanged: 0,
  done_rows: 0,
  check_step: 0,
  check_steps: 8,
  error: null,
  notes: ['"Nr" (3 cells): blanks at the ends of texts are left out.'],
  columns: [
    { head: 'Nr', name: 'number' },
    { head: 'Kunde', name: 'customer_id', link: 'name' },
  ],
  created_at: '2026-05-04T08:30:00.000Z',
  updated_at: '2026-05-04T08:30:00.000Z',
}

export const withFaults = { ...run, faulty: 13, created: 4987 }
const faultOf = (columnName: string | null, message: string, alike = 1) => ({
  column: columnName,
  message,
  alike,
})
const faultyRows = {
  heads: ['Nr', 'Alt', 'Kunde'],
  data: [
    {
      row: 4,
      cells: ['O-3', 'x', 'Adriia'],
      faults: [faultOf('Kunde', 'there is no customer', 12)],
    },
    { row: 9, cells: ['O-3', null, 'Adria'], faults: [faultOf('Nr', 'number must be unique')] },
    {
      row: 10,
      cells: ['O-9', null, 'Adriia'],
      faults: [faultOf('Kunde', 'there is no customer', 12)],
    },
    { row: 12, cells: ['O-12', null, 'Adria'], faults: [faultOf(null, 'The total is too much.')] },
  ],
  next: null,
}

export const runAnswer = (given: object) => ({ body: { run: given, faults: [] } })

export const openImport = (path: string, { answers = {}, ...options }: Opening = {}) =>
  openConsole(path, {
    project: importProject,
    answers: {
      'GET /api/imports': { body: { data: [] } },
      'POST /order/import/look': look,
      'POST /order/import': { status: 202, body: { ...run, state: 'reading' } },
      'GET /api/imports/7': runAnswer(run),
      'GET /api/imports/7/rows': { body: faultyRows },
      ...answers,
    },
    ...options,
  })
