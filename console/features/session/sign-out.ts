/** Ends the session of this browser. */
import { send, urlOf } from '../../api/client.ts'
import { forgetDrafts } from '../../api/own/drafts.ts'
import { tellOtherTabs } from './one-user.tsx'

/**
 * At the provider too, if it has a page for that. What the browser keeps is removed last: if the service is away, the
 * user stays signed in.
 */
export const signOut = async (userId: number): Promise<void> => {
  const { headers } = await send('/console/-/session', { method: 'DELETE' })
  await Promise.all([forgetDrafts(userId), removeFiles()])
  tellOtherTabs(null)
  window.location.assign(headers.get('End-Session-Address') ?? urlOf('/console'))
}

/** Few users have any; the next start removes what stays. */
const removeFiles = async (): Promise<void> => {
  const files = await import('../../api/own/export-files.ts').catch(() => undefined)
  await files?.removeExportFiles()
}
