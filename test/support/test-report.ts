/** What a run of tests prints: a line for each file, the failures, the slowest files, and the processor time. */
import { readFileSync } from 'node:fs'
import type { FileResult } from './run-tests.ts'

const slowest = 10

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** Seconds of the processor that this process and all that it has started and awaited took; only Linux tells. */
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
  readonly onFile: (result: FileResult) => void
  /** Prints the summary; whether everything passed. */
  readonly end: () => boolean
}

export const createTestReport = (fileCount: number): TestReport => {
  const begun = performance.now()
  const results: FileResult[] = []
  return {
    onFile: (result) => {
      results.push(result)
      const { file, ms, passed, skipped, failures } = result
      const mark = failures.length > 0 ? '✗' : '✓'
      const notes = [`${passed} passed`, skipped && `${skipped} skipped`, seconds(ms)]
      const place = `${results.length}/${fileCount}`.padStart(9)
      console.log(`${place} ${mark} ${file}: ${notes.filter(Boolean).join(', ')}`)
      for (const failure of failures) console.log(failure.replaceAll(/^/gm, '    '))
    },
    end: () => {
      const failed = results.filter(({ failures }) => failures.length > 0)
      for (const { file, failures } of failed)
        for (const failure of failures) console.log(`\n✗ ${file}: ${failure}`)
      console.log(`\nThe slowest files:`)
      const ordered = results.toSorted((one, other) => other.ms - one.ms)
      for (const { file, ms } of ordered.slice(0, slowest))
        console.log(`${seconds(ms).padStart(9)} ${file}`)
      const processor = processorSeconds()
      const elapsed = seconds(performance.now() - begun)
      console.log(`\n${elapsed}${processor ? `, ${processor.toFixed(0)} s of processor time` : ''}`)
      const sum = (count: (result: FileResult) => number) =>
        results.reduce((total, result) => total + count(result), 0)
      const failures = sum((result) => result.failures.length)
      const skipped = sum((result) => result.skipped)
      console.log(
        `${sum(({ passed }) => passed)} passed, ${failures} failed${skipped ? `, ${skipped} skipped` : ''}`,
      )
      return failures === 0 && results.length > 0
    },
  }
}
