/**
 * `npm test`: every test file, on one PostgreSQL, with one total. A process takes longer to load the service
 * than most files to test it, so files of the rooms below share processes, a few to each and one after
 * the other: they leave nothing behind and change nothing of their process. Others have one of their own.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const sharing = [
  ...[
    'api',
    'auth',
    'definitions',
    'deliveries',
    'email',
    'email/providers',
    'export',
    'jobs',
    'notifications',
  ],
  ...['query', 'records', 'seeding', 'tasks', 'users', 'workflow'],
]
// What they find out is about the threads or the memory of their process.
const alone = ['export/copy-deadline', 'export/dying-thread', 'export/export-threads']
// Few enough that a slow machine ends them in the time that a file has.
const maxTogether = 6

const folder = fileURLToPath(new URL('.', import.meta.url))
const files = globSync('**/*.test.ts', { cwd: folder })
  .map((file) => file.replaceAll('\\', '/'))
  .sort()
const isShared = (file: string) =>
  sharing.includes(dirname(file)) && !alone.includes(file.replace('.test.ts', ''))
const rooms = Map.groupBy(files.filter(isShared), dirname)
const temporary = mkdtempSync(join(tmpdir(), 'docket-tests-'))

// A suite that cannot be loaded would fail the run, but be missing in its total.
const loading = `import { describe, test } from 'node:test'
const load = (url) => import(url).catch((error) => test('it can be loaded', () => { throw error }))`

/** A program with a suite for each file: what a file does before and after its tests stays its own. */
const writeGroup = (room: string, names: readonly string[], number: number): string => {
  const suites = names.map((name) => {
    const url = JSON.stringify(pathToFileURL(join(folder, name)).href)
    return `describe(${JSON.stringify(name)}, () => load(${url}))`
  })
  const file = join(temporary, `${room.replaceAll('/', '-')}-${number + 1}.test.mjs`)
  writeFileSync(file, [loading, ...suites].join('\n'))
  return file
}

const groups = [...rooms].flatMap(([room, names]) => {
  const count = Math.ceil(names.length / maxTogether)
  return Array.from({ length: count }, (_, number) =>
    writeGroup(
      room,
      names.filter((_name, index) => index % count === number),
      number,
    ),
  )
})
const others = files.filter((file) => !isShared(file)).map((file) => join(folder, file))

const words = [
  ...['--test', '--test-concurrency=4', '--test-timeout=300000'],
  ...['--import', './test/support/guard.ts', '--test-global-setup=test/support/global-setup.ts'],
  ...process.argv.slice(2),
]
const child = spawn(process.execPath, [...words, ...groups, ...others], { stdio: 'inherit' })
// Ctrl-C reaches the child by itself, which then cleans up.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('close', (code) => {
  rmSync(temporary, { recursive: true, force: true })
  process.exitCode = code ?? 1
})
