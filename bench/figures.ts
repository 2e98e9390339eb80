/** Figures from samples: how they are measured by turns, summarised and compared. */

/** One way to do the same work, and the result of each run. */
export type Sampler<T> = { readonly run: () => Promise<T>; readonly samples: T[] }

export const sampler = <T>(run: () => Promise<T>): Sampler<T> => ({ run, samples: [] })

/** How often each way is measured. */
export const rounds = 3

/**
 * Runs each way once per round, one after the other, and in the other order in the next round, so that other load of the machine affects
 * all alike. The first rounds only warm up.
 */
export const byTurns = async (
  samplers: readonly Sampler<unknown>[],
  counts: { readonly rounds?: number; readonly warmUps?: number } = {},
): Promise<void> => {
  const { warmUps = 1 } = counts
  for (let round = -warmUps; round < (counts.rounds ?? rounds); round++)
    for (const { run, samples } of round % 2 === 0 ? samplers : samplers.toReversed()) {
      const sample = await run()
      if (round >= 0) samples.push(sample)
    }
}

/** How many milliseconds the work took. */
export const timed = async (work: () => unknown): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** The median of the samples; outliers affect it less than a mean. */
export const median = (samples: readonly number[]): number => percentile(samples, 50)

/** The value that `share` percent of the samples do not exceed; NaN without samples. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b)
  const index = Math.ceil((share / 100) * sorted.length) - 1
  return sorted[Math.max(0, index)] ?? Number.NaN
}

/** The median and the largest samples. */
export const spreadOf = (samples: readonly number[]) => ({
  p50: percentile(samples, 50),
  p95: percentile(samples, 95),
  p99: percentile(samples, 99),
  max: percentile(samples, 100),
})

/** The least and the largest ratio of samples of the same round. */
export const rangeOf = (ours: readonly number[], theirs: readonly number[]): string => {
  const ratios = ours.map((our, round) => our / (theirs[round] ?? Number.NaN))
  return `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`
}

/** The middle half of the ratios of samples of the same round: what other load of the machine leaves of them. */
export const middleHalfOf = (ours: readonly number[], theirs: readonly number[]): string => {
  const ratios = ours.map((our, round) => our / (theirs[round] ?? Number.NaN))
  return [25, 75].map((share) => percentile(ratios, share).toFixed(2)).join('-')
}

/** Three significant digits, never an exponent. */
export const rounded = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
