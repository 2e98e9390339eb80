/** What each user may see, by the policies and the definitions of their roles alone; and what an answer shows beyond that. */

import type { Mark, Row, World } from './a-marked-world.ts'
import {
  markerPattern,
  numberPattern,
  type RandomRole,
  type RandomUser,
} from './a-random-rights-project.ts'
import { type Readable, readPoliced } from './row-policies.ts'

export type Sight = {
  readonly user: RandomUser
  /** An API key in place of the token of the user. */
  readonly apiKey?: string
  /** The records of an entity that the user reads, also removed ones. */
  readonly reads: (entity: string, id: number) => boolean
  /** Whether the user sees a field of a record. */
  readonly sees: (entity: string, id: number, field: string) => boolean
  /** Whether the user sees the field of some record. */
  readonly knows: (entity: string, field: string) => boolean
  readonly shows: (mark: Mark) => boolean
  /** The records of an entity that lists have. */
  readonly listed: (entity: string) => readonly Row[]
  /** Those that a permission covers too. */
  readonly covers: (right: string, entity: string, row: Row) => boolean
}

/** A role of the user with what it reads. */
type Grant = { readonly role: RandomRole; readonly readable: Readable }

/** The sights of all users as the rows are now. */
export const readSights = async (world: World): Promise<ReadonlyMap<string, Sight>> => {
  const { project, service, idOf, owned, keys } = world
  const policed = await readPoliced(service.database.pool, { project, idOf, owned })
  const rows = new Map<string, readonly Row[]>()
  for (const key of [...keys, 'user', 'user_group']) rows.set(key, await world.rowsOf(key))
  return new Map(
    project.users.map((user) => {
      const grants = user.roles.flatMap((key) => {
        const role = project.roles.find((one) => one.key === key)
        return role ? [{ role, readable: policed.get(`${user.name} ${key}`) ?? {} }] : []
      })
      return [user.name, sightOf(world, user, grants, rows)]
    }),
  )
}

const sightOf = (
  { idOf, tasks, owned, keys }: World,
  user: RandomUser,
  grants: readonly Grant[],
  rows: ReadonlyMap<string, readonly Row[]>,
): Sight => {
  const userId = idOf(user.name)
  const isHidden = ({ role }: Grant, entity: string, field: string) =>
    role.rights[entity]?.hiddenFields.includes(field) ?? false
  const grantsOf = (entity: string, id: number) =>
    entity === 'user' && id === userId
      ? grants
      : grants.filter(({ readable }) => readable[entity]?.has(id))
  const reads: Sight['reads'] = (entity, id) => grantsOf(entity, id).length > 0
  const sees: Sight['sees'] = (entity, id, field) =>
    grantsOf(entity, id).some((grant) => !isHidden(grant, entity, field))
  const knows: Sight['knows'] = (entity, field) =>
    grants.some(
      (grant) => grant.role.rights[entity]?.read !== false && !isHidden(grant, entity, field),
    )
  const isOwn = (entity: string, row: Row) =>
    row._created_by === userId || (owned.includes(entity) && row._owned_by === userId)
  const covers: Sight['covers'] = (right, entity, row) =>
    grantsOf(entity, row.id).some(({ role }) => {
      const value = role.rights[entity]?.[right]
      return value === true || (value === 'own' && isOwn(entity, row))
    })
  const seesTask = (id: number): boolean => {
    if (grants.some(({ role }) => role.rights.task?.read === true)) return true
    const task = tasks.find((one) => one.id === id)
    if (task?.assignee === user.name) return true
    return (task?.places ?? []).some(({ entity, id: of }) => {
      const row = rows.get(entity)?.find((one) => one.id === of)
      return row !== undefined && covers('tasks', entity, row)
    })
  }
  const seesComment = ({ entity, recordId, isInternal }: Mark & { of: 'comment' }): boolean => {
    if (!reads(entity, recordId)) return false
    return grantsOf(entity, recordId).some(
      ({ role }) => !isInternal || role.rights[entity]?.internalComments === true,
    )
  }
  return {
    user,
    reads,
    sees,
    knows,
    covers,
    listed: (entity) =>
      (rows.get(entity) ?? []).filter((row) => row._is_deleted === false && reads(entity, row.id)),
    shows: (mark) => {
      switch (mark.of) {
        case 'record':
          return sees(mark.entity, mark.id, mark.field)
        case 'task':
          return seesTask(mark.id)
        case 'comment':
          return seesComment(mark)
        case 'view':
          return mark.owner === user.name
        case 'name':
          return keys.some((entity) => grants.some((grant) => !isHidden(grant, entity, mark.field)))
      }
    },
  }
}

/** What an API key of a user shows whose scope has nothing but to read and export these entities. */
export const withinScope = (
  world: World,
  sight: Sight,
  { apiKey, entities }: { readonly apiKey: string; readonly entities: readonly string[] },
): Sight => {
  const userId = world.idOf(sight.user.name)
  const has = (entity: string, id?: number) =>
    entities.includes(entity) || (entity === 'user' && id === userId)
  const sees: Sight['sees'] = (entity, id, field) =>
    has(entity, id) && sight.sees(entity, id, field)
  const knows: Sight['knows'] = (entity, field) => has(entity) && sight.knows(entity, field)
  const reads: Sight['reads'] = (entity, id) => has(entity, id) && sight.reads(entity, id)
  return {
    ...sight,
    apiKey,
    sees,
    knows,
    reads,
    listed: (entity) => (has(entity) ? sight.listed(entity) : []),
    covers: (right, ...of) => right === 'export' && has(of[0]) && sight.covers(right, ...of),
    shows: (mark) => {
      if (mark.of === 'record') return sees(mark.entity, mark.id, mark.field)
      // The scope has no internal ones.
      if (mark.of === 'comment') return !mark.isInternal && reads(mark.entity, mark.recordId)
      return mark.of === 'name' && entities.some((entity) => knows(entity, mark.field))
    },
  }
}

/** The texts that a text may contain in other letters: words of base64, such as cursors, and lines that were folded. */
const unfolded = (text: string): string => {
  const words = text.match(/[\w+/-]{16,}={0,2}/g) ?? []
  const decoded = words.map((word) => Buffer.from(word, 'base64url').toString('latin1'))
  return [text, text.replaceAll(/\r?\n[ \t]?/g, ''), ...decoded].join('\n').toLowerCase()
}

/** What a text shows that a user may not see. */
export const foreignIn = ({ marks }: World, sight: Sight, text: string): string[] => {
  const all = unfolded(text)
  const words = [...(all.match(markerPattern) ?? []), ...(all.match(numberPattern) ?? [])]
  return [...new Set(words)].flatMap((word) => {
    const mark = marks.get(word)
    return mark === undefined || sight.shows(mark) ? [] : [`${word} ${JSON.stringify(mark)}`]
  })
}
