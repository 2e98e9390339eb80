/**
 * What one notification entry makes of one change: whether it applies, the data of its templates and
 * the users that it names. Sending and explaining both begin here.
 */

import type { Permissions } from '../auth/permissions.ts'
import type { Pool } from '../database/pool.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import type { MatchedEntry } from '../definitions/notification-matching.ts'
import type { MailingData } from '../email/delivery.ts'
import type { Condition } from '../query/criteria.ts'
import { parseWhere } from '../query/parse-criteria.ts'
import type { ChangeMessage } from '../records/after-change.ts'
import { type EntryContent, readContent } from './entry-content.ts'
import type { TemplateData } from './render-content.ts'
import type { RecipientWish } from './resolve-recipients.ts'
import { loadPaths, nest, pathsOf } from './template-data.ts'

/** What the engine works with. */
export type EngineParts = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  /** The zone in which times without an offset are read. */
  readonly timeZone: string
}

/** The entry, ready to be told: everything but the recipients themselves. */
export type Notice = {
  readonly content: EntryContent
  readonly data: Omit<TemplateData, 'recipient'>
  readonly wish: RecipientWish
  /** What templates of e-mails read beside the recipient. */
  readonly mail: MailingData
}

/** Undefined where the record is gone or the entry's condition does not hold. */
export const prepareNotice = async (
  parts: EngineParts,
  entity: Entity,
  { entry }: MatchedEntry,
  message: ChangeMessage,
): Promise<Notice | undefined> => {
  const { pool, catalog, permissions, timeZone } = parts
  const content = readContent(entity, entry)
  const templates = Object.values(content)
  const userFields = entry.recipient.userFields ?? []
  const own = ['_created_by', ...(entity.hasOwner ? ['_owned_by'] : [])]
  const named = pathsOf(catalog, entity, 'record', templates)
  const mailed = mailPaths(catalog, entity)
  const [record] = await loadPaths(pool, {
    catalog,
    entity,
    where: both(idIs(message.entity_id), entry.condition),
    paths: [...new Set([...named, ...userFields, ...own, ...mailed])],
    timeZone,
  })
  if (!record) return undefined
  const users = (paths: readonly string[]) =>
    paths.map((path) => record.get(path)).filter((id) => typeof id === 'number')
  const pick = (paths: readonly string[]) =>
    nest(new Map(paths.map((path) => [path, record.get(path)])))
  const common = {
    entity: { key: entity.key, name: entity.name },
    action: describeAction(entity, message),
    comment: message.comment,
  }
  const actorPaths = [...new Set([...pathsOfUser(catalog, 'actor', content), ...actorMailed])]
  const actor = await loadUser(parts, message.actor_id, actorPaths)
  return {
    content,
    data: { ...common, record: pick(named), actor },
    mail: { ...common, record: pick(mailed), actor },
    wish: {
      recipient: entry.recipient,
      fieldUsers: users(userFields),
      actorId: message.actor_id,
      ownUsers: users(own),
      readers: permissions.readersOf(entity),
    },
  }
}

// What an e-mail may say of who acted, whatever its template.
export const actorMailed: readonly string[] = ['id', 'full_name', 'email']

/** Every field of the record, and of each record that it links to what a person calls it. */
export const mailPaths = (catalog: Catalog, entity: Entity): string[] => {
  const links = [...entity.associations].flatMap(([key, { target }]) => {
    const display = catalog.entities.get(target ?? '')?.definition.displayField
    return display === undefined ? [] : [`${key}.${display}`]
  })
  return [...entity.columns.map(({ name }) => name), ...links]
}

/** Paths of users that templates read below `actor` or `recipient`. */
export const pathsOfUser = (catalog: Catalog, root: string, content: EntryContent): string[] =>
  pathsOf(catalog, getEntity(catalog, 'user'), root, Object.values(content))

const loadUser = async (
  { pool, catalog, timeZone }: EngineParts,
  id: number,
  paths: readonly string[],
): Promise<object> => {
  if (paths.length === 0) return {}
  const entity = getEntity(catalog, 'user')
  const [user] = await loadPaths(pool, {
    catalog,
    entity,
    where: withRemoved(idIs(id)),
    paths,
    timeZone,
  })
  return user ? nest(user) : {}
}

const idIs = (id: number): Condition => ({
  kind: 'compare',
  field: 'id',
  operator: '$eq',
  value: id,
  at: 'id',
})

/** The condition for users who may have been removed since; their names stay. */
export const withRemoved = (condition: Condition): Condition => ({
  kind: 'and',
  conditions: [
    condition,
    { kind: 'compare', field: '_is_deleted', operator: '$null', value: false, at: '_is_deleted' },
  ],
})

const both = (condition: Condition, where: unknown): Condition => {
  if (where === undefined) return condition
  // The definition was checked, so it has no mistakes of shape.
  const { condition: more } = parseWhere(where, '$where')
  return more ? { kind: 'and', conditions: [condition, more] } : condition
}

const describeAction = (entity: Entity, { action }: ChangeMessage): object => {
  if (!action) return {}
  const steps = entity.definition.workflow?.steps ?? []
  const nameOf = (key: string) => steps.find((step) => step.key === key)?.name ?? key
  const taken = steps
    .find((step) => step.key === action.from)
    ?.actions?.find(({ key }) => key === action.key)
  return {
    ...action,
    name: taken?.name ?? action.key,
    from_name: nameOf(action.from),
    to_name: nameOf(action.to),
  }
}
