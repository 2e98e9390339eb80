/** The notifications of the user, as they come. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type InboxStatus, inboxQuery, unseenQuery } from '../api/queries.ts'
import type { Notification } from '../api/types.ts'
import { ExplainLink } from '../features/explain/explain-link.tsx'
import { NotificationItem } from '../features/inbox/notification-item.tsx'
import { useMarks } from '../features/inbox/use-marks.ts'
import { useSession } from '../features/session/session.ts'
import { ListAndDetail } from '../features/work/list-and-detail.tsx'
import { type Limit, MoreWork, useLimit } from '../features/work/more-work.tsx'
import { useOpened } from '../features/work/opened.ts'
import { Button } from '../parts/button.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../parts/notes.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useTexts } from '../texts/texts.ts'
import './work.css'

const pageSize = 50

export const Inbox = (): ReactNode => {
  const { inbox, common } = useTexts()
  const [status, setStatus] = useState<InboxStatus>('unseen')
  const limit = useLimit(pageSize)
  const place = useOpened()
  const unseen = useQuery(unseenQuery)
  const list = useQuery(inboxQuery(status, limit.limit))
  const marks = useMarks()
  const [kept, setKept] = useState<Notification>()
  // One that was just read leaves the list of unread ones, but stays open.
  const chosen = list.data?.find(({ _id }) => _id === place.opened) ?? kept
  const open = (one: Notification) => {
    place.open(one._id)
    setKept(one)
    if (!one.seen) marks.mark({ ids: [one._id], status: 'seen' })
  }
  return (
    <div className="work">
      <header className="work-head">
        <h1>{inbox.title}</h1>
        <Tabs
          label={inbox.title}
          value={status}
          onChange={setStatus}
          tabs={[
            { value: 'unseen', label: inbox.unread(unseen.data ?? 0) },
            { value: 'all', label: inbox.all },
          ]}
        />
        {marks.undo && <Button onClick={marks.undo}>{common.undo}</Button>}
        <Button
          disabled={unseen.data === 0 || list.data?.[0] === undefined}
          onClick={() => {
            const latest = list.data?.[0]
            if (latest) marks.mark({ ids: [], status: 'seen', before: latest.timestamp })
          }}
        >
          {inbox.readAll}
        </Button>
      </header>
      {marks.error && <p role="alert">{marks.error.message}</p>}
      <ListAndDetail
        place={place}
        title={inbox.title}
        list={<List {...{ list, open, limit }} chosenId={chosen?._id} />}
        detail={
          chosen && (
            <Detail
              notification={chosen}
              onUnread={() => marks.mark({ ids: [chosen._id], status: 'unseen' })}
            />
          )
        }
      />
    </div>
  )
}

type ListProps = {
  readonly list: {
    readonly data: readonly Notification[] | undefined
    readonly error: Error | null
  }
  readonly chosenId: string | undefined
  readonly limit: Limit
  readonly open: (one: Notification) => void
}

const List = ({ list, chosenId, limit, open }: ListProps): ReactNode => {
  const { inbox } = useTexts()
  if (!list.data) return list.error ? <ProblemNote error={list.error} /> : <Waiting />
  if (list.data.length === 0) return <EmptyNote title={inbox.empty} />
  return (
    <ul className="work-list">
      {list.data.map((one) => (
        <li key={one._id}>
          <NotificationItem
            notification={one}
            isChosen={one._id === chosenId}
            onOpen={() => open(one)}
          />
        </li>
      ))}
      {limit.hasMore(list.data.length) && (
        <li>
          <MoreWork limit={limit} />
        </li>
      )}
    </ul>
  )
}

type DetailProps = { readonly notification: Notification; readonly onUnread: () => void }

const Detail = ({ notification, onUnread }: DetailProps): ReactNode => {
  const { inbox, administration } = useTexts()
  const { me } = useSession()
  const { content, entity_key: entity, entity_id: id } = notification
  return (
    <section className="work-detail" aria-label={inbox.notification}>
      <h2 dir="auto">{content.title}</h2>
      <p dir="auto" className="work-message">
        {content.message}
      </p>
      <div className="work-actions">
        <Link
          to="/$entity/$id"
          params={{ entity, id: `${id}` }}
          className="button"
          data-look="primary"
        >
          {inbox.openRecord}
        </Link>
        <Button onClick={onUnread}>{inbox.markUnread}</Button>
        <ExplainLink search={{ entity, record: id, user: me.id }}>
          {administration.whyMe}
        </ExplainLink>
      </div>
    </section>
  )
}
