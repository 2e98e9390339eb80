/**
 * `npm run bench [export|import|files|records|rights|tasks|notifications|months|email|console|operation|replicas|rules|comments|sign-in|series] -- [--rows N] [--json]`: figures of the service
 * compared with its peers.
 */
import { parseArgs } from 'node:util'
import { benchComments } from './comments.ts'
import { benchConsole } from './console/bench-console.ts'
import { benchEmail } from './email/bench-email.ts'
import { type Environment, openEnvironment } from './environment.ts'
import { benchExport } from './export/bench-export.ts'
import { benchFiles } from './files/bench-files.ts'
import { benchImport } from './import.ts'
import { benchNotifications } from './notifications/bench-notifications.ts'
import { benchMonths } from './notifications/months.ts'
import { benchOperation } from './operation/bench-operation.ts'
import { benchRecords } from './records.ts'
import { benchReplicas } from './replicas/bench-replicas.ts'
import { describeMachine, note, printReport, type Table } from './report.ts'
import { benchRights } from './rights.ts'
import { benchRules } from './rules.ts'
import { benchSeries } from './series.ts'
import { benchSignIn } from './sign-in.ts'

import { benchTasks } from './tasks.ts'

type Benchmark = {
  readonly defaultRows: number
  readonly run: (environment: Environment, rows: number) => Promise<readonly Table[]>
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  export: { defaultRows: 1_000_000, run: benchExport },
  import: { defaultRows: 1_000_000, run: benchImport },
  // The rows are the MiB of the file.
  files: { defaultRows: 1024, run: benchFiles },
  records: { defaultRows: 100_000, run: benchRecords },
  rights: { defaultRows: 1_000_000, run: benchRights },
  tasks: { defaultRows: 5_000_000, run: benchTasks },
  notifications: { defaultRows: 20_000_000, run: benchNotifications },
  months: { defaultRows: 2_000_000, run: benchMonths },
  // The rows are the recipients of one event.
  email: { defaultRows: 10_000, run: benchEmail },
  console: { defaultRows: 1_000_000, run: benchConsole },
  // It fills no table.
  operation: { defaultRows: 1000, run: benchOperation },
  replicas: { defaultRows: 20_000, run: benchReplicas },
  rules: { defaultRows: 1_000_000, run: benchRules },
  // The rows are the entries of a timeline.
  comments: { defaultRows: 1000, run: benchComments },
  // It fills no table.
  series: { defaultRows: 1000, run: benchSeries },
  'sign-in': { defaultRows: 10_000, run: benchSignIn },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string' }, json: { type: 'boolean', default: false } },
})

const names = positionals.length === 0 ? Object.keys(benchmarks) : positionals
for (const name of names) {
  const benchmark = benchmarks[name]
  const rows = Number(values.rows ?? benchmark?.defaultRows)
  if (!benchmark || !Number.isInteger(rows) || rows < 1000) {
    const known = Object.keys(benchmarks).join('|')
    note(`Usage: npm run bench [${known}] -- [--rows N, at least 1000] [--json]\n`)
    process.exit(2)
  }
  const machine = await describeMachine()
  const environment = await openEnvironment()
  try {
    const tables = await benchmark.run(environment, rows)
    const { versions } = environment
    const report = { benchmark: name, machine, versions, dataRows: rows, tables }
    process.stdout.write(printReport(report, values.json))
  } finally {
    await environment.close()
  }
}
