/** Counts what requests hold in memory, of one caller and of all, so that neither grows without a bound. */

/** Who holds something: a user, or an address that is nobody's. */
type Holder = number | string

type Limits = { readonly ofCaller: number; readonly ofAll: number }

export type ByteCount = {
  /** What a number of bytes more would be beyond; undefined where there is room. */
  readonly beyond: (holder: Holder, bytes: number) => keyof Limits | undefined
  /** Counts bytes more, or fewer where the number is below zero. */
  readonly add: (holder: Holder, bytes: number) => void
}

/** Makes a count that begins with nothing. */
export const createByteCount = (limits: Limits): ByteCount => {
  const held = new Map<Holder, number>()
  let ofAll = 0
  return {
    beyond: (holder, bytes) => {
      if ((held.get(holder) ?? 0) + bytes > limits.ofCaller) return 'ofCaller'
      return ofAll + bytes > limits.ofAll ? 'ofAll' : undefined
    },
    add: (holder, bytes) => {
      ofAll += bytes
      const now = (held.get(holder) ?? 0) + bytes
      if (now === 0) held.delete(holder)
      else held.set(holder, now)
    },
  }
}
