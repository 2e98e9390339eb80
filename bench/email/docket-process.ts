/** A process of Docket beside the one of the place, started as a person starts it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type DocketProcess = {
  readonly pid: number
  /** What it has printed so far. */
  readonly lines: readonly string[]
  readonly stop: () => Promise<void>
}

type Options = {
  readonly env: Readonly<Record<string, string>>
  /** Stands in a line that it prints when it is ready. */
  readonly until: string
}

const entryPoint = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** Resolves when it is ready; it ends with this process at the latest. */
export const startDocket = async (
  args: readonly string[],
  { env, until }: Options,
): Promise<DocketProcess> => {
  // As in bench/place.ts: flags of these processes alone, such as `--cpu-prof`.
  const flags = process.env.BENCH_SERVICE_FLAGS?.split(' ').filter(Boolean) ?? []
  const child = spawn(process.execPath, [...flags, entryPoint, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit').finally(() => process.off('exit', kill))
  const lines: string[] = []
  const ready = Promise.withResolvers<void>()
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      if (line.includes(until)) ready.resolve()
    })
  const tooEarly = async () => {
    await exited
    throw new Error(`docket ${args.join(' ')} ended: ${lines.slice(-20).join('\n')}`)
  }
  await Promise.race([ready.promise, tooEarly()])
  return {
    pid: child.pid ?? 0,
    lines,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
