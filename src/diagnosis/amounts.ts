/** Amounts as people read them. */

const secondsOf = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const

/** `3 d`, `5 min`, `12 s`, `0.4 s`. */
export const printSeconds = (seconds: number): string => {
  const [size, unit] = secondsOf.find(([one]) => seconds >= 2 * one) ?? [1, 's']
  const amount = seconds / size
  return `${amount >= 10 || size > 1 ? Math.floor(amount) : Math.round(amount * 10) / 10} ${unit}`
}

const byteUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1.5 GiB`. */
export const printBytes = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${byteUnits[power]}`
}

/** `1 job`, `2 jobs`. */
export const printCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** `a, b, c and 4 more`. */
export const printSome = (words: readonly string[], most = 3): string => {
  const left = words.length - most
  return `${words.slice(0, most).join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}
