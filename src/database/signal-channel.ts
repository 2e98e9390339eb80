/** Channels of signals, as statements name them. */

/** What a statement returns for a signal: a number of things, or their ids as text. */
export type SignalValue = number | string

/** A channel (LISTEN) with the payload for all that was committed since its last signal. */
export type SignalChannel = {
  readonly name: string
  /** Undefined if the values name nothing. */
  readonly payloadOf: (values: readonly SignalValue[]) => string | undefined
}

/** A column of a statement's result whose values are signalled after the commit; null signals nothing. */
export type SignalColumn = {
  readonly channel: SignalChannel
  readonly column: string
}
