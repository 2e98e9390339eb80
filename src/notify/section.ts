/** Notifications in the API: the caller's own, their stream, and the explanation of rules. */
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { type InboxDeps, inboxEndpoints, markHeaders } from '../inbox/inbox-endpoints.ts'
import { type StreamDeps, streamEndpoint } from '../inbox/live/stream-endpoint.ts'
import { type ExplainDeps, explainEndpoint } from './explain.ts'
import { followersEndpoint } from './followers.ts'
import { sentEndpoint } from './notified-users.ts'
import { previewEndpoint } from './preview.ts'

export const notificationSection: ApiSection<InboxDeps & ExplainDeps & StreamDeps> = {
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
