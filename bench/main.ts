/** `npm run bench [export|records|tasks|notifications|email] -- [--rows N] [--json]`: figures of the service beside its peers. */
import { parseArgs } from 'node:util'
import { benchEmail } from './email/bench-email.ts'
import { benchExport } from './export/bench-export.ts'
import { benchNotifications } from './notifications/bench-notifications.ts'
import { type Note, openPlace, type Place } from './place.ts'
import { benchRecords } from './records/bench-records.ts'
import { describeMachine, printReport, type Table } from './report.ts'
import { benchTasks } from './tasks/bench-tasks.ts'

type Benchmark = {
  readonly defaultRows: number
  /** Invoices of the project, where the rows are something else. */
  readonly invoices?: (rows: number) => number
  readonly run: (place: Place, rows: number, note: Note) => Promise<readonly Table[]>
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  export: { defaultRows: 1_000_000, run: benchExport },
  records: { defaultRows: 100_000, run: benchRecords },
  tasks: {
    defaultRows: 5_000_000,
    invoices: (rows) => Math.max(1000, Math.round(rows / 10)),
    run: benchTasks,
  },
  notifications: { defaultRows: 20_000_000, invoices: () => 1000, run: benchNotifications },
  // The rows are people who are told of one event.
  email: { defaultRows: 10_000, invoices: () => 1000, run: benchEmail },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string' }, json: { type: 'boolean', default: false } },
})
const note: Note = (text) => process.stderr.write(text)

const names = positionals.length === 0 ? Object.keys(benchmarks) : positionals
for (const name of names) {
  const benchmark = benchmarks[name]
  const rows = Number(values.rows ?? benchmark?.defaultRows)
  if (!benchmark || !Number.isInteger(rows) || rows < 1000) {
    note(
      'Usage: npm run bench [export|records|tasks|notifications|email] -- [--rows N, at least 1000] [--json]\n',
    )
    process.exit(2)
  }
  const machine = await describeMachine()
  const place = await openPlace(benchmark.invoices?.(rows) ?? rows, note)
  try {
    const tables = await benchmark.run(place, rows, note)
    const { versions } = place
    const report = { benchmark: name, machine, versions, dataRows: rows, tables }
    process.stdout.write(printReport(report, values.json))
  } finally {
    await place.close()
  }
}
