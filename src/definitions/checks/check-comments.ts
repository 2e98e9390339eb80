/** Checks what an entity says about comments, and what roles grant of them. */
import { didYouMean } from '../../did-you-mean.ts'
import { isUnread, pathIssue, resolvePath } from '../association-path.ts'
import type { Catalog, Entity } from '../catalog.ts'
import { commentSettings, followingByDoing } from '../comments.ts'
import { isPartOfRecord } from '../native-entities.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { Permission } from '../schemas/role-definition.ts'
import type { AddFinding } from '../source-file.ts'

/** Findings at the names of users who follow. */
export const checkComments = (
  catalog: Catalog,
  entity: Entity,
  { comments }: EntityDefinition,
  add: AddFinding,
): void => {
  if (comments === undefined) return
  if (isPartOfRecord(entity))
    add(['comments'], `is not possible: a ${entity.key} is itself a part of a record`)
  const follow = typeof comments === 'object' ? (comments.follow ?? []) : []
  for (const [index, name] of follow.entries()) {
    const at = ['comments', 'follow', index]
    if (follow.indexOf(name) < index) add(at, `"${name}" is listed twice`, 'warning')
    if (followingByDoing.some((one) => one === name)) continue
    if (name.startsWith('$')) {
      add(
        at,
        `"${name}" is not one of ${followingByDoing.join(', ')}${didYouMean(name, followingByDoing)}`,
      )
      continue
    }
    const result = resolvePath(catalog, entity, name)
    const wrong = pathIssue(result)
    if (wrong !== undefined) add(at, wrong)
    else if ('path' in result && result.path.column.target !== 'user')
      add(
        at,
        `"${name}" does not end at a user; name a link to one, or ${followingByDoing.join(', ')}`,
      )
  }
}

/** Permissions on comments that grant nothing. */
export const commentRightIssues = (
  catalog: Catalog,
  entity: Entity,
  permission: Permission,
): readonly { readonly right: string; readonly message: string }[] => {
  const settings = commentSettings(entity)
  const { key } = entity
  if (isUnread(catalog, key)) return []
  return [
    ...(permission.comments && !settings
      ? [
          {
            right: 'comments',
            message: `has no effect without "comments" in the definition of ${key}`,
          },
        ]
      : []),
    ...(permission.internalComments && !settings?.internal
      ? [
          {
            right: 'internalComments',
            message: `has no effect without "comments": { "internal": true } in the definition of ${key}`,
          },
        ]
      : []),
  ]
}
