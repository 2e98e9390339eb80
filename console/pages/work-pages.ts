/** The pages of what waits for the user, loaded together: they share most of what they are made of. */
import { Approvals } from './approvals.tsx'
import { Day } from './day.tsx'
import { Inbox } from './inbox.tsx'
import { Tasks } from './tasks.tsx'

export const workPages = { Approvals, Day, Inbox, Tasks }
