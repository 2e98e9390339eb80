/** Finds the most similar name, for the suggestions in messages. */

// Longer names are hardly mistyped, and comparing them is expensive.
const longestName = 64

/**
 * The candidate closest to `name`, within a third of its length, or undefined. A name of more than 64
 * characters has none.
 */
export const closestWord = (name: string, candidates: Iterable<string>): string | undefined => {
  if (name.length > longestName) return undefined
  let best: { candidate: string; distance: number } | undefined
  const limit = Math.max(1, Math.floor(name.length / 3))
  for (const candidate of candidates) {
    // A name that is known is wrong for another reason.
    if (candidate === name || Math.abs(candidate.length - name.length) > limit) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && (!best || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}

/** The end of a message that suggests the closest name, or nothing: `; did you mean "required"?`. */
export const didYouMean = (name: string, candidates: Iterable<string>): string => {
  const near = closestWord(name, candidates)
  return near === undefined ? '' : `; did you mean "${near}"?`
}

/** Optimal string alignment: insertions, deletions, replacements and swaps of neighbours. */
const editDistance = (a: string, b: string): number => {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (before[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY
      current[j] = Math.min(
        (previous[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + cost,
        swapped,
      )
    }
    before = previous
    previous = current
  }
  return previous[b.length] ?? 0
}
