/** Counts what requests hold in memory, for one caller and for all, so that both are limited. */

/** Who holds something: a user, or an address without one. */
type Holder = number | string

type Limits = { readonly ofCaller: number; readonly ofAll: number }

type ByteCount = {
  /** Which limit a number of further bytes would exceed; undefined if none. */
  readonly beyond: (holder: Holder, bytes: number) => keyof Limits | undefined
  /** Adds bytes, or releases them with a negative number. */
  readonly add: (holder: Holder, bytes: number) => void
}

/** Creates a count that starts with zero. */
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
