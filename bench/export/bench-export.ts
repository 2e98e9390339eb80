/** The export: its rate compared with psql, its memory, its first byte, and its effect on other requests. */
import type { Environment, Service } from '../environment.ts'
import { byTurns, median, rangeOf, rounds, sampler } from '../figures.ts'
import { fillInvoices } from '../invoices.ts'
import { load, measureBeside } from '../load.ts'
import { memoryMiB } from '../memory.ts'
import { runProgram } from '../programs.ts'
import { readInvoice } from '../records.ts'
import { aimOf, note, type Row, type Table } from '../report.ts'
import { createPsqlCopies, download } from './export-client.ts'

type Measured = {
  readonly service: Service
  readonly rows: number
  readonly copies: Awaited<ReturnType<typeof createPsqlCopies>>
}

/** Memory first, while the process is fresh. */
export const benchExport = async (environment: Environment, rows: number): Promise<Table[]> => {
  // Fails immediately if a program is missing.
  for (const program of ['curl', 'psql']) await runProgram(program, ['--version'])
  await fillInvoices(environment, rows)
  const copies = await createPsqlCopies(environment)
  const measured = { service: await environment.startService(), rows, copies }
  const tables: Table[] = []
  for (const measure of [measureMemory, compareWithPsql, measureNeighbours, measureFormats]) {
    const table = await measure(measured)
    tables.push(table)
    note(`Measured: ${table.title}.\n`)
  }
  return tables
}

/** Peak resident memory after exports of 1,000 rows, and after one of all rows. Linux only. */
const measureMemory = async ({ service, rows }: Measured): Promise<Table> => {
  const title = 'Peak resident memory of the service process (MiB)'
  const peak = () => memoryMiB(service.pid, 'VmHWM')
  for (let run = 0; run < 5; run++) await download(service, { query: '?limit=1000' })
  const small = await peak()
  await download(service)
  const large = await peak()
  if (small === undefined || large === undefined)
    return { title, rows: [{ what: 'not measured: no /proc here' }] }
  return {
    title,
    rows: [
      { what: 'export of 1,000 rows', MiB: small },
      { what: `export of ${rows.toLocaleString('en')} rows`, MiB: large },
      { what: 'growth', MiB: large - small, ...aimOf(large - small, { most: 30 }) },
    ],
  }
}

/** Over HTTP against one psql with the same COPY, and with the one that a user would type. */
const compareWithPsql = async ({ service, rows, copies }: Measured): Promise<Table> => {
  const [same, plain] = [sampler(copies.same), sampler(copies.plain)]
  const docket = sampler(() => download(service))
  await byTurns([same, plain, docket], { rounds: 5 })
  const ours = docket.samples.map(({ ms }) => ms)
  const bytes = docket.samples[0]?.bytes ?? Number.NaN
  const rowOf = (what: string, samples: readonly number[]) => {
    const seconds = median(samples) / 1000
    return { what, seconds, 'rows/s': rows / seconds, 'MB/s': bytes / 1e6 / seconds }
  }
  const partOf = (theirs: readonly number[]) => ({
    ratio: median(ours) / median(theirs),
    range: rangeOf(ours, theirs),
  })
  const ofPlain = partOf(plain.samples)
  const firstByte = median(docket.samples.map(({ firstByteMs }) => firstByteMs)) / 1000
  return {
    title: 'CSV of all rows, 18 columns, median of 5; ratios of the time',
    rows: [
      { ...rowOf('psql, the same COPY > /dev/null', same.samples) },
      { ...rowOf('psql, plain COPY > /dev/null', plain.samples) },
      { ...rowOf('Docket, curl > /dev/null, of the same', ours), ...partOf(same.samples) },
      { what: 'Docket, of the plain', ...ofPlain, ...aimOf(ofPlain.ratio, { most: 0.85 }) },
      { what: 'Docket, first byte', seconds: firstByte, ...aimOf(firstByte, { most: 0.05 }) },
    ],
  }
}

/**
 * `GET /invoice/:id` every few milliseconds: alone, during exports, and during as many psql processes that
 * run the same COPY, which shows the effect of the machine alone.
 */
const measureNeighbours = async ({ service, rows, copies }: Measured): Promise<Table> => {
  const read = () => load(service, { request: readInvoice(rows), ms: 5000, pauseMs: 4 })
  const [alone, exporting, copying] = await measureBeside(read, [
    { what: 'exports', work: () => download(service), atOnce: 4 },
    { what: 'psql COPY', work: copies.same, atOnce: 4 },
  ])
  const aim = aimOf(exporting?.ratio ?? Number.NaN, { most: 3 })
  const figures: Row[] = [{ ...alone }, { ...exporting, ...aim }, { ...copying }]
  return { title: `GET /invoice/:id (ms), median of ${rounds}`, rows: figures }
}

const formats = [
  { what: 'csv' },
  { what: 'csv, excel-de', query: '?dialect=excel-de' },
  { what: 'csv, utf-16', query: '?encoding=utf-16' },
  { what: 'csv, zstd', encoding: 'zstd' },
  { what: 'csv, gzip', encoding: 'gzip' },
  { what: 'ndjson', query: '?format=ndjson' },
  { what: 'json', query: '?format=json' },
  { what: 'xlsx', query: '?format=xlsx' },
  { what: 'parquet', query: '?format=parquet' },
]
// A worksheet has 1,048,576 rows.
const maxSheetRows = 1_000_000

/** For information: they have no target. */
const measureFormats = async ({ service, rows }: Measured): Promise<Table> => {
  const figures: Row[] = []
  for (const { what, ...options } of formats) {
    if (what === 'xlsx' && rows > maxSheetRows) continue
    const { ms, bytes, firstByteMs } = await download(service, options)
    figures.push({
      what,
      'rows/s': (rows / ms) * 1000,
      MB: bytes / 1e6,
      'first byte ms': firstByteMs,
    })
  }
  return { title: 'Formats, one run each', rows: figures }
}
