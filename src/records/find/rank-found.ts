/** Which of the found records are best, and in which order. */
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { displayOf, type Found, matches, type Place } from './find-in-entity.ts'

// Of another field than the name.
const exactRank = matches.length

/** How good a match is, the best 0. */
const rankIn = (place: Place): ((found: Found) => number) => {
  const name = displayOf(place)?.name ?? 'id'
  return ({ field, match }) => matches.indexOf(match) + (field === name ? 0 : exactRank)
}

/** Names in which the text is a larger part come first; of other matches, the name says nothing. */
const lengthOf = ({ display }: Found, rank: number): number =>
  rank < exactRank ? display.length : 0

type Ranked = { readonly one: Found; readonly rank: number; readonly length: number }

const byMatch = (a: Ranked, b: Ranked): number => a.rank - b.rank || a.length - b.length

/**
 * Each record once, the best first: those whose name matches, then those with another field that is the text, then those
 * with such a title or link. The second keep their places if there are more names than the limit.
 */
const rankedIn = (place: Place, found: readonly Found[], limit: number): readonly Ranked[] => {
  const rankOf = rankIn(place)
  const all = found.map((one): Ranked => {
    const rank = rankOf(one)
    return { one, rank, length: lengthOf(one, rank) }
  })
  const once = new Map(
    all.toSorted((a, b) => b.rank - a.rank).map((ranked) => [ranked.one.id, ranked] as const),
  )
  const best = [...once.values()].sort((a, b) => byMatch(a, b) || b.one.id - a.one.id)
  const names = best.filter(({ rank }) => rank < exactRank)
  const exact = best.filter(({ rank }) => rank === exactRank)
  const others = best.filter(({ rank }) => rank > exactRank)
  return [...names.slice(0, Math.max(1, limit - exact.length)), ...exact, ...others].slice(0, limit)
}

/** The best few of each entity, the best of all first. Of equal ones, those of the project come before native ones. */
export const bestOfAll = (
  places: readonly Place[],
  foundIn: ReadonlyMap<string, readonly Found[]>,
  limit: number,
): readonly Found[] =>
  places
    .flatMap((place) =>
      rankedIn(place, foundIn.get(place.entity.key) ?? [], limit).map((ranked) => ({
        ...ranked,
        origin: Number(place.entity.isNative),
      })),
    )
    .toSorted((a, b) => a.rank - b.rank || a.origin - b.origin || byMatch(a, b))
    .map(({ one }) => one)

/** The best records of an entity whose name is the text, or has it at the beginning of words. */
export const namedIn = (
  place: Place,
  found: readonly Found[],
  limit: number,
): ReadonlyMap<number, string> =>
  new Map(
    rankedIn(place, found, limit)
      .filter(({ rank }) => rank <= matches.indexOf('word'))
      .map(({ one }) => [one.id, one.display]),
  )

const orders = new WeakMap<Catalog, ReadonlyMap<string, number>>()

/** How many entities the links of an entity lead to, by its key: an order comes before its lines, which link to it. */
const reachesIn = (catalog: Catalog): ReadonlyMap<string, number> => {
  const known = orders.get(catalog)
  if (known) return known
  const reaches = new Map(
    [...catalog.entities.values()].map((one) => [one.key, reachOf(catalog, one)]),
  )
  orders.set(catalog, reaches)
  return reaches
}

const reachOf = ({ entities }: Catalog, entity: Entity): number => {
  const reached = new Set([entity.key])
  for (const key of reached)
    for (const { target, isSystem } of entities.get(key)?.columns ?? [])
      if (target !== undefined && !isSystem) reached.add(target)
  return reached.size
}

/** The entities of the project before those of the service, and what others link to before them. */
export const inOrder = (catalog: Catalog): readonly Entity[] => {
  const reaches = reachesIn(catalog)
  const reach = ({ key }: Entity) => reaches.get(key) ?? 0
  return [...catalog.entities.values()].sort(
    (a, b) => Number(a.isNative) - Number(b.isNative) || reach(a) - reach(b),
  )
}
