/** What is the same for all records of a rule: its templates, and the paths to read. */
import { ownerPaths, type VisibilityDeps } from '../../auth/visibility.ts'
import { type Catalog, type Entity, getEntity, namedEntity } from '../../definitions/catalog.ts'
import { nativeEntity } from '../../definitions/native-entities.ts'
import type { NotificationRule } from '../../definitions/notification-matching.ts'
import { theActor } from '../../definitions/schemas/notification-rule.ts'
import { actorPaths, addressAt, recordPaths } from '../../outbox/events/event-visibility.ts'
import { type RuleContent, readContent } from '../content/rule-content.ts'
import { pathsOf } from '../content/template-data.ts'

export type RulePlan = {
  readonly entity: Entity
  /** With the names that its notifications have. */
  readonly named: Entity
  readonly rule: NotificationRule
  readonly content: RuleContent
  readonly paths: {
    readonly record: {
      /** The names in the content. */
      readonly named: readonly string[]
      /** The names that deliveries may contain. */
      readonly delivered: readonly string[]
      /** The address that replies go to. */
      readonly replyTo: readonly string[]
      /** Users who are notified. */
      readonly userFields: readonly string[]
      /** The creator and owner of the record, and users who may read it whatever their role. */
      readonly own: readonly string[]
      readonly entitled: readonly string[]
      /** The creators and owners of the linked records. */
      readonly owners: readonly string[]
    }
    readonly actor: readonly string[]
  }
}

const plans = new WeakMap<NotificationRule, RulePlan>()

/** Created once for each rule. */
export const planRule = (
  deps: VisibilityDeps,
  entity: Entity,
  rule: NotificationRule,
): RulePlan => {
  const known = plans.get(rule)
  if (known) return known
  const { catalog } = deps
  const content = readContent(entity, rule, catalog.locale)
  const texts = Object.values(content)
  const named = ['record', 'names'].flatMap((root) => pathsOf(catalog, entity, root, texts))
  const delivered = recordPaths(catalog, entity)
  const replyTo =
    rule.replyTo === undefined || rule.replyTo === theActor ? [] : [addressAt(rule.replyTo)]
  const record = {
    named,
    delivered,
    replyTo,
    userFields: rule.recipient.userFields ?? [],
    own: ['_created_by', ...(entity.hasOwner ? ['_owned_by'] : [])],
    entitled: nativeEntity(entity).entitled ?? [],
    owners: ownerPaths(deps, entity, [...named, ...delivered, ...replyTo]),
  }
  const actor = [...userPaths(catalog, 'actor', content), ...actorPaths, '_created_by']
  const plan = {
    entity,
    rule,
    content,
    paths: { record, actor },
    named: namedEntity(catalog, entity),
  }
  plans.set(rule, plan)
  return plan
}

/** Paths of users that templates read below `actor` or `recipient`. */
export const userPaths = (catalog: Catalog, root: string, content: RuleContent): string[] =>
  pathsOf(catalog, getEntity(catalog, 'user'), root, Object.values(content))
