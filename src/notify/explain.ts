/** Explains to administrators whom an operation would notify, and why or why not; nothing is sent or stored. */
import type { Values } from '../auth/readable-values.ts'
import type { Pool } from '../database/pool.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import {
  matchRules,
  type NotificationRule,
  sendsNotifications,
  type TakenAction,
} from '../definitions/notification-rules.ts'
import {
  commentOperations,
  type NotifiedOperation,
  notifiedOperations,
} from '../definitions/operations.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { errorText, validationError } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { maxRecordId } from '../http/endpoint/parameters.ts'
import { json, objectOf, textOrNull, type ValueOf } from '../http/openapi/operation.ts'
import { storedContent } from '../inbox/inbox-endpoints.ts'
import { contentOf } from '../inbox/notification.ts'
import { readLanguage } from '../inbox/relative-time.ts'
import { shorten } from '../issues.ts'
import { unknownRecord } from '../records/read-records.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'
import { readReadings } from '../users/user-readings.ts'
import { findStepKey, findTarget, type StandingRecord } from '../workflow/action-kinds.ts'
import type { RenderedContent } from './content.ts'
import { type DecideDeps, decide, type RuleMatch, withRemoved } from './decide.ts'
import { byId, idIn, loadPaths } from './event-values.ts'
import { findFollowers, followReasons } from './followers.ts'
import { imagineChange, rowsAfter, unknownAction } from './imagined-changes.ts'
import { createRenderer, loadUsers } from './recipient-contents.ts'
import { findMemberships, findWithoutEmail, type NamedUser } from './recipients.ts'

export type ExplainDeps = DecideDeps & {
  /** The language if the caller requests none that is available. */
  readonly locale: string
}

const userId = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: maxRecordId, description }))

const body = checkedBody(
  Type.Object(
    {
      entityKey: Type.String(),
      entityId: Type.Integer({ minimum: 1, maximum: maxRecordId }),
      operation: Type.Enum([...notifiedOperations], { type: 'string' }),
      action: Type.Optional(Type.String({ description: 'Key of the action; with proceedToStep.' })),
      actorId: userId('The user who would do it; without it the caller.'),
      userId: userId('Only this user, of whomever a rule names.'),
    },
    { additionalProperties: false },
  ),
  {
    approve: {
      value: {
        entityKey: 'purchase_order',
        entityId: 1,
        operation: 'proceedToStep',
        action: 'approve',
      },
    },
  },
)

const recipient = objectOf(
  {
    user: objectOf({ id: { type: 'integer' }, full_name: textOrNull }),
    told: { type: 'boolean' },
    reason: textOrNull,
    fields: {
      type: 'array',
      description: 'The fields of the rule that name the user.',
      items: { type: 'string' },
    },
    follows: {
      type: ['string', 'null'],
      enum: [...followReasons, null],
      description: 'Why the user follows the record, of a rule for followers.',
    },
    groups: {
      type: 'array',
      description: 'Codes of the groups of the rule that the user is in.',
      items: { type: 'string' },
    },
    email: objectOf(
      { told: { type: 'boolean' }, reason: textOrNull },
      { description: 'Whether an e-mail is sent too; for users who are told.' },
    ),
    content: storedContent,
    unread_due_date: {
      type: 'string',
      description: 'What `due_date` renders to, if that is no date: then nothing is due.',
    },
    fault: { type: 'string', description: 'Why its templates fail.' },
  },
  { required: ['user', 'told', 'reason', 'fields', 'groups'] },
)

const entry = objectOf(
  {
    index: { type: 'integer' },
    operation: { type: 'string' },
    action: textOrNull,
    matches: { type: 'boolean' },
    reason: { type: 'string', description: 'Why it does not match.' },
    count: { type: 'integer', description: 'Users who are named.' },
    missingGroups: {
      type: 'array',
      description: 'Codes that no group has; the message fails until one has.',
      items: { type: 'string' },
    },
    recipients: {
      type: 'array',
      description: 'The first 100 of them, or the user of `userId` if the rule names them.',
      items: recipient,
    },
  },
  { required: ['index', 'operation', 'action', 'matches'] },
)

const explanation = objectOf({
  isActive: {
    type: 'boolean',
    description: 'Whether the definition has the hook that sends notifications.',
  },
  entries: { type: 'array', items: entry },
})
export type ExplainedRecipient = ValueOf<typeof recipient>
export type ExplainedEntry = ValueOf<typeof entry>
export type Explanation = ValueOf<typeof explanation>

/** POST /api/notifications/explain. */
export const explainEndpoint = endpoint({
  tag: 'Notifications',
  who: 'administrator',
  method: 'post',
  path: '/api/notifications/explain',
  id: 'explainNotifications',
  summary: 'Who would be notified, and why or why not',
  description:
    'For administrators. As if you, or another user, did it now; nothing is sent or stored. Of `change`, every rule is asked whose condition holds now, whatever was before; of `date`, as if the date were due now.',
  body,
  errors: ['entity.unknown', 'record.unknown'],
  answers: { 200: json('Every rule of the definition, with the users it names.', explanation) },
  handle: (call, deps: ExplainDeps) => {
    const { operation, action, userId } = call.body
    const issue = actionIssue(operation, action)
    if (issue !== undefined)
      throw validationError('request.invalid', [{ path: 'action', message: issue }])
    call.reply.header('Vary', 'Accept-Language')
    const language = readLanguage(call.request.headers['accept-language'], deps.locale)
    const actorId = call.body.actorId ?? call.caller.userId
    return explainNotifications(deps, { ...call.body, action, actorId, userId, language })
  },
})

const actionIssue = (operation: string, action: string | undefined): string | undefined => {
  if (operation === 'proceedToStep' && action === undefined)
    return 'must be the key of an action, which "proceedToStep" needs'
  if (operation !== 'proceedToStep' && action !== undefined)
    return `has no meaning with the operation "${operation}"`
  return undefined
}

type ExplainRequest = {
  readonly entityKey: string
  readonly entityId: number
  readonly operation: NotifiedOperation
  /** Key of the action; only with `proceedToStep`. */
  readonly action: string | undefined
  readonly actorId: number
  /** Of due dates. */
  readonly language: string
  /** Only this user. */
  readonly userId: number | undefined
}

/** Every rule of the definition, with its effect. */
const explainNotifications = async (deps: DecideDeps, request: ExplainRequest) => {
  const entity = getEntity(deps.catalog, request.entityKey)
  const { notifications = [] } = entity.definition
  const message = await imagine(deps, entity, request)
  const matched = matchRules(entity.definition, request.operation, message.action ?? undefined, {
    changed: alwaysChanged[request.operation],
  })
  const indexes = new Set(matched.map(({ index }) => index))
  const entries = []
  for (const [index, rule] of notifications.entries()) {
    const effect = indexes.has(index)
      ? await explainRule(deps, { entity, rule, message, request })
      : { matches: false, reason: 'another operation or action' }
    entries.push({ index, operation: rule.operation, action: rule.action ?? null, ...effect })
  }
  return { isActive: sendsNotifications(entity.definition), entries }
}

/** What an operation changes whatever its form has; of a change, it is not known. */
const alwaysChanged: Readonly<Partial<Record<NotifiedOperation, readonly string[]>>> = {
  takeOwnership: ['_owned_by'],
  proceedToStep: ['_step'],
}

type RuleRequest = {
  readonly entity: Entity
  readonly rule: NotificationRule
  readonly message: ChangeMessage
  readonly request: ExplainRequest
}

/** Whom a rule names by what, who is skipped and why, and what the others read. */
const explainRule = async (deps: DecideDeps, { entity, rule, message, request }: RuleRequest) => {
  const { pool } = deps
  const source = rowAfter(entity, message)
  const { matches, groups, readUsers } = await decide(deps, {
    entity,
    rule,
    messages: [message],
    source,
  })
  const [match] = matches
  if (!match) return { matches: false, reason: 'its condition is not met' }
  const { named, count } = await readFirst(readUsers(pool), request.userId)
  const ids = named.map(({ id }) => id)
  const users = byId(
    await loadUsers(deps, match.contentIn(deps.catalog), withRemoved(idIn(ids)), ['full_name']),
  )
  const fieldsOf = await readNamingFields(deps, match)
  const memberships = await findMemberships(pool, groups.ids, ids)
  const following = rule.recipient.followers
    ? await findFollowers(deps, entity, message.entity_id, ids)
    : undefined
  const notifiedIds = named.filter(({ reason }) => reason === null).map(({ id }) => id)
  const kind = { entity: entity.key, operation: rule.operation }
  const withoutEmail = await findWithoutEmail(pool, kind, notifiedIds)
  const render = createRenderer(deps, match)
  const readings = await readReadings(pool, deps, notifiedIds)
  const recipients = named.map(({ id, reason, role, reach }) => {
    const user: Values = users.get(id) ?? new Map()
    const base = {
      user: { id, full_name: (user.get('full_name') ?? null) as string | null },
      told: reason === null,
      reason,
      fields: fieldsOf(id),
      ...(following && { follows: following.get(id)?.reason ?? null }),
      groups: memberships.get(id) ?? [],
    }
    if (reason !== null) return base
    const noEmail = withoutEmail.get(id) ?? null
    return {
      ...base,
      email: { told: noEmail === null, reason: noEmail },
      ...tryContent(deps, request.language, () =>
        render({ userId: id, roleKey: role ?? '', reach }, user, readings(id)),
      ),
    }
  })
  return { matches: true, count, missingGroups: groups.missing, recipients }
}

// A group may have any number of members; an explanation is read by a person.
const maxRecipients = 100

/** The first users whom the rule names, or only the requested one; and how many it names. */
const readFirst = async (
  pages: ReturnType<Awaited<ReturnType<typeof decide>>['readUsers']>,
  userId: number | undefined,
) => {
  const named: NamedUser[] = []
  let count = 0
  for await (const page of pages)
    for (const { users } of page) {
      const requested = userId === undefined ? users : users.filter(({ id }) => id === userId)
      named.push(...requested.slice(0, maxRecipients - named.length))
      count += users.length
    }
  return { named, count }
}

/** By which of its fields the rule names a user. */
const readNamingFields = async (
  { pool, catalog, timeZone }: DecideDeps,
  { entity, message, rule }: RuleMatch,
) => {
  const fields = rule.recipient.userFields ?? []
  const [record] = await loadPaths(pool, {
    catalog,
    entity,
    timeZone,
    where: idIn([message.entity_id]),
    paths: ['id', ...fields],
  })
  return (userId: number) => fields.filter((path) => record?.get(path) === userId)
}

/** The content as the user would read it, or why its templates fail. */
const tryContent = ({ timeZone }: DecideDeps, language: string, render: () => RenderedContent) => {
  try {
    const { content, unreadDueDate } = render()
    return {
      content: contentOf(content, { language, timeZone }),
      ...(unreadDueDate !== undefined && { unread_due_date: shorten(unreadDueDate) }),
    }
  } catch (error) {
    return { fault: errorText(error) }
  }
}

/** The record with the step that an action would give it. */
const rowAfter = (entity: Entity, { entity_id: id, actor_id, action }: ChangeMessage) =>
  action
    ? rowsAfter(entity, [{ id, values: { _step: action.to, _updated_by: actor_id } }])
    : undefined

/** The message that the operation would write if the actor did it now. */
const imagine = async (
  { pool }: DecideDeps,
  entity: Entity,
  { entityId, operation, action, actorId, userId: mentionedId }: ExplainRequest,
): Promise<ChangeMessage> => {
  const step = await findStepKey(pool, entity, entityId)
  if (step === undefined) throw unknownRecord(entity, entityId)
  const taken =
    operation === 'proceedToStep'
      ? await findAction(pool, entity, { id: entityId, step }, action ?? '')
      : null
  const isOfComments = commentOperations.some((one) => one === operation)
  const mentioned = mentionedId === undefined ? [] : [mentionedId]
  return {
    ...imagineChange({
      entity_key: entity.key,
      entity_id: entityId,
      operation,
      action: taken,
      actor_id: actorId,
    }),
    ...(isOfComments && { said: { comment_id: null, mentioned } }),
  }
}

/** The action of a key, from the record's step if it is open there. */
const findAction = async (
  pool: Pool,
  entity: Entity,
  { id, step }: StandingRecord,
  key: string,
): Promise<TakenAction> => {
  const actions = (entity.definition.workflow?.steps ?? []).flatMap((from) =>
    (from.actions ?? []).map((action) => ({ ...action, action, from: from.key })),
  )
  const named = actions.filter((action) => action.key === key)
  const found = named.find(({ from }) => from === step) ?? named[0]
  if (found) {
    const { kind, form, from, action } = found
    // If it leads nowhere now, the record stays in its step.
    const to = (await findTarget(pool, entity, { id, step: from }, action)) ?? from
    return { key, kind, form, from, to }
  }
  throw unknownAction(entity, key)
}
