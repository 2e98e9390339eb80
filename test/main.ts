/**
 * `npm test`: runs the tests of every tier on one PostgreSQL. `npm test -- WORD ...` runs the files whose path has one of
 * the words, such as `service/records`; `--only TEXT` only tests with such a name.
 */
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from './support/global-setup.ts'
import { runComponents } from './support/run-components.ts'
import { runTests } from './support/run-tests.ts'
import { componentFiles, groupsOf } from './support/test-files.ts'
import { createTestReport } from './support/test-report.ts'

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' } },
  allowPositionals: true,
})
const groups = groupsOf(positionals)
const components = componentFiles(positionals)
const report = createTestReport(groups.flat().length + components.length)
const common = { pattern: values.only, onFile: report.onFile }
// A few files are not worth a build, and start the sources.
await globalSetup({ builds: positionals.length === 0 })
try {
  await Promise.all([
    runComponents({ files: components, ...common }),
    // A group is many files, with much other work.
    runTests({ groups, concurrency: 4, timeoutMs: 30 * 60_000, ...common }),
  ])
} finally {
  await globalTeardown()
}
process.exitCode = report.end() ? 0 : 1
