/** Runs the component tests of the console by Vitest, in a process of their own. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileResult } from './run-tests.ts'
import { root } from './test-files.ts'

const program = fileURLToPath(new URL('../vitest.mjs', import.meta.resolve('vitest')))

type Options = {
  /** Paths in `test/`. */
  readonly files: readonly string[]
  /** Runs only tests of such a name. */
  readonly pattern?: string | undefined
  readonly onFile: (result: FileResult) => void
}

/** Resolves when all files have ended; a process that ends otherwise is a failure of those that are missing. */
export const runComponents = async ({ files, pattern, onFile }: Options): Promise<void> => {
  if (files.length === 0) return
  const child = fork(
    program,
    [
      ...['run', '--config', join(root, 'components/vitest.config.ts')],
      ...['--reporter', join(root, 'components/support/file-reporter.ts')],
      ...(pattern === undefined ? [] : ['--testNamePattern', pattern]),
      ...files.map((file) => `test/${file}`),
    ],
    { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], cwd: join(root, '..') },
  )
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const missing = new Set(files)
  child.on('message', (result: FileResult) => {
    missing.delete(result.file)
    onFile(result)
  })
  await once(child, 'close')
  for (const file of missing)
    onFile({ file, ms: 0, passed: 0, skipped: [], failures: [`It did not end.\n${errors}`] })
}
