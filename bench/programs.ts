/** Programs that run to their end, or during the benchmark: Docket as a user starts it, and its peers. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export type Variables = Readonly<Record<string, string>>

type Finished = { readonly ms: number; readonly output: string }

type RunOptions = {
  readonly variables?: Variables
  /** Discards the output. */
  readonly isDiscarded?: boolean
}

/** What a program printed and how long it took; throws when it fails. */
export const runProgram = async (
  file: string,
  args: readonly string[],
  { variables = {}, isDiscarded = false }: RunOptions = {},
): Promise<Finished> => {
  const begun = performance.now()
  const child = spawn(file, args, {
    env: { ...process.env, ...variables },
    stdio: ['ignore', isDiscarded ? 'ignore' : 'pipe', 'pipe'],
  })
  const texts = { output: '', errors: '' }
  child.stdout?.on('data', (chunk: Buffer) => {
    texts.output += chunk
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    texts.errors += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ended with code ${code}: ${texts.errors.slice(-2000)}`)
  return { ms: performance.now() - begun, output: texts.output }
}

export type Program = {
  readonly pid: number
  /** The address of the service; empty if it printed none. */
  readonly url: string
  /** What it has printed so far. */
  readonly lines: readonly string[]
  readonly stop: () => Promise<void>
}

type StartOptions = {
  readonly variables: Variables
  /** Part of the line that it prints when it is ready. */
  readonly readyLine: string
}

/** Runs a script with Node.js. Resolves when it is ready; it ends with this process at the latest. */
export const startProgram = async (
  args: readonly string[],
  { variables, readyLine }: StartOptions,
): Promise<Program> => {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = endWithThisProcess(child)
  const lines: string[] = []
  const ready = Promise.withResolvers<string>()
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      if (line.includes(readyLine)) ready.resolve(line)
    })
  const endedEarly = async (): Promise<never> => {
    await exited
    throw new Error(`${args.join(' ')} ended: ${lines.slice(-20).join('\n')}`)
  }
  const line = await Promise.race([ready.promise, endedEarly()])
  return {
    pid: child.pid ?? 0,
    url: /http:\/\/\S+/.exec(line)?.[0] ?? '',
    lines,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const endWithThisProcess = (child: ChildProcess): Promise<unknown> => {
  running.add(child)
  return once(child, 'exit').finally(() => running.delete(child))
}
