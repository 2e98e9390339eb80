/** The jobs of notifications, as the worker runs them. */
import { getEntity } from '../definitions/catalog.ts'
import { handleJob, type JobHandler } from '../jobs/job.ts'
import { attachDocuments } from '../outbox/delivery.ts'
import { describeAction } from '../outbox/events/printable-record.ts'
import { handleMessage, sendNotifications } from '../records/write/change-events.ts'
import { notifyTask } from '../tasks/task-messages.ts'
import { type AttachingDeps, attachDocumentsOf } from './attach-documents.ts'
import { readSubject } from './function-calls.ts'
import { notifyTaskUsers } from './notify-task-users.ts'
import { sendNotificationsOf } from './send-notifications.ts'

/** Handlers of everything that follows a change: notifications, attachments, and message handlers. */
export const engineHandlers = (deps: AttachingDeps): readonly JobHandler[] => [
  handleJob(sendNotifications, (message) => sendNotificationsOf(deps, message)),
  handleJob(notifyTask, (message) => notifyTaskUsers(deps, message)),
  handleJob(attachDocuments, (mailing, context) => attachDocumentsOf(deps, mailing, context)),
  handleJob(handleMessage, async ({ handler, ...message }) => {
    const subject = await readSubject(deps, {
      entityKey: message.entity_key,
      entityId: message.entity_id,
      actorId: message.actor_id,
      operation: message.operation,
      action: describeAction(getEntity(deps.catalog, message.entity_key), message) ?? null,
      comment: message.comment,
      changes: message.changes ?? null,
    })
    await deps.functions.handleMessage(handler, subject)
  }),
]
