/** Runs the command line as a person would: a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterwards } from './afterwards.ts'
import { within } from './wait.ts'

const maxSeconds = 100

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

export type Outcome = { readonly code: number | null; readonly out: string; readonly err: string }

type Environment = Readonly<Record<string, string>>

/** Starts `docket` with words; the environment of the tests does not reach it but for the path. */
export const spawnDocket = (
  words: readonly string[],
  environment: Environment = {},
): ChildProcess =>
  endedAfterwards(
    spawn(process.execPath, [main, ...words], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** A process that goes with its test, or with the process of its test file if that is ended. */
export const endedAfterwards = (child: ChildProcess): ChildProcess => {
  children.add(child)
  const closed = new Promise<void>((resolve) => {
    child.once('close', resolve)
    child.once('error', () => resolve())
  })
  const end = afterwards(() => {
    child.kill('SIGKILL')
    return within('a killed process ends', closed)
  })
  void closed.then(() => {
    children.delete(child)
    return end()
  })
  return child
}

/** Runs `docket` to its end. */
export const runDocket = (
  words: readonly string[],
  environment: Environment = {},
): Promise<Outcome> => {
  const said = words.join(' ')
  return within(`"docket ${said}" ends`, outcomeOf(spawnDocket(words, environment)), 200)
}

/** A token of the administrator, or of another user, made beside a running service. */
export const tokenOf = async (
  project: string,
  environment: Environment = {},
  user?: string,
): Promise<string> => {
  const who = user === undefined ? [] : ['--user', user]
  const { code, out, err } = await runDocket(['token', '--project', project, ...who], environment)
  if (code !== 0) throw new Error(`docket token ended with ${code}:\n${err}`)
  return out.trim()
}

/** What a process prints until it ends; fails when it lives on for long after a signal. */
export const outcomeOf = (child: ChildProcess): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    let out = ''
    let err = ''
    let seconds = 0
    const look = setInterval(() => {
      if (child.killed) seconds++
      if (seconds < maxSeconds) return
      clearInterval(look)
      reject(new Error(`It did not end ${seconds} seconds after a signal:\n${out}${err}`))
    }, 1000).unref()
    child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(look)
      resolve({ code, out, err })
    })
  })

/** Resolves with all output so far once `pattern` shows in it; rejects when it never does. */
export const waitFor = (child: ChildProcess, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const giveUp = setTimeout(
      () => reject(new Error(`${pattern} did not show in ${maxSeconds} seconds:\n${text}`)),
      maxSeconds * 1000,
    )
    const look = (chunk: Buffer) => {
      text += chunk
      if (!pattern.test(text)) return
      clearTimeout(giveUp)
      resolve(text)
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.on('close', (code) => {
      clearTimeout(giveUp)
      reject(new Error(`It ended with ${code} before ${pattern}:\n${text}`))
    })
  })
