/** What a definition says about comments on its records (docs/comments.md). */
import type { Entity } from './catalog.ts'

/** Users who follow a record by what they do, besides those at paths. */
export const followingByDoing = ['$actor', '$mentioned', '$commented'] as const
type FollowingByDoing = (typeof followingByDoing)[number]

export type CommentSettings = {
  /** Whether some of them are for users with a permission of its own. */
  readonly internal: boolean
  /** Paths of the record that end at a user who follows it. */
  readonly paths: readonly string[]
  readonly byDoing: ReadonlySet<FollowingByDoing>
}

const isByDoing = (name: string): name is FollowingByDoing =>
  followingByDoing.some((one) => one === name)

const byDefault = ['$mentioned', '$commented']

/** The settings of an entity whose records have comments; undefined for others. */
export const commentSettings = ({
  definition: { comments },
}: Pick<Entity, 'definition'>): CommentSettings | undefined => {
  if (comments === undefined || comments === false) return undefined
  const { internal = false, follow = byDefault } = comments === true ? {} : comments
  return {
    internal,
    paths: follow.filter((name) => !isByDoing(name)),
    byDoing: new Set(follow.filter(isByDoing)),
  }
}
