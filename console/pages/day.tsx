/** The first page: what waits for the user, and where they were last. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DayViews, RecentRecords } from '../features/day/day-views.tsx'
import { FirstApprovals, Unread, UrgentTasks, useDay } from '../features/day/waiting-work.tsx'
import { PageHeading } from '../features/session/page-title.tsx'
import { useReading, useSession } from '../features/session/session.ts'
import { ProblemNote, Waiting } from '../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../texts/texts.ts'
import './day.css'

export const Day = (): ReactNode => {
  const { day: texts } = useTexts()
  const { locale, timeZone } = useReading()
  const day = useDay()
  const today = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone }).format(new Date())
  return (
    <div className="day">
      <header>
        <PageHeading title={texts.title} />
        <p>{today}</p>
      </header>
      {day.isWaiting ? (
        <Waiting />
      ) : (
        <div className="day-columns">
          <div className="day-column">
            {day.error && <ProblemNote error={day.error} />}
            {day.isEmpty && !day.error && <NothingWaits />}
            <FirstApprovals approvals={day.approvals} />
            <UrgentTasks tasks={day.tasks} />
            <Unread unread={day.unread} />
          </div>
          <div className="day-column">
            <DayViews />
            <RecentRecords />
          </div>
        </div>
      )}
    </div>
  )
}

/** The note that nothing waits, with links to go on. */
const NothingWaits = (): ReactNode => {
  const texts = useWorkTexts().day
  const { entities } = useSession()
  const own = [...entities.values()].filter(
    ({ isNative, permissions }) => !isNative && permissions.read !== false,
  )
  return (
    <div>
      <h2>{texts.nothing}</h2>
      <ul className="day-start">
        {own.map(({ key, pluralName }) => (
          <li key={key}>
            <Link to="/$entity" params={{ entity: key }} className="button" data-look="plain">
              <span dir="auto">{pluralName}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
