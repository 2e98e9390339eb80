/** SHA-256 of a stream: Web Crypto takes only whole files, and not without HTTPS. */

/** The first 32 bits of the fractional part of a root of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
const fractionsOf = (root: (prime: number) => number, count: number): Int32Array => {
  const words = new Int32Array(count)
  for (let number = 2, at = 0; at < count; number += 1) {
    if (!isPrime(number)) continue
    const value = root(number)
    words[at] = (value - Math.floor(value)) * 2 ** 32
    at += 1
  }
  return words
}

const isPrime = (number: number): boolean => {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1)
    if (number % divisor === 0) return false
  return true
}

const constants = fractionsOf(Math.cbrt, 64)
const initial = fractionsOf(Math.sqrt, 8)
const blockBytes = 64

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** Extends the 16 words of a block to 64. */
const extend = (words: Int32Array): void => {
  for (let at = 16; at < 64; at += 1) {
    const early = words[at - 15] ?? 0
    const late = words[at - 2] ?? 0
    const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    words[at] = (words[at - 16] ?? 0) + low + (words[at - 7] ?? 0) + high
  }
}

const mix = (state: Int32Array, words: Int32Array): void => {
  extend(words)
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let at = 0; at < 64; at += 1) {
    const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const choice = (e & f) ^ (~e & g)
    const first = (h + high + choice + (constants[at] ?? 0) + (words[at] ?? 0)) | 0
    const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + low + majority) | 0
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + word
}

export type Sha256 = {
  readonly add: (bytes: Uint8Array) => void
  /** The digest in base64; nothing may be added after it. */
  readonly end: () => string
}

export const createSha256 = (): Sha256 => {
  const state = initial.slice()
  const words = new Int32Array(64)
  const rest = new Uint8Array(blockBytes)
  let held = 0
  let total = 0
  const mixBlock = (bytes: Uint8Array, from: number) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset + from, blockBytes)
    for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(at * 4)
    mix(state, words)
  }
  const add = (bytes: Uint8Array) => {
    total += bytes.length
    let at = 0
    if (held > 0) {
      at = Math.min(blockBytes - held, bytes.length)
      rest.set(bytes.subarray(0, at), held)
      held += at
      if (held < blockBytes) return
      mixBlock(rest, 0)
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) mixBlock(bytes, at)
    rest.set(bytes.subarray(at))
    held = bytes.length - at
  }
  const end = () => {
    const length = total
    const padding = new Uint8Array((held < 56 ? 56 : 120) - held + 8)
    padding[0] = 0x80
    new DataView(padding.buffer).setBigUint64(padding.length - 8, BigInt(length) * 8n)
    add(padding)
    const digest = new DataView(new ArrayBuffer(32))
    for (const [at, word] of state.entries()) digest.setUint32(at * 4, word)
    return btoa(String.fromCharCode(...new Uint8Array(digest.buffer)))
  }
  return { add, end }
}
