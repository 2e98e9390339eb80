/**
 * Runs test files with Node.js's own runner and reports each file when it is done. Loading the service takes longer than
 * most test files run, so a process runs several files in turn: each is a suite of a generated program.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { type Group, root } from './test-files.ts'

export type FileResult = {
  /** Path in `test/`. */
  readonly file: string
  readonly ms: number
  readonly passed: number
  /** Why tests were skipped. */
  readonly skipped: readonly string[]
  /** The name of each failed test and its error. */
  readonly failures: readonly string[]
}

type Options = {
  readonly groups: readonly Group[]
  readonly concurrency: number
  /** Of a group. */
  readonly timeoutMs?: number
  /** Of a file. */
  readonly fileMs?: number
  /** Runs only tests of such a name. */
  readonly pattern?: string | undefined
  readonly onFile: (result: FileResult) => void
}

// A file that hangs must not hold the others; the slowest takes a quarter of that while other work runs.
const usualFileMs = 400_000

const hrefOf = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href)

// Not by `--import`, which every thread that a service starts would load as well.
// Files are loaded one after the other, because what runs on when a module of several files is there belongs to the suite of
// the first of them, and before any test runs, because what a file starts would end with that test. A file that cannot
// be loaded becomes a failed test: it would be missing in the total otherwise.
const loader = `await import(${hrefOf('cheap-hashes.ts')})
await import(${hrefOf('built-threads.ts')})
const { endTracking } = await import(${hrefOf('untracked.ts')})
await import(${hrefOf('guard.ts')})
const { describe, test } = await import('node:test')
const all = Promise.withResolvers()
for (const [name, url] of files)
  await new Promise((resolve) => {
    describe(name, { timeout: fileMs }, async () => {
      await import(url).catch((error) => test('the file can be loaded', () => { throw error }))
      resolve()
      await all.promise
    })
  })
all.resolve()
endTracking()`

const writeProgram = (folder: string, files: Group, number: number, fileMs: number): string => {
  const named = files.map((file) => [file, pathToFileURL(join(root, file)).href])
  const program = join(folder, `${String(number).padStart(4, '0')}.test.mjs`)
  writeFileSync(
    program,
    `const files = ${JSON.stringify(named)}\nconst fileMs = ${fileMs}\n${loader}\n`,
  )
  return program
}

type Completed = {
  readonly name: string
  readonly nesting: number
  readonly file?: string | undefined
  /** The program that the test belongs to; it has none itself. */
  readonly entryFile?: string
  readonly skip?: string | boolean | undefined
  readonly details: {
    readonly passed?: boolean
    readonly duration_ms: number
    readonly type?: string | undefined
    readonly error?: Error & { readonly failureType?: string }
  }
}

/** Gathers what the events of one process say of its files: the tests of a file complete before its suite does. */
const createGathering = (files: Group, { pattern, onFile }: Options) => {
  let passed = 0
  let skipped: string[] = []
  let failures: string[] = []
  const missing = new Set(files)
  const report = (file: string, ms: number) => {
    missing.delete(file)
    if (pattern === undefined && passed + skipped.length + failures.length === 0)
      failures.push('It has no test.')
    onFile({ file, ms, passed, skipped, failures })
    passed = 0
    skipped = []
    failures = []
  }
  /** What it did not report has failed with it. */
  const endProcess = () => {
    for (const file of missing) {
      failures.push(`${file} did not end.`)
      report(file, 0)
    }
    if (failures.length > 0) report(files.join(', '), 0)
  }
  return ({ name, nesting, entryFile, skip, details }: Completed): void => {
    const { error, type } = details
    if (!details.passed && error?.failureType !== 'subtestsFailed')
      failures.push(`${name}\n${inspect(error?.cause ?? error)}`)
    else if (skip !== undefined) skipped.push(String(skip))
    else if (type === 'test' && entryFile !== undefined) passed += 1
    if (nesting > 0) return
    if (entryFile !== undefined) report(name, details.duration_ms)
    else endProcess()
  }
}

/** Runs groups of files, each in a process, as many at a time as `concurrency` says. Resolves when all have ended. */
export const runTests = async (options: Options): Promise<void> => {
  const { groups, concurrency, timeoutMs = 600_000, fileMs = usualFileMs, pattern } = options
  const folder = mkdtempSync(join(tmpdir(), 'docket-tests-'))
  const programs = groups.map((files, number) => writeProgram(folder, files, number, fileMs))
  const gatherings = new Map(
    programs.map((program, index) => [program, createGathering(groups[index] ?? [], options)]),
  )
  const events = run({
    files: programs,
    concurrency,
    timeout: timeoutMs,
    ...(pattern !== undefined && { testNamePatterns: pattern }),
  })
  for await (const { type, data } of events) {
    if (type === 'test:complete') {
      const completed: Completed = data
      gatherings.get(completed.entryFile ?? completed.file ?? '')?.(completed)
    }
    if (type === 'test:stderr' || type === 'test:stdout') process.stderr.write(data.message)
  }
  rmSync(folder, { recursive: true, force: true })
}
