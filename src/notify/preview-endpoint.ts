/** A preview for every caller: whom an action, a take-over or a new record of the caller would notify. */
import { type NotifiedOperation, notifiedOperations } from '../definitions/operations.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { validationError } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { maxRecordId } from '../http/endpoint/parameters.ts'
import { component, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import type { Issue } from '../issues.ts'
import { isOutOfRange } from '../records/write/write-rejected.ts'
import type { DecideDeps } from './decide.ts'
import { changesOf } from './imagined-changes.ts'
import { peopleProperties } from './known-people.ts'
import { previewRecipients } from './preview.ts'

/** The most records of one preview. */
const maxRecords = 50

type Properties = { readonly required: readonly string[]; readonly optional?: readonly string[] }

/** The properties of the body for each operation. */
const properties: Readonly<Record<NotifiedOperation, Properties>> = {
  create: { required: ['values'] },
  takeOwnership: { required: ['entityIds'] },
  proceedToStep: { required: ['entityIds', 'action'], optional: ['values'] },
}

const body = checkedBody(
  Type.Object(
    {
      entityKey: Type.String(),
      operation: Type.Enum([...notifiedOperations], { type: 'string' }),
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
const propertyIssues = (operation: NotifiedOperation, names: readonly string[]): Issue[] => {
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
