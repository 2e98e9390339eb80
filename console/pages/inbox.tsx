/** The notifications of the user, as they come. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type InboxStatus, inboxQuery } from '../api/own/inbox.ts'
import { unseenQuery } from '../api/queries.ts'
import type { Notification } from '../api/types.ts'
import { NotificationDetail, NotificationItem, useMarks } from '../features/inbox/notifications.tsx'
import { useSnooze } from '../features/inbox/snooze.tsx'
import {
  type Limit,
  ListAndDetail,
  MoreWork,
  useLimit,
  useOpened,
} from '../features/session/list-and-detail.tsx'
import { PageHeading } from '../features/session/page-title.tsx'
import { Button } from '../parts/button.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../parts/notes.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useTexts, useWorkTexts } from '../texts/texts.ts'
import './work.css'

const pageSize = 50

export const Inbox = (): ReactNode => {
  const { inbox: page, common } = useTexts()
  const inbox = useWorkTexts().inbox
  const [status, setStatus] = useState<InboxStatus>('unseen')
  const limit = useLimit(pageSize)
  const place = useOpened()
  const unseen = useQuery(unseenQuery)
  const found = useQuery(inboxQuery(status, limit.limit))
  const marks = useMarks()
  const [read, setRead] = useState<readonly Notification[]>([])
  const rows = found.data && withRead(found.data, read)
  const chosen = rows?.find(({ _id }) => _id === place.opened)
  const open = (one: Notification) => {
    place.open(one._id)
    // What is snoozed is in its list alone.
    if (status !== 'snoozed') setRead([one, ...withoutOne(read, one)])
    if (!one.seen && status !== 'snoozed') marks.mark({ ids: [one._id], status: 'seen' })
  }
  const snoozes = useSnooze((one) => (status === 'snoozed' ? place.close() : open(one)))
  const snooze = (one: Notification, until: string | null) => {
    setRead(withoutOne(read, one))
    place.close()
    snoozes.snooze({ notification: one, until })
  }
  return (
    <div className="work">
      <header className="work-head">
        <PageHeading title={page.title} />
        <Tabs
          label={page.title}
          value={status}
          onChange={(next) => {
            setStatus(next)
            setRead([])
          }}
          tabs={[
            { value: 'unseen', label: inbox.unread(unseen.data ?? 0) },
            { value: 'all', label: inbox.all },
            { value: 'snoozed', label: inbox.snoozed },
          ]}
        />
        {snoozes.undo && (
          <Button onClick={snoozes.undo}>
            {common.undo}: {inbox.snooze}
          </Button>
        )}
        {marks.undoAll && (
          <Button onClick={marks.undoAll}>
            {common.undo}: {inbox.readAll}
          </Button>
        )}
        <Button
          disabled={status === 'snoozed' || unseen.data === 0 || !found.data?.[0]}
          onClick={() => {
            const latest = found.data?.[0]
            if (latest) marks.mark({ ids: [], status: 'seen', before: latest.timestamp })
          }}
        >
          {inbox.readAll}
        </Button>
      </header>
      {[marks.error, snoozes.error].map(
        (error) =>
          error && (
            <p role="alert" key={error.message}>
              {error.message}
            </p>
          ),
      )}
      {rows?.length === 0 ? (
        <EmptyNote title={status === 'snoozed' ? inbox.noneSnoozed : inbox.empty} />
      ) : (
        <ListAndDetail
          place={place}
          title={page.title}
          list={
            <List
              rows={rows}
              open={open}
              limit={limit}
              error={found.error}
              chosenId={chosen?._id}
            />
          }
          detail={
            chosen ? (
              <NotificationDetail
                notification={chosen}
                onUnread={() => marks.mark({ ids: [chosen._id], status: 'unseen' })}
                onSnooze={(until) => snooze(chosen, until)}
              />
            ) : (
              place.isWide && rows && <EmptyNote title={inbox.choose} />
            )
          }
        />
      )}
    </div>
  )
}

const withoutOne = (
  rows: readonly Notification[],
  { _id: id }: Notification,
): readonly Notification[] => rows.filter(({ _id }) => _id !== id)

/** Those that were opened stay in their places, as read, until the list is left. */
const withRead = (
  rows: readonly Notification[],
  read: readonly Notification[],
): readonly Notification[] => {
  const known = new Set(rows.map(({ _id }) => _id))
  const gone = read.filter(({ _id }) => !known.has(_id)).map((one) => ({ ...one, seen: true }))
  return [...rows, ...gone].sort((one, other) => (one.timestamp < other.timestamp ? 1 : -1))
}

type ListProps = {
  readonly rows: readonly Notification[] | undefined
  readonly error: Error | null
  readonly chosenId: string | undefined
  readonly limit: Limit
  readonly open: (one: Notification) => void
}

const List = ({ rows, error, chosenId, limit, open }: ListProps): ReactNode => {
  if (!rows) return error ? <ProblemNote error={error} /> : <Waiting />
  return (
    <ul className="work-list">
      {rows.map((one) => (
        <li key={one._id}>
          <NotificationItem
            notification={one}
            isChosen={one._id === chosenId}
            onOpen={() => open(one)}
          />
        </li>
      ))}
      {limit.hasMore(rows.length) && (
        <li>
          <MoreWork limit={limit} />
        </li>
      )}
    </ul>
  )
}
