/** Opens a workbook: chooses its sheet, and goes on in those in which an export was continued. */
import type { FileHandle } from 'node:fs/promises'
import { didYouMean } from '../../did-you-mean.ts'
import { shorten } from '../../issues.ts'
import {
  type GivenDialect,
  type OpenGrid,
  SheetFault,
  type SheetLimits,
  type SheetNote,
  type SheetRow,
} from './sheet.ts'
import {
  readPart,
  readWorkbook,
  type Workbook,
  type WorkbookSheet,
  withArchive,
} from './workbook.ts'
import { workbookRows } from './workbook-rows.ts'

type Opened = {
  readonly workbook: Workbook
  /** The chosen sheet, and those that continue it. */
  readonly sheets: readonly [WorkbookSheet, ...WorkbookSheet[]]
}

export const openWorkbook = async (
  file: FileHandle,
  given: GivenDialect,
  limits: SheetLimits,
): Promise<OpenGrid> => {
  const opened = await openParts(file, given.sheet, limits)
  const { workbook, sheets } = opened
  return {
    dialect: {
      format: 'xlsx',
      encoding: undefined,
      separator: undefined,
      decimal: given.decimal,
      dates: given.dates,
      sheet: sheets[0].name,
      sheets: workbook.sheets.map(({ name }) => name),
      notes: given.sheet === undefined ? notesOf(opened) : [],
    },
    rows: () =>
      withArchive(file, limits, async function* (archive) {
        for (const [index, { name, part }] of sheets.entries()) {
          let isFirst = index > 0
          for await (const rows of workbookRows(readPart(archive, part), workbook, limits)) {
            const below = isFirst ? rows.slice(1) : rows
            isFirst = false
            yield index === 0 ? below : below.map((row) => ({ ...row, sheet: name }))
          }
        }
      }),
  }
}

const openParts = async (
  file: FileHandle,
  name: string | undefined,
  limits: SheetLimits,
): Promise<Opened> => {
  const opening = withArchive(file, limits, async function* (archive): AsyncGenerator<Opened> {
    const workbook = await readWorkbook(archive, limits)
    const chosen = chooseSheet(workbook.sheets, name)
    const firstRow = async ({ part }: WorkbookSheet): Promise<SheetRow | undefined> => {
      for await (const [row] of workbookRows(readPart(archive, part), workbook, limits)) return row
      return undefined
    }
    const sheets: [WorkbookSheet, ...WorkbookSheet[]] = [chosen]
    for (const sheet of continuing(workbook.sheets, chosen)) {
      if (!isSameHead(await firstRow(chosen), await firstRow(sheet))) break
      sheets.push(sheet)
    }
    yield { workbook, sheets }
  })
  for await (const opened of opening) return opened
  throw new SheetFault('The workbook has no sheet.')
}

const quoted = (sheets: readonly WorkbookSheet[]) =>
  shorten(sheets.map(({ name }) => `"${name}"`).join(', '), 300)

const chooseSheet = (sheets: readonly WorkbookSheet[], name: string | undefined): WorkbookSheet => {
  const first = sheets.find(({ isVisible }) => isVisible) ?? sheets[0]
  if (!first) throw new SheetFault('The workbook has no sheet.')
  if (name === undefined) return first
  const chosen =
    sheets.find((sheet) => sheet.name === name) ??
    sheets.find((sheet) => sheet.name.toLowerCase() === name.toLowerCase())
  if (chosen) return chosen
  const hint = didYouMean(
    name,
    sheets.map((sheet) => sheet.name),
  )
  throw new SheetFault(
    `The workbook has no sheet ${JSON.stringify(shorten(name))}${hint || '.'} It has ${quoted(sheets)}.`,
  )
}

/** An export of more rows than a sheet holds goes on in `Orders 2`, `Orders 3`. */
const continuing = (sheets: readonly WorkbookSheet[], chosen: WorkbookSheet): WorkbookSheet[] => {
  const following = sheets.slice(sheets.indexOf(chosen) + 1)
  const end = following.findIndex(({ name }, index) => name !== `${chosen.name} ${index + 2}`)
  return end === -1 ? following : following.slice(0, end)
}

const isSameHead = (one: SheetRow | undefined, other: SheetRow | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.cells.length === other.cells.length &&
  one.cells.every(({ text }, index) => text === other.cells[index]?.text)

const notesOf = ({ workbook, sheets }: Opened): SheetNote[] => {
  const others = workbook.sheets.filter((sheet) => !sheets.includes(sheet))
  if (others.length === 0) return []
  return [
    {
      about: 'sheet',
      message: `The workbook has several sheets; ${quoted(sheets)} is read, and not ${quoted(others)}.`,
    },
  ]
}
