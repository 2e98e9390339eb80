/** Everything that the service serves over HTTP: what is mounted, and what the OpenAPI document describes. */
import { bulkSection } from '../bulk/endpoint.ts'
import { commentEndpoints } from '../comments/endpoints.ts'
import { documentSection } from '../documents/endpoint.ts'
import { exportSection } from '../export/endpoint.ts'
import { languageHeaders } from '../http/endpoint/answer-language.ts'
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { criteriaSchemas } from '../http/openapi/criteria-schema.ts'
import type { Server } from '../http/server.ts'
import { importSection } from '../import/section.ts'
import { type InboxDeps, inboxEndpoints, markHeaders } from '../inbox/inbox-endpoints.ts'
import { type StreamDeps, streamEndpoint } from '../inbox/live/stream-endpoint.ts'
import { type ExplainDeps, explainEndpoint } from '../notify/explain.ts'
import { followersEndpoint } from '../notify/followers.ts'
import { sentEndpoint } from '../notify/notified-users.ts'
import { previewEndpoint } from '../notify/preview.ts'
import {
  type AttachmentDeps,
  attachmentEndpoints,
} from '../outbox/attachments/attachment-endpoints.ts'
import { type DeliveryDeps, deliveryEndpoints, emailTag } from '../outbox/delivery-endpoints.ts'
import { type MailDeps, mailEndpoints } from '../outbox/email/mail-endpoints.ts'
import {
  type PreferenceDeps,
  preferenceEndpoints,
} from '../outbox/preferences/preference-endpoints.ts'
import {
  type PersonDataDeps,
  personalDataSection,
  personDataEndpoints,
} from '../personal-data/endpoints.ts'
import { type FileDeps, fileEndpoints } from '../records/file-endpoint.ts'
import { findEndpoints } from '../records/find-in-entities.ts'
import { ownChangeEndpoints } from '../records/own-changes.ts'
import { readEndpoints } from '../records/read-endpoints.ts'
import type { RecordDeps } from '../records/record-request.ts'
import { writeEndpoints } from '../records/write-endpoints.ts'
import { type OwnTaskDeps, ownTaskEndpoints } from '../tasks/own-endpoints.ts'
import { recordTaskEndpoints } from '../tasks/record-endpoints.ts'
import { taskSchemas } from '../tasks/task-json.ts'
import { uploadSection } from '../uploads/section.ts'
import { workflowSection } from '../workflow/endpoints.ts'
import { accessSection } from './access/explain-access.ts'
import { auditSection } from './audit/audit-endpoints.ts'
import { type ConsoleDeps, consoleEndpoints } from './console/console-endpoints.ts'
import { sessionSection } from './console/session-endpoints.ts'
import { settingsSection } from './console/settings-endpoints.ts'
import { type DefinitionDeps, definitionEndpoints } from './definition-endpoints.ts'
import { jobSection } from './job-endpoints.ts'
import { type AccountDeps, accountEndpoints } from './people/account-endpoints.ts'
import { type InvitationDeps, invitationEndpoints } from './people/invitation-endpoints.ts'
import { type KeyDeps, keyEndpoints } from './people/key-endpoints.ts'
import { type LeaveDeps, leaveEndpoints } from './people/leave-endpoints.ts'
import { type PeopleDeps, peopleEndpoints } from './people/people-endpoint.ts'
import { refusedSignInEndpoints } from './people/refused-sign-ins.ts'
import {
  type DocsDeps,
  docsEndpoints,
  type OperationDeps,
  operationEndpoints,
  type RootDeps,
  rootEndpoint,
} from './service-endpoints.ts'

const commentSection: ApiSection<RecordDeps> = { endpoints: commentEndpoints }

/** Create, list, search, read, change, remove, restore, takeOwnership and history of every entity; search and own changes of all. */
const recordSection: ApiSection<FileDeps> = {
  tags: [
    { name: 'Search', description: 'Records of all entities.' },
    { name: 'Changes', description: 'What the caller has changed.' },
  ],
  endpoints: [
    ...readEndpoints,
    ...writeEndpoints,
    ...fileEndpoints,
    ...findEndpoints,
    ...ownChangeEndpoints,
  ],
  schemas: () => criteriaSchemas,
  headers: {
    'Accept-Ranges': {
      description: 'Parts of the file can be asked for.',
      schema: { type: 'string', const: 'bytes' },
    },
    'Content-Range': {
      description: 'Which bytes these are, and of how many.',
      schema: { type: 'string', examples: ['bytes 0-1023/248113'] },
    },
    ETag: {
      description: 'Version of the record, for `If-Match` and `If-None-Match`.',
      schema: { type: 'string', examples: ['"3"'] },
    },
    Location: {
      description: 'Path of the new record; at `/`, of the console.',
      schema: { type: 'string', format: 'uri-reference' },
    },
    'Content-Location': {
      description: 'Path of the record.',
      schema: { type: 'string', format: 'uri-reference' },
    },
    'Idempotency-Replayed': {
      description: '`true` when the answer is the first one to the same `Idempotency-Key`.',
      schema: { type: 'string', const: 'true' },
    },
  },
}

const notificationSection: ApiSection<InboxDeps & ExplainDeps & StreamDeps> = {
  tags: [
    {
      name: 'Notifications',
      description: 'The notifications of the caller, and which of them they have seen.',
    },
  ],
  headers: markHeaders,
  endpoints: [
    ...inboxEndpoints,
    streamEndpoint,
    explainEndpoint,
    previewEndpoint,
    sentEndpoint,
    followersEndpoint,
  ],
}

const emailSection: ApiSection<DeliveryDeps & PreferenceDeps & AttachmentDeps & MailDeps> = {
  tags: [{ name: emailTag, description: 'E-mails of notifications.' }],
  endpoints: [
    ...deliveryEndpoints,
    ...preferenceEndpoints,
    ...attachmentEndpoints,
    ...mailEndpoints,
  ],
}

const taskSection: ApiSection<OwnTaskDeps> = {
  tags: [{ name: 'Tasks', description: 'Pieces of work attached to records.' }],
  endpoints: [...recordTaskEndpoints, ...ownTaskEndpoints],
  schemas: taskSchemas,
}

const serviceSection: ApiSection<
  DefinitionDeps & RootDeps & DocsDeps & OperationDeps & ConsoleDeps
> = {
  tags: [
    {
      name: 'Definitions',
      description: 'The caller, and the entities as the caller may see them.',
    },
    { name: 'Service', description: 'For operators of the service and readers of its API.' },
  ],
  endpoints: [
    ...definitionEndpoints,
    rootEndpoint,
    ...docsEndpoints,
    ...operationEndpoints,
    ...consoleEndpoints,
  ],
  headers: languageHeaders,
}

type PeopleSectionDeps = PeopleDeps &
  InvitationDeps &
  PersonDataDeps &
  AccountDeps &
  KeyDeps &
  LeaveDeps

const peopleSection: ApiSection<PeopleSectionDeps> = {
  tags: [{ name: 'People', description: 'Who may sign in.' }],
  endpoints: [
    ...peopleEndpoints,
    ...personDataEndpoints,
    ...accountEndpoints,
    ...keyEndpoints,
    ...leaveEndpoints,
    ...refusedSignInEndpoints,
    ...invitationEndpoints,
  ],
}

const allSections = {
  recordSection,
  exportSection,
  importSection,
  uploadSection,
  jobSection,
  serviceSection,
  workflowSection,
  bulkSection,
  personalDataSection,
  taskSection,
  commentSection,
  peopleSection,
  accessSection,
  auditSection,
  notificationSection,
  emailSection,
  documentSection,
  sessionSection,
  settingsSection,
}

/** What all endpoints together need. */
export type ApiDeps =
  typeof allSections extends Readonly<Record<string, ApiSection<infer D>>> ? D : never

/** The sections in the order of the document. */
export const sections: readonly ApiSection<ApiDeps>[] = Object.values(allSections)

/** Adds every endpoint to the server. */
export const mountSections = (server: Server, deps: ApiDeps): void => {
  for (const { endpoints } of sections) for (const one of endpoints) one.mount(server, deps)
}
