/**
 * `npm run test:pooler`: runs the tests that start a service, with its requests, exports and jobs through a PgBouncer in
 * transaction mode. Tests of the console test the page, and are not among them.
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPgBouncer } from '../support/pgbouncer.ts'
import { startsService } from '../support/service-files.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))

const run = () => {
  const files = globSync('**/*.test.ts', { cwd: folder, exclude: ['console/**'] }).filter((file) =>
    startsService(folder, file),
  )
  const args = [
    ...['--test', '--test-concurrency=2', '--test-timeout=300000'],
    ...['--import', './test/support/guard.ts', '--test-global-setup=test/support/global-setup.ts'],
    ...process.argv.slice(2),
    ...files.map((file) => join(folder, file)),
  ]
  const env = { ...process.env, TEST_POOLER: '1' }
  const child = spawn(process.execPath, args, { stdio: 'inherit', env })
  // The terminal sends Ctrl-C to the child too, which then cleans up.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('close', (code) => {
    process.exitCode = code ?? 1
  })
}

if (findPgBouncer() === undefined)
  console.log(
    'PgBouncer is not installed (Debian: apt-get install pgbouncer), so nothing is tested.',
  )
else run()
