/** Files as people have them, read as the import reads them: a project to read them for, workbooks part by part. */
import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import type { Entity } from '../../../src/definitions/catalog.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { createLanguages } from '../../../src/definitions/translations/languages.ts'
import { readCell } from '../../../src/import/read/cell-value.ts'
import {
  type GivenColumns,
  type Mapping,
  mapHeads,
  type ReadingProject,
} from '../../../src/import/read/mapping.ts'
import { openSheet } from '../../../src/import/read/open-sheet.ts'
import {
  type Cell,
  columnLetters,
  emptyCell,
  type GivenDialect,
  type Sheet,
  SheetFault,
  usualLimits,
} from '../../../src/import/read/sheet.ts'
import { afterwards } from '../afterwards.ts'
import { entityFile, link, many } from '../definitions/files.ts'
import { writeProject } from '../service.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const order = {
  key: 'order',
  name: 'Order',
  exportSettings: {
    columnDefs: [
      { field: 'number', headerName: 'Order no.' },
      { field: 'supplier.code', headerName: 'Supplier code' },
      { field: 'supplier.country.name' },
      { field: 'total', headerName: 'Total' },
      { field: 'placed_at', headerName: 'Placed' },
      { field: 'state', headerName: 'State', format: 'name' },
      { field: '_step' },
    ],
  },
  workflow: {
    initialStep: 'draft',
    steps: [
      {
        key: 'draft',
        name: 'Draft',
        actions: [{ key: 'finish', kind: 'proceedToStep', to: 'done' }],
      },
      { key: 'done', name: 'Done', final: true },
    ],
  },
  fields: [
    { key: 'number', name: 'Number', type: 'string', required: true, unique: true },
    { key: 'supplier', name: 'Supplier', type: 'manyToOne', entity: 'supplier' },
    { key: 'total', name: 'Total', type: 'decimal', precision: 12, scale: 2, unit: 'EUR' },
    { key: 'weight', name: 'Weight', type: 'decimal' },
    { key: 'rate', name: 'Rate', type: 'decimal', unit: '%' },
    { key: 'pieces', name: 'Pieces', type: 'integer' },
    { key: 'serial', name: 'Serial', type: 'bigint' },
    { key: 'is_urgent', name: 'Urgent', type: 'boolean' },
    { key: 'due', name: 'Due', type: 'date' },
    { key: 'placed_at', name: 'Placed at', type: 'timestamp' },
    {
      key: 'state',
      name: 'State',
      type: 'enum',
      values: [
        { value: 'new', name: 'New' },
        { value: 'paid', name: 'Paid in full' },
        { value: 'a', name: 'Offen' },
        'A',
      ],
    },
    { key: 'article', name: 'Article', type: 'string' },
    { key: 'remark', name: 'Remark', type: 'text' },
    { key: 'extra', name: 'Extra', type: 'json' },
    { key: 'double', name: 'Double', type: 'decimal', formula: 'weight * 2' },
    { ...many('lines', 'line', 'order'), name: 'Lines' },
  ],
}

const german = {
  systemFields: { _step: 'Schritt' },
  entities: {
    order: {
      columns: { 'Order no.': 'Bestellnr.', 'Supplier code': 'Lieferantennr.', Placed: 'Bestellt' },
      fields: {
        number: { name: 'Nummer' },
        supplier: { name: 'Lieferant' },
        total: { name: 'Summe' },
        due: { name: 'Fällig' },
        lines: { name: 'Positionen' },
        state: {
          name: 'Zustand',
          values: { new: 'Neu', paid: 'Bezahlt', a: 'Storniert', A: 'Offen' },
        },
      },
      steps: { draft: 'Entwurf', done: 'Fertig' },
    },
    supplier: { fields: { name: { name: 'Name' }, country: { name: 'Land' } } },
    country: { fields: { name: { name: 'Bezeichnung' } } },
  },
}

const files = {
  'entities/order.json': order,
  ...entityFile('supplier', { displayField: 'name' }, [
    { key: 'code', name: 'Code', type: 'string', required: true, unique: true },
    { key: 'name', name: 'Name', type: 'string' },
    link('country'),
    { ...link('account'), unique: true },
  ]),
  ...entityFile('line', [
    link('order'),
    { key: 'place', name: 'Place', type: 'integer' },
    { key: 'half', name: 'Half', type: 'decimal', formula: 'place / 2' },
    link('supplier'),
  ]),
  ...entityFile('country', [{ key: 'name', name: 'Name', type: 'string' }]),
  ...entityFile('account', [{ key: 'iban', name: 'IBAN', type: 'string', unique: true }]),
  'translations/de.json': german,
}

type Reader = { readonly project: ReadingProject; readonly entity: Entity }

/** The project, and its entity `order`, of which files have records. */
export const aReader = async (): Promise<Reader> => {
  const { project, findings } = await loadProject(await writeProject(files))
  assert.ok(project, JSON.stringify(findings))
  const languages = createLanguages(project)
  const tags = [project.language, ...project.translations.keys()]
  const entity = project.catalog.entities.get('order')
  assert.ok(entity)
  return {
    project: {
      catalog: project.catalog,
      languages: tags.map((tag) => languages.choose([tag]).catalog),
      timeZone: 'Europe/Zagreb',
    },
    entity,
  }
}

export type Content = string | Uint8Array

/** Opens a file with these bytes, under a name that says nothing. */
export const openContent = async (
  content: Content,
  given: GivenDialect = {},
  limits: Partial<typeof usualLimits> = {},
): Promise<Sheet> => {
  const file = await open(join(temporaryFolder(), 'upload'), 'w+')
  afterwards(() => file.close())
  await file.writeFile(content)
  return openSheet(file, given, { ...usualLimits, ...limits })
}

/** A cell in short: texts in quotes, other kinds with their name. */
const shortCell = ({ text, kind }: Cell): string =>
  kind === 'text' ? text : kind === 'empty' ? '∅' : `${kind}:${text}`

/** Heads and rows in short, as `row: cell | cell`. */
export const readGrid = async (sheet: Sheet): Promise<string[]> => {
  const lines = [sheet.heads.join(' | ')]
  for await (const rows of sheet.rows)
    for (const { row, line, cells, fault } of rows)
      lines.push(
        `${row}${line === row ? '' : `(${line})`}: ${fault ?? cells.map(shortCell).join(' | ')}`,
      )
  return lines
}

/** Everything that is wrong with a file, in the order in which it is found: the file, its heads, rows and cells. */
export const faultsOf = async (
  { project, entity }: Reader,
  content: Content,
  given: GivenDialect & { readonly columns?: GivenColumns } = {},
  limits: Partial<typeof usualLimits> = {},
): Promise<string[]> => {
  const faults: string[] = []
  try {
    const sheet = await openContent(content, given, limits)
    const { columns, issues } = mapHeads(project, entity, sheet, given.columns)
    faults.push(
      ...issues.map(
        ({ head, position, message }) => `${head || columnLetters(position)} ${message}`,
      ),
    )
    for await (const rows of sheet.rows)
      for (const row of rows)
        if (row.fault !== undefined) faults.push(`${row.row}: ${row.fault}`)
        else if (issues.length === 0) faults.push(...cellFaults(columns, row.row, row.cells))
  } catch (error) {
    if (!(error instanceof SheetFault)) throw error
    faults.push(error.row === undefined ? error.message : `${error.row}: ${error.message}`)
  }
  return faults
}

const cellFaults = (columns: Mapping['columns'], row: number, cells: readonly Cell[]): string[] =>
  columns.flatMap((column) => {
    const cell = cells[column.position] ?? emptyCell
    const read = readCell(column, cell)
    if ('fault' in read) return [`${row} ${column.head} ${read.fault}`]
    if (!('value' in read) || read.value === null || column.use !== 'value') return []
    const checked = column.column.type.check(read.value, column.timeZone)
    return 'rule' in checked ? [`${row} ${column.head} ${checked.message}`] : []
  })

const spreadsheet = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006/relationships'

export type WorkbookParts = {
  /** The XML of the rows, by the names of sheets; a name that begins with `~` is hidden. */
  readonly sheets: Readonly<Record<string, string>>
  /** Codes of formats, which the styles from 1 on have. */
  readonly formats?: readonly string[]
  /** The XML of the shared texts. */
  readonly shared?: string
  readonly since1904?: boolean
  /** Further parts, or others in place of those. */
  readonly parts?: Readonly<Record<string, string>>
}

const relation = (type: string, target: string, index: number) =>
  `<Relationship Id="rId${index}" Type="${office}/${type}" Target="${target}"/>`

/** A workbook of a minimum of parts. */
export const workbookOf = (wanted: WorkbookParts): Promise<Buffer> => {
  const { sheets, formats = [], shared, since1904 = false, parts = {} } = wanted
  const names = Object.keys(sheets)
  const list = names.map(
    (name, index) =>
      `<sheet name="${name.replace('~', '')}" sheetId="${index + 1}"${name.startsWith('~') ? ' state="hidden"' : ''} r:id="rId${index + 1}"/>`,
  )
  const relations = [
    ...names.map((_, index) =>
      relation('worksheet', `worksheets/sheet${index + 1}.xml`, index + 1),
    ),
    relation('styles', 'styles.xml', 100),
    ...(shared === undefined ? [] : [relation('sharedStrings', '/xl/sharedStrings.xml', 101)]),
  ]
  const all: Record<string, string> = {
    '_rels/.rels': `<Relationships xmlns="${packages}">${relation('officeDocument', 'xl/workbook.xml', 1)}</Relationships>`,
    'xl/workbook.xml': `<workbook ${spreadsheet} xmlns:r="${office}"><workbookPr date1904="${since1904}"/><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}">${relations.join('')}</Relationships>`,
    'xl/styles.xml': `<styleSheet ${spreadsheet}><numFmts>${formats.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join('')}<xf numFmtId="14"/><xf numFmtId="9"/></cellXfs></styleSheet>`,
    ...(shared !== undefined && { 'xl/sharedStrings.xml': `<sst ${spreadsheet}>${shared}</sst>` }),
    ...Object.fromEntries(
      Object.values(sheets).map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<?xml version="1.0"?><worksheet ${spreadsheet}><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
    ...parts,
  }
  return zipOf(all)
}

export const zipOf = (parts: Readonly<Record<string, string>>): Promise<Buffer> => {
  const zip = new ZipFile()
  for (const [path, text] of Object.entries(parts)) zip.addBuffer(Buffer.from(text), path)
  zip.end()
  return buffer(zip.outputStream)
}

/** A row of texts. */
export const textRow = (...texts: readonly string[]): string =>
  `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`
