/**
 * Loaded before everything else of a test process in a whole run: threads and processes that services start in it are then those of the
 * built program, too, which load a few files in place of up to some hundred sources.
 */
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads, { type WorkerOptions } from 'node:worker_threads'

const sources = new URL('../../src/', import.meta.url).href
const source = new RegExp(`${RegExp.escape(sources)}([\\w/-]+)\\.ts`, 'g')

/** Starts what is built next to this program, `dist/cli/main.js`. */
const startBuilt = (main: string): void => {
  const built = new URL('../', pathToFileURL(main)).href
  const builtOf = (text: string): string => text.replaceAll(source, `${built}$1.js`)
  const { fork } = childProcess
  const { Worker } = threads
  class BuiltWorker extends Worker {
    constructor(program: string | URL, options?: WorkerOptions) {
      super(program instanceof URL ? new URL(builtOf(program.href)) : program, options)
    }
  }
  const forkBuilt = ((program, args, options) =>
    fork(
      fileURLToPath(builtOf(pathToFileURL(String(program)).href)),
      Array.isArray(args) ? args.map(builtOf) : args,
      options,
    )) as typeof fork
  Object.assign(threads, { Worker: BuiltWorker })
  Object.assign(childProcess, { fork: forkBuilt })
  syncBuiltinESMExports()
}

if (process.env.TEST_PROGRAM !== undefined) startBuilt(process.env.TEST_PROGRAM)
