/** Tells the process that runs all tests (`support/run-components.ts`) what became of each file. */
import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import type { FileResult } from '../../support/run-tests.ts'

/** With the test that ran when nothing waited for the error. */
const textOf = (error: SerializedError): string => {
  const { stack, message, status, code, VITEST_TEST_NAME: test } = error
  const of = JSON.stringify({ test, status, code })
  return `${stack ?? message}${of === '{}' ? '' : `\n${of}`}`
}

const resultOf = (module: TestModule): FileResult => {
  const tests = [...module.children.allTests()]
  const inState = (state: string) => tests.filter((test) => test.result().state === state)
  const failures = tests.flatMap((test) =>
    (test.result().errors ?? []).map((error) => `${test.fullName}\n${textOf(error)}`),
  )
  return {
    file: module.relativeModuleId.replace(/^test\//, ''),
    ms: module.diagnostic().duration,
    passed: inState('passed').length,
    skipped: inState('skipped').map(({ fullName }) => fullName),
    failures: [...failures, ...module.errors().map(textOf)],
  }
}

/** The reporter, as Vitest loads it. */
export default class FileReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    process.send?.(resultOf(module))
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    if (errors.length === 0) return
    const failures = errors.map(textOf)
    process.send?.({ file: 'components', ms: 0, passed: 0, skipped: [], failures })
  }
}
