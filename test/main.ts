/**
 * `npm test`: runs every test file on one PostgreSQL, with one total. Loading the service takes a process longer
 * than most test files run, so the files of the folders below share processes: each process runs a few files in
 * turn. They leave nothing behind and do not change their process. Other files have their own process.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const sharedFolders = [
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
  ...['query', 'records', 'seeding', 'sessions', 'tasks', 'translations', 'users', 'workflow'],
  ...['console', 'console/admin'],
]
// These run as long as several others: each has its own process, and they start before the other groups.
const longFiles = [
  'console/accessibility',
  'console/approvals',
  'console/killed-service',
  'console/roles',
]
// These files test threads or memory of their process.
const separateFiles = [
  'export/copy-deadline',
  'export/copy-in-ranges',
  'export/dying-thread',
  'export/export-threads',
]
// Few enough to finish within the timeout of a file on a slow machine; those of a browser take longer.
const maxFilesPerProcess = 6
const maxBrowserFiles = 3

const folder = fileURLToPath(new URL('.', import.meta.url))
const files = globSync('**/*.test.ts', { cwd: folder })
  .map((file) => file.replaceAll('\\', '/'))
  .sort()
const isOneOf = (names: readonly string[], file: string) =>
  names.includes(file.replace('.test.ts', ''))
const isShared = (file: string) =>
  sharedFolders.includes(dirname(file)) && !isOneOf([...longFiles, ...separateFiles], file)
const filesByFolder = Map.groupBy(files.filter(isShared), dirname)
const temporary = mkdtempSync(join(tmpdir(), 'docket-tests-'))

// A file that cannot be loaded would fail the run but be missing in the total, so it becomes a failed test.
const loader = `import { describe, test } from 'node:test'
const load = (url) => import(url).catch((error) => test('the file can be loaded', () => { throw error }))`

/** Writes a program with a suite for each file, so that hooks of a file apply to its own tests only. */
const writeGroup = (folderName: string, names: readonly string[], number: number): string => {
  const suites = names.map((name) => {
    const url = JSON.stringify(pathToFileURL(join(folder, name)).href)
    return `describe(${JSON.stringify(name)}, () => load(${url}))`
  })
  const file = join(temporary, `${folderName.replaceAll('/', '-')}-${number + 1}.test.mjs`)
  writeFileSync(file, [loader, ...suites].join('\n'))
  return file
}

// The runner starts files in the order of their paths, so the number begins the name.
const long = files
  .filter((file) => isOneOf(longFiles, file))
  .map((file, number) => writeGroup('0', [file], number))
const groups = [...filesByFolder].flatMap(([folderName, names]) => {
  const most = folderName.startsWith('console') ? maxBrowserFiles : maxFilesPerProcess
  const count = Math.ceil(names.length / most)
  return Array.from({ length: count }, (_, number) =>
    writeGroup(
      folderName,
      names.filter((_name, index) => index % count === number),
      number,
    ),
  )
})
const others = files
  .filter((file) => !isShared(file) && !isOneOf(longFiles, file))
  .map((file) => join(folder, file))

const args = [
  ...['--test', '--test-concurrency=4', '--test-timeout=600000'],
  ...['--import', './test/support/guard.ts', '--test-global-setup=test/support/global-setup.ts'],
  ...process.argv.slice(2),
]
const child = spawn(process.execPath, [...args, ...long, ...groups, ...others], {
  stdio: 'inherit',
})
// The terminal sends Ctrl-C to the child too, which then cleans up.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('close', (code) => {
  rmSync(temporary, { recursive: true, force: true })
  process.exitCode = code ?? 1
})
