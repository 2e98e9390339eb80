/** Starts the load generator: once, or by turns on the service and on its peer. */
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { median } from '../figures.ts'
import { askJson, openClient } from '../http-client.ts'
import type { Row } from '../report.ts'
import { runProgram } from '../run-program.ts'
import { type Environment, type Program, startProgram } from '../start-program.ts'
import type { LoadResult, LoadTask } from './load.ts'

const generator = fileURLToPath(new URL('./load.ts', import.meta.url))

/** Load in a process of its own, so that asking takes no time from answering. */
export const runLoad = async (task: LoadTask): Promise<LoadResult> => {
  const { output } = await runProgram(process.execPath, [generator, JSON.stringify(task)])
  return JSON.parse(output) as LoadResult
}

/** The medians of several runs, as cells of a row. */
export const mediansOf = (results: readonly LoadResult[]) => ({
  'req/s': median(results.map(({ perSecond }) => perSecond)),
  p50: median(results.map(({ p50 }) => p50)),
  p99: median(results.map(({ p99 }) => p99)),
  max: median(results.map(({ max }) => max)),
})

/** Repeats the work, several times at once, for as long as the measurement lasts. */
export const measureBeside = async <T>(
  work: () => Promise<unknown>,
  measure: () => Promise<T>,
  atOnce = 1,
): Promise<T> => {
  let isMeasuring = true
  const repeat = async () => {
    while (isMeasuring) await work()
  }
  const working = Promise.all(Array.from({ length: atOnce }, repeat))
  // Reported below, once the measurement has ended.
  working.catch(() => undefined)
  try {
    return await measure()
  } finally {
    isMeasuring = false
    await working
  }
}

/** The service and its peer, which answer alike. */
export type Pair = {
  readonly docket: { readonly url: string; readonly token: string }
  readonly bare: { readonly url: string }
}

/** Starts a peer, such as `./bare-server.ts` beside the caller's own file. */
export const startBare = (script: URL, env: Environment): Promise<Program> =>
  startProgram([fileURLToPath(script)], { env, until: 'listens at' })

/** A peer that answers less would be no peer. */
export const assertSameAnswers = async (
  { docket, bare }: Pair,
  paths: readonly string[],
): Promise<void> => {
  for (const path of paths) {
    const ours = await askJson(openClient(docket), path)
    const theirs = await askJson(openClient({ ...bare, token: '' }), path)
    if (isDeepStrictEqual(ours, theirs)) continue
    const [us, them] = [ours, theirs].map((answer) => JSON.stringify(answer).slice(0, 900))
    throw new Error(`The answers to GET ${path} differ: ${us} ${them}`)
  }
}

export const rounds = 3

type Comparison = {
  readonly task: Omit<LoadTask, 'url' | 'token'>
  /** The aim of the service's row. */
  readonly aim?: (figures: { readonly ratio: number; readonly p99: number }) => Row
  /** Done before each run. */
  readonly prepare?: () => Promise<unknown>
}

/** A row of the peer and one of the service: the medians of some rounds by turns. */
export const compareWithBare = async (
  { docket, bare }: Pair,
  { task, aim, prepare }: Comparison,
): Promise<Row[]> => {
  const ours: LoadResult[] = []
  const theirs: LoadResult[] = []
  const run = async (url: string): Promise<LoadResult> => {
    await prepare?.()
    return runLoad({ ...task, token: docket.token, url })
  }
  for (let round = -1; round < rounds; round++) {
    const [them, us] = [await run(bare.url), await run(docket.url)]
    // The first round only warms up.
    if (round < 0) continue
    theirs.push(them)
    ours.push(us)
  }
  const [us, them] = [mediansOf(ours), mediansOf(theirs)]
  const ratio = us['req/s'] / them['req/s']
  const what = `${task.operation}, ${task.connections} connections`
  return [
    { what: `${what}, bare`, ...them },
    { what: `${what}, Docket`, ...us, ratio, ...aim?.({ ratio, p99: us.p99 }) },
  ]
}
