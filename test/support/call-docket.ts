/** Runs a command of `docket` in the process of the test: what it prints and its exit code, without a program to start. */
import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../src/cli/run-command.ts'
import { type Outcome, runDocket } from './docket.ts'
import { within } from './wait.ts'

/**
 * Runs a command that ends by itself, with this environment alone. `start` and `worker` end their process, so a test
 * may only call them where they fail before they open the database. A built package is run as a program.
 */
export const callDocket = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input: Readable = Readable.from([]),
): Promise<Outcome> => {
  if (process.env.TEST_MAIN !== undefined) return runDocket(args, environment)
  const chunks: Buffer[] = []
  let err = ''
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
  })
  const terminal = {
    out: (text: string) => stdout.write(text),
    note: (text: string) => {
      err += text
    },
    stdout,
    stdin: input,
    isInteractive: false,
    isShown: false,
  }
  const ended = runCommand(args, { environment: { ...environment }, terminal })
  const code = await within(`"docket ${args.join(' ')}" ends`, ended, 200)
  return { code, out: Buffer.concat(chunks).toString(), err }
}
