/**
 * Finds records of several entities, with a time limit for each statement and for all: a large table cannot
 * keep the answer from coming.
 */
import { databaseError } from '../../database/database-errors.ts'
import { type Pool, queryOnce } from '../../database/pool.ts'
import { raw } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import { bestOf, type Found, findInEntity, type Place, rankIn } from './find-in-entity.ts'

const statementMs = 300
const allMs = 2000
/** Connections that one request uses at the same time. */
const lanes = 2

export type Finding = {
  /** The best first. */
  readonly data: readonly Found[]
  /** Keys of the entities that were not searched to the end. */
  readonly incomplete: readonly string[]
}

export const findInEntities = async (
  pool: Pool,
  places: readonly Place[],
  words: readonly string[],
  limit: number,
): Promise<Finding> => {
  const waiting = [...places]
  const incomplete = new Set<string>()
  const foundIn = new Map(places.map(({ entity }) => [entity.key, [] as Found[]]))
  const end = performance.now() + allMs
  const next = () => (performance.now() < end ? waiting.shift() : undefined)
  const work = async () => {
    for (let place = next(); place; place = next()) {
      let current = place
      try {
        await transaction(pool, async (connection) => {
          await queryOnce(connection, raw(`SET LOCAL statement_timeout = ${statementMs}`))
          for (let one: Place | undefined = current; one; one = next()) {
            current = one
            const found = foundIn.get(one.entity.key) ?? []
            await findInEntity(connection, one, words, { limit, found })
          }
        })
      } catch (error) {
        if (!isTooSlow(error)) throw error
        incomplete.add(current.entity.key)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, work))
  for (const { entity } of waiting) incomplete.add(entity.key)
  const data = places.flatMap((place) => {
    const rank = rankIn(place)
    const best = bestOf(place, foundIn.get(place.entity.key) ?? [], limit)
    return best.map((one) => ({ one, rank: rank(one) }))
  })
  return {
    data: data.toSorted((a, b) => a.rank - b.rank).map(({ one }) => one),
    incomplete: places.map(({ entity }) => entity.key).filter((key) => incomplete.has(key)),
  }
}

const isTooSlow = (error: unknown): boolean => {
  const code = databaseError(error)?.code
  return code === 'request.too-slow' || code === 'request.contended'
}
