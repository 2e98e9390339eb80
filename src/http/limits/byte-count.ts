/** Counts what requests hold in memory, for one caller and for all, so that both are limited. */

/** Who holds something: a user, or an address without one. */
type Holder = number | string

type Limits = { readonly ofCaller: number; readonly ofAll: number }

type ByteCount = {
  /** Which limit a number of further bytes would exceed, with those that are held elsewhere; undefined if none. */
  readonly beyond: (holder: Holder, bytes: number, elsewhere?: Limits) => keyof Limits | undefined
  /** Adds bytes, or releases them with a negative number. */
  readonly add: (holder: Holder, bytes: number) => void
}

/** Creates a count that starts with zero. */
export const createByteCount = (limits: Limits): ByteCount => {
  const held = new Map<Holder, number>()
  let ofAll = 0
  return {
    beyond: (holder, bytes, elsewhere = { ofCaller: 0, ofAll: 0 }) => {
      const ofCaller = (held.get(holder) ?? 0) + elsewhere.ofCaller
      if (ofCaller + bytes > limits.ofCaller) return 'ofCaller'
      return ofAll + elsewhere.ofAll + bytes > limits.ofAll ? 'ofAll' : undefined
    },
    add: (holder, bytes) => {
      ofAll += bytes
      const now = (held.get(holder) ?? 0) + bytes
      if (now === 0) held.delete(holder)
      else held.set(holder, now)
    },
  }
}
