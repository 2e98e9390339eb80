/** Runs the command line as a person would: a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

export type Outcome = { readonly code: number | null; readonly out: string; readonly err: string }

type Environment = Readonly<Record<string, string>>

/** Starts `docket` with words; the environment of the tests does not reach it but for the path. */
export const spawnDocket = (
  words: readonly string[],
  environment: Environment = {},
): ChildProcess =>
  spawn(process.execPath, [main, ...words], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Runs `docket` to its end. */
export const runDocket = (
  words: readonly string[],
  environment: Environment = {},
): Promise<Outcome> => outcomeOf(spawnDocket(words, environment))

/** What a process prints until it ends. */
export const outcomeOf = (child: ChildProcess): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    let out = ''
    let err = ''
    child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
  })

/** Resolves with all output so far once `pattern` shows in it; rejects when the process ends before. */
export const waitFor = (child: ChildProcess, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const look = (chunk: Buffer) => {
      text += chunk
      if (pattern.test(text)) resolve(text)
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.on('close', (code) =>
      reject(new Error(`It ended with ${code} before ${pattern}:\n${text}`)),
    )
  })
