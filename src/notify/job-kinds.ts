/** The kinds of jobs that follow a change. */
import type { JobKind } from '../jobs/job.ts'
import { attachDocuments } from '../outbox/delivery.ts'
import { handleMessage, sendNotifications } from '../records/write/change-events.ts'
import { notifyTask } from '../tasks/task-messages.ts'

export const engineKinds: readonly JobKind<object>[] = [
  sendNotifications,
  notifyTask,
  attachDocuments,
  handleMessage,
]
