/** Figures from samples: what stands for many runs, and how two of them compare. */

/** The middle of the samples; a noisy neighbour moves it less than a mean. */
export const median = (samples: readonly number[]): number => percentile(samples, 50)

/** The value that `share` percent of the samples do not exceed; NaN without samples. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b)
  const index = Math.ceil((share / 100) * sorted.length) - 1
  return sorted[Math.max(0, index)] ?? Number.NaN
}

/** What most samples are, and the largest. */
export const spreadOf = (samples: readonly number[]) => ({
  p50: percentile(samples, 50),
  p99: percentile(samples, 99),
  max: percentile(samples, 100),
})

/** Three significant digits, never an exponent. */
export const rounded = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
