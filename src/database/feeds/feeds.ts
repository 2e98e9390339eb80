/**
 * Where notifications, their counters, mailings and deliveries are: in the database of the records, or on servers of their own, by
 * user (docs/decisions/0082-the-feed-apart.md). Each place is a pool; that of a server of its own knows the pool of the records.
 */
import type { Pool } from '../pool.ts'
import { homeOf } from './rendezvous.ts'

export type Feeds = {
  /** The pools of all places, at least one. */
  readonly all: readonly Pool[]
  /** The names of all places; that of the database of the records is empty. */
  readonly names: readonly string[]
  /** The place of a user. */
  readonly of: (userId: number) => Pool
  /** The place of that name, if there is one. */
  readonly named: (name: string) => Pool | undefined
}

/** The places of these pools. */
export const feedsOn = (...all: readonly Pool[]): Feeds => {
  const byName = new Map(all.map((pool) => [pool.feed, pool]))
  const names = [...byName.keys()]
  const of = (userId: number) => {
    const pool = byName.get(homeOf(names, userId))
    if (!pool) throw new Error('There is no place for notifications.')
    return pool
  }
  return { all, names, of, named: (name) => byName.get(name) }
}

/** Whether a place is a server of its own, whose statements read no records. */
export const isApart = (feed: Pool): boolean => feed.records !== feed

/** Asks all places, and leaves out servers that do not answer; throws if none does. */
export const ofThoseUp = async <T>(
  all: readonly Pool[],
  ask: (feed: Pool) => Promise<T>,
): Promise<T[]> => {
  const asked = await Promise.allSettled(all.map(ask))
  const answers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = asked.find((one) => one.status === 'rejected')
  if (answers.length === 0 && failed) throw failed.reason
  return answers
}
