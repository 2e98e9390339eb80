/** Entries of the audit as the OpenAPI document describes them (docs/audit.md). */
import { type AuditKind, auditKindNames, auditKinds } from '../../audit/audit-kinds.ts'
import { type RecordOperation, recordOperations } from '../../definitions/operations.ts'
import { component, objectOf, type ValueOf } from '../../http/openapi/operation.ts'
import { historyEntry, namedUserOr } from '../../records/history.ts'

/** What an entry tells of: operations of records, and events. */
export const entryKinds: readonly (RecordOperation | AuditKind)[] = [
  // One that is both is in the history of its record, and an event.
  ...new Set<RecordOperation | AuditKind>([...recordOperations, ...auditKindNames]),
]

const kindsInWords = Object.entries(auditKinds)
  .map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)
  .join(' ')

const text = { type: ['string', 'null'] } as const
const integer = { type: ['integer', 'null'] } as const
const { task_id, part, action, comment } = historyEntry.properties

export const auditEntry = component(
  'AuditEntry',
  objectOf({
    id: {
      type: 'string',
      description: '`h` and the id of an entry of the history, or `e` and the id of an event.',
      examples: ['h40', 'e12'],
    },
    at: { type: 'string', format: 'date-time' },
    kind: {
      type: 'string',
      description: `An operation of a record, as in its history, or an event. ${kindsInWords}`,
    },
    user: namedUserOr(
      'Who did it; null: the service, the command line, or a person who is not known. The name is null for callers who may not read the user.',
    ),
    acting_user: namedUserOr('Who really acted, as `user`; null: `user` themselves.'),
    about_user: namedUserOr('The user whom an event concerns.'),
    entity: { ...text, description: 'Key of the entity.' },
    entity_id: { ...integer, description: 'Id of the record.' },
    task_id,
    part,
    session_id: { ...integer, description: 'Of a browser that signed in, or was signed out.' },
    address: { ...text, description: 'From where the request of an event came.' },
    user_agent: { ...text, description: 'How its browser names itself.' },
    times: { type: 'integer', description: 'How often; more than once only for refused sign-ins.' },
    detail: {
      type: ['object', 'null'],
      description: 'Of an event: what its kind says. Never a secret.',
      additionalProperties: true,
    },
    changes: {
      ...historyEntry.properties.changes,
      type: ['object', 'null'],
      description:
        'Of an operation of a record: the changed fields, without those that the caller may not see; null if the caller may not read the record.',
    },
    action,
    comment,
  }),
)

export type AuditEntry = ValueOf<typeof auditEntry>
