/** Checks that no path shows what a role may not read, for the catalogue and the rows of a seed. */
import assert from 'node:assert/strict'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { startWorld, type World } from './a-marked-world.ts'
import { pathsWithoutRow } from './asked-paths.ts'
import { checkCalendar, checkNotifications, checkStreams } from './checked-messages.ts'
import { type Asking, checkReads, checkWrites } from './checked-paths.ts'
import { checkLists } from './compared-lists.ts'
import { foreignIn, readSights, type Sight, withinScope } from './sights.ts'

type Outcome = {
  /** How many answers, e-mails and streams were looked at. */
  readonly count: number
  readonly faults: readonly string[]
}

/** Asks a share of all requests, from 0 to 1, and each path of the service. */
export const checkRights = async (seed: number, share: number): Promise<Outcome> => {
  const world = await startWorld(seed)
  assert.deepEqual(
    await pathsWithoutRow(world),
    [],
    'These paths have no row in test/support/rights/asked-paths.ts: add one that says how they could show a record.',
  )
  await assertShown(world)
  const asking: Asking = { count: 0, faults: [], share }
  const sights = await readSights(world)
  for (const sight of sights.values()) await checkLists(world, asking, sight)
  await checkNotifications(world, asking)
  await checkStreams(world, asking)
  for (const sight of sights.values()) {
    await checkCalendar(world, asking, sight)
    await checkReads(world, asking, sight)
  }
  await checkScope(world, asking, sights)
  for (const name of sights.keys()) await checkWrites(world, asking, name)
  await world.stop()
  return asking
}

/** Of the user who reads the most records, a key with a scope that has every other entity. */
const checkScope = async (
  world: World,
  asking: Asking,
  sights: ReadonlyMap<string, Sight>,
): Promise<void> => {
  const countOf = (sight: Sight) => world.keys.flatMap((key) => sight.listed(key)).length
  const [sight] = [...sights.values()].sort((a, b) => countOf(b) - countOf(a))
  assert.ok(sight)
  const entities = world.keys.filter((_, at) => at % 2 === 0)
  const scope = entities.map((key) => `${key}:read,export`).join(';')
  const userId = world.idOf(sight.user.name)
  const { key } = await createApiKey(world.service.database.pool, { userId, name: 'scoped', scope })
  await checkReads(world, asking, withinScope(world, sight, { apiKey: key, entities }))
}

/** Administrators get what users must not: else nothing would be proved. */
const assertShown = async (world: World) => {
  const sights = [...(await readSights(world)).values()]
  const lists = await Promise.all(
    world.keys.map(async (key) => (await world.ask('GET', `/${key}?limit=100`)).text),
  )
  for (const sight of sights)
    assert.ok(foreignIn(world, sight, lists.join('\n')).length > 0, 'A user may see everything.')
  assert.ok(sights.some((sight) => world.keys.some((key) => sight.listed(key).length > 0)))
}
