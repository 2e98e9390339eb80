/**
 * Finds records of several entities, with a time limit for each statement and for all: a large table cannot
 * keep the answer from coming.
 */
import { databaseError, isRecoveryConflict } from '../../database/database-errors.ts'
import { type Pool, type Queryable, queryOnce } from '../../database/pool.ts'
import { raw } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import { findByLink, mainLink } from './find-by-link.ts'
import { type Found, findInEntity, type Place } from './find-in-entity.ts'
import { bestOfAll, namedIn } from './rank-found.ts'

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

type Task = {
  readonly place: Place
  readonly run: (connection: Queryable) => Promise<void>
}

type Search = {
  readonly pool: Pool
  /** When it has to be done, by `performance.now()`. */
  readonly end: number
  readonly incomplete: Set<string>
}

export const findInEntities = async (
  pool: Pool,
  places: readonly Place[],
  words: readonly string[],
  limit: number,
): Promise<Finding> => {
  const search = { pool, end: performance.now() + allMs, incomplete: new Set<string>() }
  const foundIn = new Map(places.map(({ entity }) => [entity.key, [] as Found[]]))
  const tasks = places.map((place): Task => {
    const found = foundIn.get(place.entity.key) ?? []
    return { place, run: (connection) => findInEntity(connection, place, words, { limit, found }) }
  })
  await runTasks(search, tasks)
  await runTasks(search, linkTasks(places, foundIn, limit))
  return {
    data: bestOfAll(places, foundIn, limit),
    incomplete: places.map(({ entity }) => entity.key).filter((key) => search.incomplete.has(key)),
  }
}

/** The searches for records that link to those which were found by their names; none where enough were found. */
const linkTasks = (
  places: readonly Place[],
  foundIn: ReadonlyMap<string, Found[]>,
  limit: number,
): readonly Task[] => {
  const names = new Map(
    places.map((place) => [
      place.entity.key,
      namedIn(place, foundIn.get(place.entity.key) ?? [], limit),
    ]),
  )
  return places.flatMap((place): Task[] => {
    const found = foundIn.get(place.entity.key) ?? []
    const link = mainLink(place)
    const linked = names.get(link?.target ?? '')
    if (!link || !linked?.size || new Set(found.map(({ id }) => id)).size >= limit) return []
    const run = async (connection: Queryable) => {
      const options = { link, names: linked, limit: limit + found.length }
      found.push(...(await findByLink(connection, place, options)))
    }
    return [{ place, run }]
  })
}

/** Runs each task within the time limit of a statement, as many as there is time for. */
const runTasks = async (
  { pool, end, incomplete }: Search,
  tasks: readonly Task[],
): Promise<void> => {
  const waiting = [...tasks]
  const next = () => (performance.now() < end ? waiting.shift() : undefined)
  const work = async () => {
    for (let task = next(); task; task = next()) {
      let current = task
      try {
        await transaction(pool, async (connection) => {
          await queryOnce(connection, raw(`SET LOCAL statement_timeout = ${statementMs}`))
          for (let one: Task | undefined = current; one; one = next()) {
            current = one
            await one.run(connection)
          }
        })
      } catch (error) {
        if (!isTooSlow(error)) {
          // Nobody waits for what the other lanes would find.
          waiting.length = 0
          throw error
        }
        incomplete.add(current.place.entity.key)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, tasks.length) }, work))
  for (const { place } of waiting) incomplete.add(place.entity.key)
}

/** Another server may answer what a conflict on a replica has cancelled: that is no matter of the entity. */
const isTooSlow = (error: unknown): boolean => {
  if (isRecoveryConflict(error)) return false
  const code = databaseError(error)?.code
  return code === 'request.too-slow' || code === 'request.contended'
}
