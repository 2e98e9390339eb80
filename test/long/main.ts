/**
 * `npm run test:long`: what takes long by its nature, before a release and before a large change is called done.
 * `npm run test:long -- NAME ...` runs some of the parts, `--list` names them.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPackage } from '../../packaging/built-copy.ts'
import { lackOfSwift } from '../support/files/a-swift.ts'
import { globalSetup, globalTeardown } from '../support/global-setup.ts'
import { findPgBouncer } from '../support/pgbouncer.ts'
import { runTests } from '../support/run-tests.ts'
import { type Group, groupsIn, longFiles } from '../support/test-files.ts'
import { createTestReport } from '../support/test-report.ts'

type Part = {
  readonly what: string
  /** By default the files of the folder of its name, each in a process of its own. */
  readonly groups?: () => readonly Group[]
  /** The most that a file takes; by default 30. */
  readonly minutes?: number
  /** Why it cannot run on this machine; undefined if it can. */
  readonly lacks?: () => string | undefined
  /** Prepares its environment; returns what undoes that. */
  readonly prepare?: () => Promise<() => void>
}

const setFor = (name: string, value: string) => {
  process.env[name] = value
  return () => {
    delete process.env[name]
  }
}

/** Everything that is long, in the order in which it runs. */
const parts: Readonly<Record<string, Part>> = {
  corpus: {
    what: 'hostile requests: the thread that answers, memory, and other callers are measured',
  },
  fuzz: { what: 'random requests to everything in the OpenAPI document' },
  kills: {
    what: 'processes that are killed again and again while they start, send, export, import, keep files and migrate',
  },
  workflow: {
    what: 'many writers of lines against the action that locks these, a thousand times',
    minutes: 120,
  },
  buckets: {
    what: 'files in a bucket of OpenStack Swift, which checks signatures and lists in pages',
    lacks: lackOfSwift,
  },
  crawl: { what: 'every button of every page of the console, as four roles' },
  axe: {
    what: 'every page of the console at three widths in both themes, by axe',
  },
  exports: { what: 'random exports, and exports of many rows' },
  rights: { what: 'every path as users who may not read all, for random conditions of reading' },
  documents: { what: 'limits of memory and time of documents and functions' },
  replicas: { what: 'reads from standby servers' },
  cluster: { what: 'a cluster of three servers that loses its primary twice' },
  firefox: { what: 'the console in Firefox' },
  pooler: {
    what: 'all tests of the service through a PgBouncer in transaction mode',
    groups: () => groupsIn('service'),
    lacks: () =>
      findPgBouncer() === undefined
        ? 'PgBouncer is not installed (Debian: apt-get install pgbouncer).'
        : undefined,
    prepare: async () => setFor('TEST_POOLER', '1'),
  },
  package: {
    what: 'the package that npm publishes, and all tests that start Docket as a program with it',
    groups: () => [
      ...longFiles('package').map((file) => [file]),
      ...groupsIn('process'),
      ...groupsIn('service/cli'),
    ],
    prepare: async () => {
      const built = await buildPackage()
      const undo = setFor('TEST_MAIN', join(built, 'dist/cli/main.js'))
      return () => {
        undo()
        rmSync(built, { recursive: true, force: true })
      }
    },
  },
}

const processes = 2
const usualMinutes = 30

/** Runs a part; a line that says how it went, and whether it passed. */
const runPart = async (name: string, part: Part) => {
  console.log(`\n${name}: ${part.what}`)
  const lacking = part.lacks?.()
  if (lacking !== undefined) return { hasPassed: true, line: `skipped: ${lacking}` }
  const undo = await part.prepare?.()
  const groups = part.groups?.() ?? longFiles(name).map((file) => [file])
  const report = createTestReport(groups.flat().length)
  await globalSetup()
  try {
    const timeoutMs = (part.minutes ?? usualMinutes) * 60_000
    const limits = { timeoutMs, fileMs: timeoutMs }
    await runTests({ groups, concurrency: processes, ...limits, onFile: report.onFile })
  } finally {
    await globalTeardown()
    undo?.()
  }
  const hasPassed = report.end()
  return { hasPassed, line: report.summary() }
}

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean' } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name))
if (values.list || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no part ${unknown.join(', ')}. The parts are:`)
  for (const [name, { what }] of Object.entries(parts)) console.log(`${name.padEnd(10)} ${what}`)
  process.exit(unknown.length > 0 ? 2 : 0)
}
const outcomes: { name: string; hasPassed: boolean; line: string }[] = []
for (const [name, part] of Object.entries(parts))
  if (positionals.length === 0 || positionals.includes(name))
    outcomes.push({ name, ...(await runPart(name, part)) })
console.log('')
for (const { name, hasPassed, line } of outcomes)
  console.log(`${hasPassed ? '✓' : '✗'} ${name.padEnd(10)} ${line}`)
process.exitCode = outcomes.every(({ hasPassed }) => hasPassed) ? 0 : 1
