/** What a run of tests prints: a line for each file, the failures, the slowest files, and the processor time. */
import { readFileSync } from 'node:fs'
import type { FileResult } from './run-tests.ts'

const slowest = 10

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** Seconds of the processor that this process and what it has started and awaited took so far; only Linux tells. */
const processorSeconds = (): number | undefined => {
  try {
    // User and system time in ticks, of the process and of its ended children: fields 14 to 17 of proc_pid_stat(5).
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
  } catch {
    return undefined
  }
}

export type TestReport = {
  /** Prints a line for a file, and its failures. */
  readonly onFile: (result: FileResult) => void
  /** Prints the failures again, the slowest files and the summary; whether everything passed. */
  readonly end: () => boolean
  /** How many tests passed and failed, in how much time. */
  readonly summary: () => string
}

const indented = (text: string): string => text.replaceAll(/^/gm, '    ')

const lineOf = ({ file, ms, passed, skipped, failures }: FileResult): string => {
  const counts = [
    `${passed} passed`,
    skipped.length > 0 && `${skipped.length} skipped`,
    seconds(ms),
  ]
  return `${failures.length > 0 ? '✗' : '✓'} ${file}: ${counts.filter(Boolean).join(', ')}`
}

/** The report of a run of so many files. */
export const createTestReport = (fileCount: number): TestReport => {
  const begun = performance.now()
  const processorBefore = processorSeconds()
  const results: FileResult[] = []
  const sum = (count: (result: FileResult) => number) =>
    results.reduce((total, result) => total + count(result), 0)
  const counts = () => {
    const failed = sum(({ failures }) => failures.length)
    const skipped = sum((result) => result.skipped.length)
    const rest = skipped > 0 ? `, ${skipped} skipped` : ''
    return { failed, text: `${sum(({ passed }) => passed)} passed, ${failed} failed${rest}` }
  }
  const times = () => {
    const processor = processorSeconds()
    const elapsed = seconds(performance.now() - begun)
    return processor === undefined || processorBefore === undefined
      ? elapsed
      : `${elapsed}, ${(processor - processorBefore).toFixed(0)} s of processor time`
  }
  return {
    onFile: (result) => {
      results.push(result)
      console.log(`${`${results.length}/${fileCount}`.padStart(9)} ${lineOf(result)}`)
      for (const reason of result.skipped) console.log(indented(`skipped: ${reason}`))
      for (const failure of result.failures) console.log(indented(failure))
    },
    end: () => {
      for (const { file, failures } of results)
        for (const failure of failures) console.log(`\n✗ ${file}: ${failure}`)
      console.log('\nThe slowest files:')
      const ordered = results.toSorted((one, other) => other.ms - one.ms)
      for (const { file, ms } of ordered.slice(0, slowest))
        console.log(`${seconds(ms).padStart(9)} ${file}`)
      console.log(`\n${times()}`)
      const { failed, text } = counts()
      console.log(text)
      return failed === 0 && results.length > 0
    },
    summary: () => `${counts().text}; ${times()}`,
  }
}
