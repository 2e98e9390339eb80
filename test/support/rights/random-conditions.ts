/** Random conditions of reading, of every kind that a role may have, over the entities of a random catalogue. */
import type { Random } from '../fuzz/random.ts'

/** Criteria as a role has them. */
export type Where = Readonly<Record<string, unknown>>

/** What a condition can name of an entity. */
export type Shape = {
  readonly key: string
  /** Its links by their fields, and the entities that they lead to. */
  readonly links: Readonly<Record<string, string>>
  /** Its one-to-many fields, each with the entity and the link of its records. */
  readonly lists: Readonly<Record<string, { readonly entity: string; readonly mappedBy: string }>>
}

type Place = {
  readonly random: Random
  readonly entity: Shape
  /** Entities whose records the role reads some or all of: `$readable` may lead to them. */
  readonly readable: readonly string[]
  /** A number that the role may hide: its name must not be told by the condition either. */
  readonly secret: string
}

export const levels = 4
export const kinds = ['plain', 'urgent', 'late'] as const

/** Comparisons with values; of any entity of the catalogue, so that they may stand behind links. */
const plain = ({ random, secret }: Place): Where =>
  random.pick<() => Where>([
    () => ({ level: { [random.pick(['$eq', '$ne', '$gte', '$lt'])]: random.below(levels) } }),
    () => ({ level: { [random.pick(['$in', '$nin'])]: [random.below(levels), null] } }),
    () => ({ level: { $null: random.chance(0.3) } }),
    () => ({ is_on: { [random.pick(['$eq', '$ne'])]: random.chance(0.7) } }),
    () => ({ kind: { $in: [random.pick(kinds), random.pick(kinds)] } }),
    () => ({ due_on: { [random.pick(['$gt', '$lte'])]: { $today: 0 } } }),
    () => ({ [secret]: { $gte: '500000000' } }),
    () => ({ _step: random.pick(['open', 'open', 'done']) }),
  ])()

/** A comparison with the user, or with a list of theirs. */
const ofCaller = ({ random, entity: { links } }: Place): Where => {
  const of = (target: string) => Object.keys(links).filter((key) => links[key] === target)
  const same = Object.keys(links).filter((key) => links[key] === 'e0')
  return random.pick<() => Where>([
    () => ({ _created_by: { $caller: 'id' } }),
    () => ({ holder: { [random.pick(['$eq', '$eq', '$ne'])]: { $caller: 'id' } } }),
    () => ({ level: { [random.pick(['$eq', '$lte'])]: { $caller: 'rank' } } }),
    () => ({ level: { $lte: { $caller: 'home.level' } } }),
    () => ({ team: { $in: { $caller: 'groups.user_group' } } }),
    () => ({ 'team.name': { $in: { $caller: 'groups.user_group.name' } } }),
    () => ({ level: { $in: { $caller: 'held.level' } } }),
    ...same.map((link) => () => ({ [link]: { $caller: 'home' } })),
    ...of('user').map((link) => () => ({ [`${link}.rank`]: { $lte: { $caller: 'rank' } } })),
  ])()
}

/** A comparison over a link of the record. */
const overLinks = (place: Place): Where => {
  const { random, entity, readable } = place
  const link = random.pick(['up', 'peer'].filter((key) => key in entity.links))
  const through = (where: Where): Where =>
    Object.fromEntries(Object.entries(where).map(([path, value]) => [`${link}.${path}`, value]))
  if (link === 'up' && readable.includes(entity.links.up ?? '') && random.chance(0.6))
    return { up: { $readable: true } }
  return random.pick<() => Where>([
    () => through(plain(place)),
    () => through({ holder: { $caller: 'id' } }),
    () => ({ level: { [random.pick(['$lt', '$gte', '$ne'])]: { $field: `${link}.level` } } }),
  ])()
}

/** What records of a one-to-many field meet. */
const overLists = (place: Place): Where => {
  const { random, entity } = place
  const [list] = Object.keys(entity.lists)
  if (list === undefined) return overLinks(place)
  const isSome = random.chance(0.7)
  const within = random.pick<() => Where>([
    () => plain(place),
    () => ({}),
    () => (isSome ? { holder: { $caller: 'id' } } : { _is_deleted: true }),
    () => ({ $or: [plain(place), plain(place)] }),
    () => ({ level: { $gt: { $field: 'up.level' } } }),
  ])()
  return { [list]: { [isSome ? '$some' : '$none']: within } }
}

/** A condition of up to three comparisons. */
export const randomCondition = (place: Place): Where => {
  const { random } = place
  const one = () => random.pick([plain, ofCaller, ofCaller, overLinks, overLinks, overLists])(place)
  return random.pick<() => Where>([
    one,
    one,
    () => ({ $or: [one(), one()] }),
    () => ({ $or: [one(), { $and: [one(), plain(place)] }] }),
    () => ({ $and: [one(), { $not: plain(place) }] }),
    () => ({ $or: [one(), { $not: { $or: [plain(place), plain(place)] } }] }),
  ])()
}
