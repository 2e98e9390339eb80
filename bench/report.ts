/** The output of a benchmark: tables of figures, each with its target, as text or as JSON. */
import { readFile } from 'node:fs/promises'
import { cpus, platform, release, totalmem } from 'node:os'
import { rounded } from './figures.ts'

type Cell = string | number | boolean | undefined
export type Row = Readonly<Record<string, Cell>>

export type Table = { readonly title: string; readonly rows: readonly Row[] }

/** Prints what the benchmark waits for. */
export const note = (text: string): void => {
  process.stderr.write(text)
}

export type Report = {
  readonly benchmark: string
  readonly machine: string
  readonly versions: string
  readonly dataRows: number
  readonly tables: readonly Table[]
}

/** Whether a figure meets its target, as the columns `aim` and `met` of a row. */
export const aimOf = (value: number, { least, most }: { least?: number; most?: number }): Row => ({
  aim: least === undefined ? `<= ${most}` : `>= ${least}`,
  met: value >= (least ?? -Infinity) && value <= (most ?? Infinity),
})

/** A line about the machine; it includes the load average, which affects every figure. */
export const describeMachine = async (): Promise<string> => {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  const load = await readFile('/proc/loadavg', 'utf8').catch(() => '')
  const busy = load ? `, load before ${load.split(' ')[0]}` : ''
  return `${cpus().length} x ${model}, ${memory} GiB, ${platform()} ${release()}${busy}`
}

/** Prints a report as tables, or as one JSON object. */
export const printReport = (report: Report, asJson: boolean): string => {
  if (asJson) return `${JSON.stringify(report, undefined, 2)}\n`
  const head = `${report.benchmark}, ${report.dataRows.toLocaleString('en')} rows\n${report.machine}\n${report.versions}\n`
  return [head, ...report.tables.map(printTable)].join('\n')
}

const printTable = ({ title, rows }: Table): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [names, ...rows.map((row) => names.map((name) => printCell(row[name])))]
  const widths = names.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)))
  const printed = lines.map((line) =>
    line
      .map((cell, index) => pad(cell, widths[index] ?? 0, index))
      .join('  ')
      .trimEnd(),
  )
  return `${title}\n${printed.join('\n')}\n`
}

// Names are left-aligned, figures right-aligned.
const pad = (cell: string, width: number, index: number): string =>
  index === 0 ? cell.padEnd(width) : cell.padStart(width)

const printCell = (cell: Cell): string => {
  if (cell === undefined) return ''
  if (typeof cell === 'number') return rounded(cell).toLocaleString('en')
  return typeof cell === 'boolean' ? (cell ? 'yes' : 'NO') : cell
}
