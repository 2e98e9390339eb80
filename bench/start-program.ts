/** Programs that run beside the benchmark: Docket as a person starts it, and its peers. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runProgram } from './run-program.ts'

export type Program = {
  readonly pid: number
  /** Where it answers; empty where it printed no address. */
  readonly url: string
  /** What it has printed so far. */
  readonly lines: readonly string[]
  readonly stop: () => Promise<void>
}

export type Environment = Readonly<Record<string, string>>

type Options = {
  readonly env: Environment
  /** Stands in a line that it prints when it is ready. */
  readonly until: string
}

/** Runs a script of Node.js. Resolves when it is ready; it ends with this process at the latest. */
export const startProgram = async (
  args: readonly string[],
  { env, until }: Options,
): Promise<Program> => {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit').finally(() => process.off('exit', kill))
  const lines: string[] = []
  const ready = Promise.withResolvers<string>()
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      if (line.includes(until)) ready.resolve(line)
    })
  const tooEarly = async (): Promise<never> => {
    await exited
    throw new Error(`${args.join(' ')} ended: ${lines.slice(-20).join('\n')}`)
  }
  const line = await Promise.race([ready.promise, tooEarly()])
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

// One caller of one machine asks more in a minute than any client does.
const withoutLimits = {
  REQUESTS_PER_CALLER: '0',
  REQUESTS_PER_ADDRESS: '0',
  CONNECTIONS_PER_ADDRESS: '0',
  CONNECTIONS_AT_ONCE: '0',
}

const entryPoint = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))

/** Starts a service on a free port, or a worker. */
export const startDocket = (
  args: readonly ['start' | 'worker', ...string[]],
  env: Environment,
): Promise<Program> => {
  // Such as `--cpu-prof`: flags of these processes alone.
  const flags = process.env.BENCH_SERVICE_FLAGS?.split(' ').filter(Boolean) ?? []
  const until = args[0] === 'start' ? 'is up at' : 'run here'
  const all = { PORT: '0', ...withoutLimits, ...env }
  return startProgram([...flags, entryPoint, ...args], { env: all, until })
}

/** Makes the tables of a project; answers with a token of its administrator. */
export const prepareDocket = async (env: Environment): Promise<string> => {
  await runProgram(process.execPath, [entryPoint, 'migrate'], { env })
  const { output } = await runProgram(process.execPath, [entryPoint, 'token'], { env })
  return output.trim()
}
