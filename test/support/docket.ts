/** Runs the command line in its own process, as a user does. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterwards } from './afterwards.ts'
import { within } from './wait.ts'

const maxSeconds = 100

/**
 * The command line, as a script: that of a built package (`npm run test:long -- package`), what a whole run has built for the
 * programs that its tests start, or the sources.
 */
export const main =
  process.env.TEST_MAIN ??
  process.env.TEST_PROGRAM ??
  fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** How it calls itself in the lines that it prints: a clone and an installed package are run in two ways. */
export const ownName = main.endsWith('.ts') ? 'npm run -s docket --' : 'npx docket'

export type Outcome = { readonly code: number | null; readonly out: string; readonly err: string }

type Environment = Readonly<Record<string, string>>

/** Of the environment of the tests, all that a program which they start gets. */
export const passedEnvironment = () => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE,
})

/** Starts `docket` with arguments. */
export const spawnDocket = (args: readonly string[], environment: Environment = {}): ChildProcess =>
  endedAfterwards(
    spawn(process.execPath, [main, ...args], {
      env: { ...passedEnvironment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Kills a process when its test, or the process of its test file, ends. */
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

/** Runs `docket` until it exits. */
export const runDocket = (
  args: readonly string[],
  environment: Environment = {},
): Promise<Outcome> => {
  const command = args.join(' ')
  return within(`"docket ${command}" ends`, outcomeOf(spawnDocket(args, environment)), 200)
}

/** A token of the administrator, or of another user, created while a service runs. */
export const tokenOf = async (
  project: string,
  environment: Environment = {},
  user?: string,
): Promise<string> => {
  const userArgs = user === undefined ? [] : ['--user', user]
  const { code, out, err } = await runDocket(
    ['token', '--project', project, ...userArgs],
    environment,
  )
  if (code !== 0) throw new Error(`docket token ended with ${code}:\n${err}`)
  return out.trim()
}

/** The output of a process until it exits. Fails when it still runs long after a signal. */
export const outcomeOf = (child: ChildProcess): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    let out = ''
    let err = ''
    let seconds = 0
    const timer = setInterval(() => {
      if (child.killed) seconds++
      if (seconds < maxSeconds) return
      clearInterval(timer)
      reject(
        new Error(
          `The process did not exit within ${seconds} seconds after a signal:\n${out}${err}`,
        ),
      )
    }, 1000).unref()
    child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(timer)
      resolve({ code, out, err })
    })
  })

/** Resolves with all output so far once `pattern` matches it. Rejects when it never does. */
export const waitFor = (child: ChildProcess, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(
      () => reject(new Error(`${pattern} did not match within ${maxSeconds} seconds:\n${text}`)),
      maxSeconds * 1000,
    )
    const check = (chunk: Buffer) => {
      text += chunk
      if (!pattern.test(text)) return
      clearTimeout(timer)
      resolve(text)
    }
    child.stdout?.on('data', check)
    child.stderr?.on('data', check)
    child.on('close', (code) => {
      clearTimeout(timer)
      reject(new Error(`The process exited with ${code} before ${pattern} matched:\n${text}`))
    })
  })
