/** What all pages share, and what is read before the first of them is rendered. */
import { askIn } from '../api/client.ts'
import {
  configQuery,
  createQueryClient,
  entitiesQuery,
  hasSession,
  meQuery,
} from '../api/queries.ts'
import { settingsQuery } from '../api/settings.ts'
import { copiedPreferences } from '../features/settings/preferences.ts'
import { preferredLanguage } from '../texts/texts.ts'
import { createConsoleRouter } from './router.tsx'

export const client = createQueryClient()
export const router = createConsoleRouter(client)

// Before the settings are there, that of the last time.
askIn(preferredLanguage(copiedPreferences().language, navigator.languages))

/**
 * Reads together what every page needs, and then what the page of the address needs. What cannot be read is told by
 * the page itself.
 */
export const readAhead = async (): Promise<void> => {
  if (!hasSession) return
  await Promise.all([
    client.prefetchQuery(configQuery),
    client.prefetchQuery(meQuery),
    client.prefetchQuery(entitiesQuery),
    client.prefetchQuery(settingsQuery),
  ])
  if (client.getQueryData(entitiesQuery.queryKey)) await router.load()
}
