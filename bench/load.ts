/** Load on an HTTP server: alone, and by turns on the service and its peer. */
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { byTurns, median, sampler, spreadOf, timed } from './figures.ts'
import { getJson, openClient, type Request, type Target } from './http-client.ts'
import { aimOf, note, type Row } from './report.ts'

export type Load = {
  /** Creates a request; `turn` counts the requests of a connection. */
  readonly request: (turn: number) => Request
  readonly ms: number
  /** Each connection sends its next request as soon as the last is answered. */
  readonly connections?: number
  /** Maximum requests of a connection; by default as many as the time allows. */
  readonly maxRequests?: number
  /** Pause of a connection between two requests. */
  readonly pauseMs?: number
  /** A rate instead of connections: the next request is sent on time, whether or not the last is answered. */
  readonly perSecond?: number
}

export type LoadResult = ReturnType<typeof spreadOf> & { readonly 'req/s': number }

/** Sends requests for a while, and returns how long they took. */
export const load = async (target: Target, options: Load): Promise<LoadResult> => {
  const { ms, connections = 1, maxRequests = Infinity, pauseMs = 0, perSecond } = options
  const send = openClient(target, perSecond === undefined ? connections : Infinity)
  const samples: number[] = []
  const begun = performance.now()
  const elapsed = () => performance.now() - begun
  const measure = async (turn: number): Promise<void> => {
    samples.push(await timed(() => send(options.request(turn))))
  }
  const keepSending = async (_: unknown, connection: number): Promise<void> => {
    for (let round = 0; round < maxRequests && elapsed() < ms; round++) {
      await measure(connection + round)
      if (pauseMs > 0) await delay(pauseMs)
    }
  }
  const sendAtRate = async (rate: number): Promise<void> => {
    const sent: Promise<void>[] = []
    while (elapsed() < ms) {
      while (sent.length < Math.floor((elapsed() / 1000) * rate)) sent.push(measure(sent.length))
      await delay(1)
    }
    await Promise.all(sent)
  }
  if (perSecond === undefined) await Promise.all(Array.from({ length: connections }, keepSending))
  else await sendAtRate(perSecond)
  return { 'req/s': (samples.length / elapsed()) * 1000, ...spreadOf(samples) }
}

/** The medians of several runs, as cells of a row. */
const mediansOf = (results: readonly LoadResult[]): LoadResult => ({
  'req/s': median(results.map((one) => one['req/s'])),
  p50: median(results.map(({ p50 }) => p50)),
  p95: median(results.map(({ p95 }) => p95)),
  p99: median(results.map(({ p99 }) => p99)),
  max: median(results.map(({ max }) => max)),
})

/** Work that runs several times at once while a load is measured. */
export type OtherWork = {
  readonly what: string
  readonly work: () => Promise<unknown>
  readonly atOnce: number
}

/** A row of a load alone, and one during each kind of other work, by turns; the ratios are those of p99. */
export const measureBeside = async (
  measure: () => Promise<LoadResult>,
  others: readonly OtherWork[],
) => {
  const alone = sampler(measure)
  const beside = others.map((other) => ({ ...other, ...sampler(() => besideWork(measure, other)) }))
  await byTurns([alone, ...beside])
  const idle = mediansOf(alone.samples)
  const busy = beside.map(({ what, atOnce, samples }) => {
    const figures = mediansOf(samples)
    return { what: `during ${atOnce} ${what}`, ...figures, ratio: figures.p99 / idle.p99 }
  })
  return [{ what: 'alone', ...idle, ratio: 1 }, ...busy]
}

const besideWork = async <T>(
  measure: () => Promise<T>,
  { work, atOnce }: OtherWork,
): Promise<T> => {
  let isMeasuring = true
  const repeat = async () => {
    while (isMeasuring) await work()
  }
  const working = Promise.all(Array.from({ length: atOnce }, repeat))
  // Reported below, after the measurement.
  working.catch(() => undefined)
  try {
    return await measure()
  } finally {
    isMeasuring = false
    await working
  }
}

export const bareServer = new URL('./bare-server.ts', import.meta.url)

/** The service and its peer, which give the same responses. */
export type Pair = { readonly docket: Target; readonly bare: Target }

/** The peer must give the same responses. */
export const assertSameAnswers = async (
  { docket, bare }: Pair,
  paths: readonly string[],
): Promise<void> => {
  for (const path of paths) {
    const ours = await getJson<unknown>(docket, path)
    const theirs = await getJson<unknown>(bare, path)
    if (isDeepStrictEqual(ours, theirs)) continue
    const [us, them] = [ours, theirs].map((answer) => JSON.stringify(answer).slice(0, 900))
    throw new Error(`The answers to GET ${path} differ: ${us} ${them}`)
  }
}

export type Comparison = Load & {
  readonly what: string
  readonly minRatio?: number
  readonly maxP99?: number
  /** Runs before each measurement. */
  readonly prepare?: () => Promise<unknown>
}

/** For each operation a row of the peer and one of the service: the medians of some rounds by turns. */
export const compareWithBare = async (
  { docket, bare }: Pair,
  comparisons: readonly Comparison[],
): Promise<Row[]> => {
  const rows: Row[] = []
  for (const { what, minRatio, maxP99, prepare, ...options } of comparisons) {
    const run = async (target: Target): Promise<LoadResult> => {
      await prepare?.()
      return load(target, options)
    }
    const [theirs, ours] = [sampler(() => run(bare)), sampler(() => run(docket))]
    await byTurns([theirs, ours])
    const [them, us] = [mediansOf(theirs.samples), mediansOf(ours.samples)]
    const ratio = us['req/s'] / them['req/s']
    const name = `${what}, ${options.connections ?? 1} connections`
    rows.push(
      { what: `${name}, bare`, ...them },
      {
        what: `${name}, Docket`,
        ...us,
        ratio,
        ...(minRatio !== undefined && aimOf(ratio, { least: minRatio })),
        ...(maxP99 !== undefined && aimOf(us.p99, { most: maxP99 })),
      },
    )
    note(`Measured: ${name}.\n`)
  }
  return rows
}
