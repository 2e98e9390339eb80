/** Ends the session of this browser. */
import { send, urlOf } from '../../api/client.ts'
import { forgetDrafts } from '../../api/own/drafts.ts'
import { tellOtherTabs } from './one-user.tsx'

/**
 * At the provider too, if it has a page for that. What the browser keeps is removed last: if the service is away, the
 * user stays signed in.
 */
export const signOut = async (userId: number): Promise<void> => {
  // Before the session ends: afterwards the file of the code may not be had.
  const { removeExportFiles } = await import('../../api/own/export-files.ts')
  const { headers } = await send('/console/-/session', { method: 'DELETE' })
  await Promise.all([forgetDrafts(userId), removeExportFiles()])
  tellOtherTabs(null)
  window.location.assign(headers.get('End-Session-Address') ?? urlOf('/console'))
}
