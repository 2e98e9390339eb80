/** The queue of approvals on the page: its items, the button that hides it, and the note about the last decision. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Approval } from '../../api/open-actions.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import { useAuthorName } from '../session/user-names.tsx'
import { ageFormat } from '../values/day-formatters.ts'
import type { TakenAction } from '../workflow/action-dialog.tsx'
import type { Summary } from './queue.ts'

const setting = 'approvalsHidden'

/** Whether the user has hidden the queue; only where it is next to a record. */
export const useHiddenQueue = (isWide: boolean) => {
  const { settings, change } = useConsoleSettings()
  const isHidden = settings[setting] === true
  return {
    isHidden: isWide && isHidden,
    toggle: isWide ? () => change({ [setting]: isHidden ? null : true }) : undefined,
  }
}

type ToggleProps = ReturnType<typeof useHiddenQueue>

export const QueueToggle = ({ isHidden, toggle }: ToggleProps): ReactNode => {
  const texts = useWorkTexts().approvals
  return (
    toggle && (
      <Button look="quiet" aria-expanded={!isHidden} onClick={toggle}>
        {isHidden ? texts.showQueue : texts.hideQueue}
      </Button>
    )
  )
}

type NoteProps = { readonly taken: TakenAction | undefined; readonly onClose: () => void }

/** The action that was just taken, with a link to the record, which has left the queue. */
export const TakenNote = ({ taken, onClose }: NoteProps): ReactNode => {
  const { common } = useTexts()
  return (
    <div role="status" className="taken-note" hidden={!taken}>
      {taken && (
        <>
          <p>
            <Link to="/$entity/$id" params={{ entity: taken.entity, id: `${taken.id}` }}>
              <bdi>{taken.name}</bdi>
            </Link>{' '}
            → <strong dir="auto">{taken.to.name ?? taken.to.key}</strong>
          </p>
          <IconButton label={common.close} icon={closeIcon} onClick={onClose} />
        </>
      )}
    </div>
  )
}

type ItemProps = {
  readonly approval: Approval
  readonly summary: Summary | undefined
  /** Whether keys go on from it. */
  readonly isChosen: boolean
  /** Whether it is open next to the list. */
  readonly isShown: boolean
  readonly isSelected: boolean
  readonly onChoose: () => void
  readonly onToggle: () => void
  /** Opens its page; not where the item itself leads to the record. */
  readonly onOpen?: () => void
}

/** The chosen one comes into view, and has the focus where nothing but the list has it. */
const useFocusOfChosen = (isChosen: boolean) => {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isChosen) return
    const { activeElement } = document
    button.current?.scrollIntoView({ block: 'nearest' })
    if (activeElement?.matches('body, main, .work-list *'))
      button.current?.focus({ preventScroll: true })
  }, [isChosen])
  return button
}

export const QueueItem = (props: ItemProps): ReactNode => {
  const { approval, summary, isChosen, isShown, isSelected, onChoose, onToggle, onOpen } = props
  const texts = useWorkTexts().approvals
  const { entities } = useSession()
  const authorName = useAuthorName()
  const { entity, display, step, since, by, acting_user: acting } = approval
  const button = useFocusOfChosen(isChosen)
  return (
    <div className="queue-item" data-selected={isSelected || undefined}>
      <input
        type="checkbox"
        checked={isSelected}
        aria-label={texts.select(display)}
        onChange={onToggle}
      />
      <button
        ref={button}
        type="button"
        className="work-item"
        aria-current={isShown || undefined}
        onClick={onChoose}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !isChosen || !onOpen) return
          // A click of its own would choose it again, on the page that is being left.
          event.preventDefault()
          onOpen()
        }}
      >
        <span className="queue-title">
          <span dir="auto">{display}</span>
          {summary && <span className="queue-amount">{summary.amount}</span>}
        </span>
        {summary?.about.map((text) => (
          <span className="queue-about" dir="auto" key={text}>
            {text}
          </span>
        ))}
        <span className="work-note" dir="auto">
          {entities.get(entity)?.name} · {step.name ?? step.key}
        </span>
        <span className="work-meta">
          {since !== null && <Age since={since} />}
          {by?.full_name && <span dir="auto">{authorName(by, acting)}</span>}
        </span>
      </button>
    </div>
  )
}

const minute = 60_000
const day = 24 * 60 * minute
const units = [
  ['year', 365.2425 * day],
  ['month', 30.436875 * day],
  ['day', day],
  ['hour', 60 * minute],
  ['minute', minute],
] as const

/** How long ago a moment was, in the largest unit that fits. */
const Age = ({ since }: { readonly since: string }): ReactNode => {
  const reading = useReading()
  const passed = Date.now() - Date.parse(since)
  const [unit, length] = units.find(([, one]) => passed >= one) ?? ['minute', minute]
  const age = ageFormat(reading.locale).format(-Math.max(Math.floor(passed / length), 0), unit)
  return (
    <time dateTime={since} title={formatMoment(since, reading)}>
      {age}
    </time>
  )
}
