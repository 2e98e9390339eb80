/**
 * `npm run fuzz -- [--requests N] [--minutes N] [--seed N] [--at-once N]`: sends valid and invalid requests to
 * every operation of its own service, and exits with 1 when a response was wrong.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type FuzzReport, runFuzz, shownStatuses } from '../../support/fuzz/run-fuzz.ts'
import { globalSetup, globalTeardown } from '../../support/global-setup.ts'

const number = (text: string | undefined, defaultValue: number | undefined): number | undefined => {
  const given = text === undefined ? defaultValue : Number(text)
  if (given === undefined || (given >= 0 && Number.isFinite(given))) return given
  process.stderr.write(
    'Usage: npm run fuzz -- [--requests N] [--minutes N] [--seed N] [--at-once N]\n',
  )
  process.exit(2)
}

const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    'at-once': { type: 'string' },
  },
})
const requests = number(values.requests, 1_000_000) ?? 0
const minutes = number(values.minutes, undefined)
const seed = number(values.seed, randomInt(2 ** 31)) ?? 0
const concurrency = Math.max(1, number(values['at-once'], 4) ?? 1)

const summary = (report: FuzzReport): string => {
  const [early, late] = report.residentMiB
  const lines = [
    `${report.requests} requests to ${report.operations} operations in ${Math.round(report.seconds)} s, seed ${report.seed}`,
    `statuses: ${shownStatuses(report.statuses)}`,
    `longest response ${Math.round(report.longestMs)} ms, longest blocking of the thread ${Math.round(report.computedMs)} ms`,
    `memory ${early} MiB early, ${late} MiB at the end`,
    ...report.findings.map(
      ({ what, times, line, answer }) => `\nFOUND ${times} times: ${what}\n${line}\n${answer}`,
    ),
    `\n${report.findings.length === 0 ? 'Nothing' : report.findings.length} found.`,
  ]
  return `${lines.join('\n')}\n`
}

const note = (line: string) => void process.stderr.write(`${line}\n`)

note(`Seed ${seed}; --seed ${seed} --at-once 1 repeats a run of --at-once 1.`)
await globalSetup()
try {
  const report = await runFuzz({ seed, requests, minutes, concurrency, note })
  process.stdout.write(summary(report))
  process.exitCode = report.findings.length === 0 ? 0 : 1
} finally {
  await globalTeardown()
}
