/** `npm run test:package`: runs the tests that start Docket as a program with the built package instead of the sources. */
import { spawn } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackage } from '../../packaging/built-copy.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))
const built = await buildPackage()
const files = globSync('{process,cli,journeys}/**/*.test.ts', { cwd: folder })
const args = [
  ...['--test', '--test-concurrency=2', '--test-timeout=300000'],
  ...['--import', './test/support/guard.ts', '--test-global-setup=test/support/global-setup.ts'],
  ...process.argv.slice(2),
  ...files.map((file) => join(folder, file)),
]
const env = { ...process.env, TEST_MAIN: join(built, 'dist/cli/main.js') }
const child = spawn(process.execPath, args, { stdio: 'inherit', env })
// The terminal sends Ctrl-C to the child too, which then cleans up.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('close', (code) => {
  rmSync(built, { recursive: true, force: true })
  process.exitCode = code ?? 1
})
