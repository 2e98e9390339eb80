#!/usr/bin/env node
/** The command line: a process that runs one command and exits with its code. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { runCommand } from './run-command.ts'

const parentPollMs = 250

/**
 * If npm or `bin/docket.cjs` started this process, treats the end of the parent as SIGTERM: npm passes signals to the
 * shell between them, which ends without passing them on, and a killed launcher passes nothing. In both cases the
 * parent process changes.
 */
const followParent = ({
  npm_lifecycle_event: npm,
  DOCKET_LAUNCHER: launcher,
}: NodeJS.ProcessEnv): void => {
  if (npm === undefined && launcher === undefined) return
  // The launcher may have ended already.
  const parent = launcher === undefined ? process.ppid : Number(launcher)
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, parentPollMs)
  timer.unref()
}

/** In the folder of the code: who may write there may change the code as well. */
const compiledFolder = fileURLToPath(new URL('../../node_modules/.cache/docket', import.meta.url))

/**
 * Keeps the compiled form of files that are loaded from now on, also by threads: compiling takes half of the processor
 * time of a start. Nothing is kept where the folder cannot be written, or where NODE_COMPILE_CACHE, which Node.js reads
 * itself, names another or none.
 */
const keepCompiled = (): void => {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  // Threads inherit the environment.
  if (enableCompileCache(compiledFolder).directory !== undefined)
    process.env.NODE_COMPILE_CACHE = compiledFolder
}

followParent(process.env)
keepCompiled()
// The terminal was closed or the reader left: ignore it, and finish the work.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  terminal: {
    out: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    stdout: process.stdout,
    // Node.js opens it when it is asked for.
    get stdin() {
      return process.stdin
    },
    isInteractive: process.stderr.isTTY === true,
    isShown: process.stdout.isTTY === true,
  },
})
