#!/usr/bin/env node
/** The command line: a process that runs one command and exits with its code. */
import { followParent } from './follow-parent.ts'
import { keepCompiled } from './keep-compiled.ts'
import { runCommand } from './run-command.ts'

followParent()
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
