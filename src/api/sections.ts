/** Everything that the service serves over HTTP: what is mounted, and what the OpenAPI document describes. */
import { bulkSection } from '../bulk/endpoint.ts'
import { commentSection } from '../comments/section.ts'
import { documentSection } from '../documents/endpoint.ts'
import { exportSection } from '../export/endpoint.ts'
import { languageHeaders } from '../http/endpoint/answer-language.ts'
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import type { Server } from '../http/server.ts'
import { importSection } from '../import/section.ts'
import { notificationSection } from '../notify/section.ts'
import { emailSection } from '../outbox/section.ts'
import {
  type PersonDataDeps,
  personalDataSection,
  personDataEndpoints,
} from '../personal-data/endpoints.ts'
import { recordSection } from '../records/section.ts'
import { taskSection } from '../tasks/section.ts'
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
