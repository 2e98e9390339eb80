/** A preview for administrators: who would be notified of an event, who would not, and why. */
import { notifiedOperations } from '../definitions/operations.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { validationError } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { maxRecordId } from '../http/endpoint/parameters.ts'
import { json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { storedContent } from '../inbox/inbox-endpoints.ts'
import { readLanguage } from '../inbox/relative-time.ts'
import type { DecideDeps } from './decide.ts'
import { explainNotifications } from './explain.ts'

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
    user: objectOf({ id: { type: 'integer' }, full_name: { type: ['string', 'null'] } }),
    told: { type: 'boolean' },
    reason: { type: ['string', 'null'] },
    fields: {
      type: 'array',
      description: 'The fields of the rule that name the user.',
      items: { type: 'string' },
    },
    groups: {
      type: 'array',
      description: 'Codes of the groups of the rule that the user is in.',
      items: { type: 'string' },
    },
    email: objectOf(
      { told: { type: 'boolean' }, reason: { type: ['string', 'null'] } },
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
    action: { type: ['string', 'null'] },
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
    'For administrators. As if you, or another user, did it now; nothing is sent or stored.',
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
