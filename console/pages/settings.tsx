/** What users set for themselves. */
import type { ReactNode } from 'react'
import { AppearanceForm, KeySettings } from '../features/account/appearance-form.tsx'
import { NotificationChoices, usePreferences } from '../features/account/notification-choices.tsx'
import { SessionList } from '../features/account/session-list.tsx'
import { PageHeading } from '../features/session/page-title.tsx'
import { useSession } from '../features/session/session.ts'
import { laterPart } from '../parts/later.tsx'
import { Waiting } from '../parts/notes.tsx'
import { TitledSection } from '../parts/sections.tsx'
import { useTexts, useWorkTexts } from '../texts/texts.ts'
import './settings.css'

const CalendarAddress = laterPart(
  async () => (await import('../features/account/calendar-address.tsx')).CalendarAddress,
  Waiting,
)

const OwnCredentials = laterPart(
  async () =>
    (await import('../features/account/own-credentials/own-credentials.tsx')).OwnCredentials,
  Waiting,
)

const OwnKeys = laterPart(
  async () => (await import('../features/account/own-keys/own-keys.tsx')).OwnKeys,
  Waiting,
)

export const Settings = (): ReactNode => {
  const { settings } = useTexts()
  const { settings: texts, apiKeys } = useWorkTexts()
  const { config, me } = useSession()
  const notifications = usePreferences()
  return (
    <div className="settings">
      <PageHeading title={settings.title} />
      <TitledSection title={texts.look}>
        <AppearanceForm />
      </TitledSection>
      <TitledSection title={texts.keys}>
        <KeySettings />
      </TitledSection>
      {notifications.preferences.length > 0 && (
        <TitledSection title={texts.mails}>
          <NotificationChoices {...notifications} />
        </TitledSection>
      )}
      <TitledSection title={texts.calendar}>
        <CalendarAddress />
      </TitledSection>
      {/* Who acts as another user has no say in how they sign in. */}
      {config.ways.length > 0 && !me.acting_user && <OwnCredentials />}
      {!me.acting_user && (
        <TitledSection title={apiKeys.title}>
          <OwnKeys />
        </TitledSection>
      )}
      <TitledSection title={texts.sessions}>
        <SessionList />
      </TitledSection>
    </div>
  )
}
