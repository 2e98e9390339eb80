/**
 * `npm run coverage`: runs all tests and prints how many lines and branches of `src/` and `console/` they executed, as V8
 * counts them in every process, thread and page. Words choose files as for `npm test`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import MagicString from 'magic-string'
import { CoverageReport } from 'monocart-coverage-reports'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'docket-coverage-'))
const folders = { node: join(folder, 'node'), console: join(folder, 'console') }
const built = join(folder, 'built')

type Entry = { readonly url: string; readonly source?: string; readonly functions: unknown }

/** The console as it was built, with maps: the files have the same names, because their contents are the same. */
const buildMaps = () =>
  build({
    configFile: join(root, 'console/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: built, sourcemap: 'hidden' },
  })

const runAllTests = async (): Promise<void> => {
  const args = [join(root, 'test/main.ts'), ...process.argv.slice(2)]
  const env = {
    ...process.env,
    NODE_V8_COVERAGE: folders.node,
    CONSOLE_COVERAGE: folders.console,
  }
  await once(spawn(process.execPath, args, { env, stdio: 'inherit' }), 'close')
}

const entriesIn = function* (directory: string): Generator<readonly Entry[]> {
  for (const name of readdirSync(directory)) {
    const read = parsed(readFileSync(join(directory, name), 'utf8'))
    yield 'result' in read ? read.result : read
  }
}

// A process that was killed while it wrote its file leaves the beginning of it.
const parsed = (text: string): readonly Entry[] | { readonly result: readonly Entry[] } => {
  try {
    return JSON.parse(text)
  } catch {
    return []
  }
}

// Every process has loaded the same files.
const runs = new Map<string, ReturnType<typeof runOf>>()

/** A file below `part` as Node.js ran it: types are blanks, so that every position is that of the file. */
const asRun = (part: string, entry: Entry): Entry | undefined => {
  const path = entry.url.startsWith('file:') ? fileURLToPath(entry.url) : ''
  if (!path.startsWith(join(root, part, '/'))) return undefined
  const run = runs.get(path) ?? runOf(path)
  runs.set(path, run)
  return { ...entry, ...run }
}

const runOf = (path: string) => {
  const written = readFileSync(path, 'utf8')
  const source = stripTypeScriptTypes(written)
  if (path.startsWith(join(root, 'src/'))) return { source }
  // Pages have maps to the same file, as it is written: what both executed is summed up.
  const named = { source: relative(root, path), hires: true, includeContent: true }
  return { source, sourceMap: new MagicString(written).generateMap(named) }
}

/** A file of the console: built, with its map, or as Vitest served it, with its map inside. */
const asServed = (entry: Entry) => {
  if (entry.source !== undefined) return entry
  const file = join(built, 'assets', entry.url.split('/').at(-1) ?? '')
  if (!existsSync(`${file}.map`)) return undefined
  const sourceMap: unknown = JSON.parse(readFileSync(`${file}.map`, 'utf8'))
  return { ...entry, source: readFileSync(file, 'utf8'), sourceMap }
}

/** Sums up what was executed of the files below `part`. */
const sumUp = async (part: string) => {
  const report = new CoverageReport({
    name: part,
    outputDir: join(folder, `report-${part}`),
    // Each file that is not covered in full, with its other lines.
    reports: ['json-summary', ['console-details', { skipPercent: 100 }]],
    logging: 'error',
    sourcePath: (path, { distFile = '' } = {}) => {
      const own = path.includes(`${part}/`) ? path : distFile
      return relative(root, join(root, own.slice(own.indexOf(`${part}/`))))
    },
    sourceFilter: (path) => path.startsWith(`${part}/`) && /\.tsx?$/.test(path),
  })
  const add = async (entries: readonly (Entry | undefined)[]) => {
    const known = entries.filter((entry) => entry !== undefined)
    if (known.length > 0) await report.add(known)
  }
  for (const entries of entriesIn(folders.node))
    await add(entries.map((entry) => asRun(part, entry)))
  // The pages of the tests load the console alone.
  if (part === 'console')
    for (const entries of entriesIn(folders.console)) await add(entries.map(asServed))
  return (await report.generate())?.summary
}

for (const one of Object.values(folders)) mkdirSync(one, { recursive: true })
await buildMaps()
await runAllTests()
const shown = (part: string, summary: Awaited<ReturnType<typeof sumUp>>) => {
  const { lines, branches } = summary ?? {}
  const of = (name: string, count = { covered: 0, total: 0, pct: 0 as number | '' }) =>
    `${name} ${count.covered} of ${count.total} (${count.pct} %)`
  return `${part.padEnd(8)} ${of('lines', lines)}, ${of('branches', branches)}`
}
for (const part of ['src', 'console']) console.log(shown(part, await sumUp(part)))
rmSync(folder, { recursive: true, force: true })
