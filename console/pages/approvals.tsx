/** The records of all entities that wait for a decision of the user, each with its actions next to the list. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Approval } from '../api/open-actions.ts'
import { approvalCountOf, approvalsQuery, type WantedApprovals } from '../api/records/approvals.ts'
import {
  approvalKey,
  type Queue,
  usePreloaded,
  useQueue,
  useSummaries,
} from '../features/approvals/queue.ts'
import {
  QueueItem,
  QueueToggle,
  TakenNote,
  useHiddenQueue,
} from '../features/approvals/queue-view.tsx'
import { FormsContext } from '../features/forms/open-form.tsx'
import { RecordView } from '../features/record/record-view.tsx'
import {
  type Limit,
  ListAndDetail,
  MoreWork,
  useLimit,
  useOpened,
} from '../features/session/list-and-detail.tsx'
import { PageTitle } from '../features/session/page-title.tsx'
import { useReading, useSession } from '../features/session/session.ts'
import { type TakenAction, TakenActionsContext } from '../features/workflow/action-dialog.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../texts/texts.ts'
import '../features/approvals/approvals.css'
import './work.css'
import { ApprovalFilter } from '../features/approvals/approval-filter.tsx'
import { DecideBar } from '../features/approvals/decide.tsx'

const pageSize = 100

/** The filter in the address, and a function that changes it. */
const useWantedApprovals = () => {
  const wanted = useSearch({ from: '/-/approvals' })
  const navigate = useNavigate({ from: '/-/approvals' })
  const want = (search: WantedApprovals) => void navigate({ search, replace: true })
  return { wanted, want }
}

export const Approvals = (): ReactNode => (
  <>
    <PageTitle of={[useTexts().approvals.title]} />
    <Waits />
  </>
)

const Waits = (): ReactNode => {
  const texts = useWorkTexts().approvals
  const filter = useWantedApprovals()
  const limit = useLimit(pageSize)
  const approvals = useQuery(approvalsQuery(limit.limit, filter.wanted))
  // While a form is open, its record stays in the queue: what is typed must not go with it.
  const [held, setHeld] = useState<readonly Approval[]>()
  const [taken, setTaken] = useState<TakenAction>()
  const list = held ?? approvals.data
  if (approvals.error && !approvals.data)
    return <ProblemNote error={approvals.error} onRetry={() => void approvals.refetch()} />
  if (!list) return <Waiting />
  const note = <TakenNote taken={taken} onClose={() => setTaken(undefined)} />
  if (list.length > 0)
    return (
      <TakenActionsContext value={setTaken}>
        <FormsContext
          value={{ onForm: (isOpen) => setHeld(isOpen ? list : undefined), isGone: false }}
        >
          <WaitingList list={list} limit={limit} note={note} filter={filter} />
        </FormsContext>
      </TakenActionsContext>
    )
  return (
    <div className="work">
      <header className="work-head">
        <Title wanted={filter.wanted} />
        <Filtered {...filter} />
      </header>
      {note}
      <EmptyNote
        title={Object.keys(filter.wanted).length === 0 ? texts.empty : texts.emptyFiltered}
      />
    </div>
  )
}

type Filter = ReturnType<typeof useWantedApprovals>

const Filtered = (filter: Filter): ReactNode => <ApprovalFilter {...filter} />

/** With the number of those that are wanted. */
const Title = ({ wanted }: Pick<Filter, 'wanted'>): ReactNode => {
  const { locale } = useReading()
  const { data } = useQuery(approvalCountOf(wanted))
  return (
    <>
      <h1>{useTexts().approvals.title}</h1>
      {data && data.count > 0 && (
        <span className="approval-count">
          {new Intl.NumberFormat(locale).format(data.count)}
          {data.isCapped && '+'}
        </span>
      )}
    </>
  )
}

type ListProps = {
  readonly filter: Filter
  readonly list: readonly Approval[]
  readonly limit: Limit
  /** What was decided last. */
  readonly note: ReactNode
}

const WaitingList = ({ list, limit, note, filter }: ListProps): ReactNode => {
  const texts = useWorkTexts().approvals
  const { title } = useTexts().approvals
  const navigate = useNavigate()
  const place = useOpened()
  const queue = useQueue(list, place)
  const hidden = useHiddenQueue(place.isWide)
  const summaries = useSummaries(list)
  usePreloaded(queue)
  const openPage = ({ entity, id }: Approval) =>
    void navigate({ to: '/$entity/$id', params: { entity, id: `${id}` } })
  return (
    <div className="work">
      <header className="work-head">
        <Title wanted={filter.wanted} />
        <Filtered {...filter} />
        {queue.selected.length > 0 && <DecideBar queue={queue} />}
        <QueueToggle {...hidden} />
      </header>
      {note}
      <ListAndDetail
        place={place}
        title={title}
        list={
          <ul className="work-list" aria-label={texts.queue} hidden={hidden.isHidden}>
            {list.map((one) => (
              <li key={approvalKey(one)}>
                <QueueItem
                  approval={one}
                  summary={summaries.get(approvalKey(one))}
                  isChosen={one === queue.chosen}
                  isShown={one === queue.chosen && !place.isListAlone}
                  isSelected={queue.selected.includes(one)}
                  onChoose={() => queue.choose(one)}
                  onToggle={() => queue.toggle(one)}
                  {...(place.isWide && { onOpen: () => openPage(one) })}
                />
              </li>
            ))}
            {limit.hasMore(list.length) && (
              <li>
                <MoreWork limit={limit} />
              </li>
            )}
          </ul>
        }
        detail={<ChosenRecord queue={queue} />}
      />
    </div>
  )
}

/** The record that is decided on, with its document next to it where it has one. */
const ChosenRecord = ({ queue }: { readonly queue: Queue }): ReactNode => {
  const texts = useWorkTexts().approvals
  const { entities } = useSession()
  const [part, setPart] = useState('')
  const { chosen } = queue
  const entity = entities.get(chosen?.entity ?? '')
  if (!chosen || !entity) return null
  return (
    <section className="work-record" aria-label={texts.record}>
      <RecordView
        key={approvalKey(chosen)}
        entity={entity}
        part={part}
        id={chosen.id}
        onPart={setPart}
        beside="documents"
      />
    </section>
  )
}
