/**
 * `npm test`: runs the tests of every tier, on one PostgreSQL. `npm test -- WORD ...` runs the files whose path has
 * one of the words, such as `service/records`; `--only TEXT` only tests with such a name.
 */
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from './support/global-setup.ts'
import { runTests } from './support/run-tests.ts'
import { groupsOf } from './support/test-files.ts'
import { createTestReport } from './support/test-report.ts'

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' } },
  allowPositionals: true,
})
const groups = groupsOf(positionals)
const report = createTestReport(groups.flat().length)
await globalSetup()
try {
  await runTests({ groups, concurrency: 4, pattern: values.only, onFile: report.onFile })
} finally {
  await globalTeardown()
}
process.exitCode = report.end() ? 0 : 1
