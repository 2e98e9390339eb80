/** The jobs of the engine, as the worker runs them. */
import { handleJob, type JobHandler } from '../jobs/job.ts'
import { sendNotifications } from '../records/after-change.ts'
import { tellTask } from '../tasks/task-messages.ts'
import { type SendingParts, sendNotificationsOf } from './send-notifications.ts'
import { tellTaskOf } from './tell-task.ts'

/** Handlers of every kind of message that ends as a stored notification. */
export const engineHandlers = (parts: SendingParts): readonly JobHandler[] => [
  handleJob(sendNotifications, (message) => sendNotificationsOf(parts, message)),
  handleJob(tellTask, (message) => tellTaskOf(parts, message)),
]
