/** Who would be told of an event, who not and why: for administrators, beforehand. */
import { administratorRole } from '../../definitions/checks/check-role.ts'
import { notifiedOperations } from '../../definitions/operations.ts'
import { kindOf } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { apiError, validationError } from '../../errors.ts'
import { callerOf } from '../../http/caller-of.ts'
import { readQuery } from '../../http/query-parameters.ts'
import type { Routes } from '../../http/server.ts'
import { addIssue, type Issue } from '../../issues.ts'
import { readLanguage } from '../inbox/notification-due-date.ts'
import { type ExplainRequest, explainNotifications } from './explain-notifications.ts'
import type { EngineDeps } from './notice.ts'

type ExplainDeps = EngineDeps & {
  /** Language of callers who ask for none that exists. */
  readonly locale: string
}

/** Mounts POST /api/notifications/explain. */
export const explainRoutes =
  (deps: ExplainDeps): Routes =>
  (server) => {
    server.post('/api/notifications/explain', async (request, reply) => {
      const caller = callerOf(request)
      readQuery(request.query, {})
      if (caller.roleKey !== administratorRole)
        throw apiError('caller.forbidden', 'Only administrators see who would be told.')
      const language = readLanguage(request.headers['accept-language'], deps.locale)
      reply.header('Vary', 'Accept-Language')
      const wish = readWish(request.body)
      return explainNotifications(deps, { ...wish, actorId: caller.userId, language })
    })
  }

const properties = ['entityKey', 'entityId', 'operation', 'action']

/** Throws request.invalid with every issue. */
const readWish = (body: unknown): Omit<ExplainRequest, 'actorId' | 'language'> => {
  const issues: Issue[] = []
  const wrong = (path: string, message: string, hint?: () => string) =>
    addIssue(issues, { path, message }, hint)
  const given = isObject(body) ? body : {}
  if (!isObject(body)) wrong('', `must be an object, not ${kindOf(body)}`)
  for (const name of Object.keys(given))
    if (!properties.includes(name))
      wrong(name, 'is not taken here', () => didYouMean(name, properties))
  const { entityKey, entityId, operation, action } = given
  if (typeof entityKey !== 'string') wrong('entityKey', 'must be the key of an entity')
  const isId = typeof entityId === 'number' && Number.isInteger(entityId) && entityId >= 1
  if (!isId || entityId > 2_147_483_647) wrong('entityId', 'must be the id of a record')
  const known = notifiedOperations.find((one) => one === operation)
  if (!known) wrong('operation', `must be one of ${notifiedOperations.join(', ')}`)
  if (known === 'proceedToStep' && typeof action !== 'string')
    wrong('action', 'must be the key of an action, which "proceedToStep" needs')
  if (known !== undefined && known !== 'proceedToStep' && action !== undefined)
    wrong('action', `has no meaning with the operation "${known}"`)
  if (issues.length > 0 || !known) throw validationError('request.invalid', issues)
  return {
    entityKey: String(entityKey),
    entityId: Number(entityId),
    operation: known,
    action: action === undefined ? undefined : String(action),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
