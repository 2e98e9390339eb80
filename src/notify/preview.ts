/**
 * Whom an operation of the caller would notify, as far as the caller may know it. Rules are decided by the code
 * that sends; a rule that reads what the caller may not is left out, so that no answer reveals what it read.
 */
import type { Caller } from '../auth/caller.ts'
import type { Sql } from '../database/sql.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { matchRules, sendsNotifications } from '../definitions/notification-rules.ts'
import {
  type NotifiedOperation,
  type PreviewedOperation,
  previewedOperations,
} from '../definitions/operations.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { validationError } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { maxRecordId } from '../http/endpoint/parameters.ts'
import { component, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import type { Issue } from '../issues.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'
import { isOutOfRange } from '../records/write/write-rejected.ts'
import { type DecideDeps, decide, type MatchedUsers } from './decide.ts'
import { knownOf } from './event-values.ts'
import { changesOf } from './imagined-changes.ts'
import {
  isOpenTo,
  maxCounted,
  maxNamed,
  namePeople,
  namingFor,
  peopleProperties,
} from './known-people.ts'
import { findWithoutEmail, type SkipReason } from './recipients.ts'

/** The most records of one preview. */
const maxRecords = 50

type Properties = { readonly required: readonly string[]; readonly optional?: readonly string[] }

/** The properties of the body for each operation. */
const properties: Readonly<Record<PreviewedOperation, Properties>> = {
  create: { required: ['values'] },
  takeOwnership: { required: ['entityIds'] },
  proceedToStep: { required: ['entityIds', 'action'], optional: ['values'] },
  comment: { required: ['entityIds'], optional: ['values'] },
  mention: { required: ['entityIds', 'values'] },
}

const body = checkedBody(
  Type.Object(
    {
      entityKey: Type.String(),
      operation: Type.Enum([...previewedOperations], { type: 'string' }),
      action: Type.Optional(Type.String({ description: 'Key of the action; with proceedToStep.' })),
      entityIds: Type.Optional(
        Type.Array(Type.Integer({ minimum: 1, maximum: maxRecordId }), {
          minItems: 1,
          maxItems: maxRecords,
          description: 'The records; with proceedToStep and takeOwnership.',
        }),
      ),
      values: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              'The fields of the new record, with create: what is missing or refused counts as empty. Those of the form of the action, with proceedToStep: of what is missing or refused a record keeps its own.',
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  {
    approve: {
      value: {
        entityKey: 'purchase_order',
        operation: 'proceedToStep',
        action: 'approve',
        entityIds: [1],
      },
    },
  },
)

const recipientPreview = component(
  'RecipientPreview',
  objectOf({
    records: {
      type: 'integer',
      minimum: 0,
      description: 'How many of the records you may do it with now; the others are left out.',
    },
    count: { type: 'integer', minimum: 0, description: 'Users who would be notified, each once.' },
    emails: { type: 'integer', minimum: 0, description: 'E-mails that they would get.' },
    ...peopleProperties(),
    isPartial: {
      type: 'boolean',
      description:
        'Whether further rules depend on what you may not read; whom they notify is not said.',
    },
  }),
)
export type RecipientPreview = ValueOf<typeof recipientPreview>

/** POST /api/notifications/recipients. */
export const previewEndpoint = endpoint({
  tag: 'Notifications',
  who: 'caller',
  method: 'post',
  path: '/api/notifications/recipients',
  id: 'previewRecipients',
  summary: 'Whom an operation of yours would notify',
  description:
    'As the records are now, with the values; nothing is sent or stored. You need the permission for the operation.',
  body,
  errors: ['caller.forbidden', 'entity.unknown', 'request.no-such-path'],
  answers: { 200: json('How many users, and the names that you may read.', recipientPreview) },
  handle: async ({ caller, body: request }, deps: DecideDeps) => {
    const { entityKey, operation, action = '', entityIds = [] } = request
    const issues = propertyIssues(operation, Object.keys(request))
    if (issues.length > 0) throw validationError('request.invalid', issues)
    const entity = deps.permissions.entityFor(caller, entityKey)
    const values = Object.fromEntries(Object.entries(request.values ?? {}))
    return previewFitting([...new Set(entityIds)], async (ids) => {
      const changes = await changesOf[operation](deps, {
        caller,
        entity,
        action,
        values,
        entityIds: ids,
      })
      return previewRecipients(deps, { caller, entity, operation, ...changes })
    })
  },
})

type Ids = readonly number[]
type Previewed = Awaited<ReturnType<typeof previewRecipients>>

const noRecipients: Previewed = {
  records: 0,
  count: 0,
  emails: 0,
  people: [],
  hasMore: false,
  isPartial: false,
}

/** Records whose calculated fields would not fit are left out, as their writes would be refused. */
const previewFitting = async (
  ids: Ids,
  previewOf: (ids: Ids) => Promise<Previewed>,
): Promise<Previewed> => {
  const preview = await unlessOutOfRange(previewOf(ids))
  if (preview) return preview
  const fitting: number[] = []
  if (ids.length > 1)
    for (const id of ids) if (await unlessOutOfRange(previewOf([id]))) fitting.push(id)
  return (fitting.length > 0 && (await unlessOutOfRange(previewOf(fitting)))) || noRecipients
}

const unlessOutOfRange = async (preview: Promise<Previewed>): Promise<Previewed | undefined> => {
  try {
    return await preview
  } catch (error) {
    if (isOutOfRange(error)) return undefined
    throw error
  }
}

/** Each operation has properties of its own. */
const propertyIssues = (operation: PreviewedOperation, names: readonly string[]): Issue[] => {
  const { required, optional = [] } = properties[operation]
  const all = new Set(Object.values(properties).flatMap((one) => one.required))
  return [...all].flatMap((path) => {
    const isRequired = required.includes(path)
    if (isRequired === names.includes(path) || optional.includes(path)) return []
    const message = isRequired
      ? `is required with the operation "${operation}"`
      : `has no meaning with the operation "${operation}"`
    return [{ path, message }]
  })
}

// Groups of any size may be full of users who are not notified.
const maxExamined = 20_000

type Preview = {
  readonly caller: Caller
  readonly entity: Entity
  readonly operation: string
  /** The changes that the caller would make now. */
  readonly messages: readonly ChangeMessage[]
  /** The row of a record that is not written yet. */
  readonly source?: Sql
}

const previewRecipients = async (deps: DecideDeps, preview: Preview) => {
  const { entity, messages, source } = preview
  const tally = createTally(unseenReasons(deps, preview.caller))
  let isPartial = false
  for (const { rule, matching } of rulesOf(preview)) {
    if (!isOpenTo(deps, preview, rule)) isPartial = true
    else if (!tally.isCut()) {
      const { readUsers } = await decide(deps, { entity, rule, messages: matching, source })
      await tally.add(rule.operation, readUsers(deps.pool))
    }
  }
  return {
    records: messages.length,
    ...(await describe(deps, preview, tally)),
    hasMore: tally.isCut(),
    isPartial,
  }
}

/** The rules that any of the changes matches, with these changes. */
const rulesOf = ({ entity, operation, messages }: Preview) => {
  const { definition } = entity
  const matched = messages.map((message) => ({
    message,
    rules: sendsNotifications(definition)
      ? matchRules(
          definition,
          operation,
          message.action ?? undefined,
          knownOf(entity, message),
        ).map(({ rule }) => rule)
      : [],
  }))
  return [...new Set(matched.flatMap(({ rules }) => rules))].map((rule) => ({
    rule,
    matching: matched.filter(({ rules }) => rules.includes(rule)).map(({ message }) => message),
  }))
}

/** What decides that a user is skipped, by the field of the user that it is read from. */
const reasonsByField: Readonly<Record<string, readonly SkipReason[]>> = {
  is_active: ['inactive'],
  is_blocked: ['blocked'],
  security_role_id: [
    'may not read the record',
    'cannot take the action',
    'may not read internal comments',
  ],
}

/** Whether the caller may read the field of all users. */
const seesOfAll = (
  { catalog, permissions }: Pick<DecideDeps, 'catalog' | 'permissions'>,
  caller: Caller,
  field: string,
): boolean => {
  const users = getEntity(catalog, 'user')
  const column = users.columnsByName.get(field)
  const access = permissions.accessOf(caller)
  return column !== undefined && access.maySee(users, column) && access.readScope(users) === 'all'
}

/** Reasons that the caller may not know: users who are skipped by one of them are counted, so that no number reveals it. */
const unseenReasons = (deps: DecideDeps, caller: Caller): ReadonlySet<SkipReason> =>
  new Set(
    Object.entries(reasonsByField).flatMap(([field, reasons]) =>
      seesOfAll(deps, caller, field) ? [] : reasons,
    ),
  )

/** How often each user is notified, by the operation that they may want no e-mails of. */
type Counts = Map<NotifiedOperation, Map<number, number>>

/** Counts how often each user is notified, up to the limits. */
const createTally = (unseen: ReadonlySet<SkipReason>) => {
  const counts: Counts = new Map()
  const users = new Set<number>()
  let examined = 0
  const isCut = () => users.size > maxCounted || examined > maxExamined
  const add = async (
    operation: NotifiedOperation,
    pages: AsyncIterable<readonly MatchedUsers[]>,
  ) => {
    const ofOperation = counts.get(operation) ?? new Map<number, number>()
    counts.set(operation, ofOperation)
    for await (const page of pages) {
      for (const { id, reason } of page.flatMap(({ users }) => users)) {
        examined++
        if (reason !== null && !unseen.has(reason)) continue
        users.add(id)
        ofOperation.set(id, (ofOperation.get(id) ?? 0) + 1)
      }
      if (isCut()) return
    }
  }
  return { users, counts, isCut, add }
}

const only = <V>(values: ReadonlyMap<number, V>, id: number): ReadonlyMap<number, V> =>
  new Map([...values].filter(([key]) => key === id))

const describe = async (
  { pool, catalog, permissions }: DecideDeps,
  { caller, entity }: Preview,
  { users, counts }: { readonly users: ReadonlySet<number>; readonly counts: Counts },
) => {
  const ids = [...users].slice(0, maxCounted)
  if (ids.length === 0) return { count: 0, emails: 0, people: [] }
  const naming = namingFor({ catalog, permissions }, caller)
  let emails = 0
  for (const [operation, ofOperation] of counts) {
    const told = ids.filter((id) => ofOperation.has(id))
    // Only administrators, who see what was sent, and the user may know who wants no e-mails.
    const found = await findWithoutEmail(pool, { entity: entity.key, operation }, told)
    const without = caller.roleKey === administratorRole ? found : only(found, caller.userId)
    for (const id of told) if (!without.has(id)) emails += ofOperation.get(id) ?? 0
  }
  return {
    count: ids.length,
    emails,
    people: naming ? await namePeople(pool, ids, { ...naming, limit: maxNamed }) : [],
  }
}
