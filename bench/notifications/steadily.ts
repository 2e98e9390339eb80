/** Work at a steady rate, and how soon other processes print that it has reached them. */
import { setTimeout as delay } from 'node:timers/promises'

type Rate = {
  readonly perSecond: number
  /** The number of the first one; the others follow it. */
  readonly first: number
  readonly count: number
}

/** Milliseconds since 1970, by number. */
export type Times = ReadonlyMap<number, number>

/** Begins each on time, whether or not the one before it has ended. Returns the times that they return. */
export const timesOf = async (
  { perSecond, first, count }: Rate,
  work: (number: number) => Promise<number>,
): Promise<Times> => {
  const times = new Map<number, number>()
  const begun = performance.now()
  const running: Promise<unknown>[] = []
  while (running.length < count) {
    await delay(Math.max(0, begun + (running.length * 1000) / perSecond - performance.now()))
    const number = first + running.length
    const one = work(number)
    // Reported below, with the others.
    one.catch(() => undefined)
    running.push(one.then((at) => times.set(number, at)))
  }
  await Promise.all(running)
  return times
}

type Printing = { readonly lines: readonly string[] }

/** Milliseconds from each time to the one that a program printed behind the same number, of those that are there. */
export const latenciesOf = (programs: readonly Printing[], times: Times): number[] =>
  programs.flatMap(({ lines }) =>
    lines.flatMap((line) => {
      const [number = 0, at = 0] = line.split(' ').map(Number)
      const from = times.get(number)
      return from === undefined ? [] : [at - from]
    }),
  )
