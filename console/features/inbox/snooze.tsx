/** Snoozing a notification: it is away until tomorrow morning, for a week or until a time, and comes back unread. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { send } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { Notification } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import {
  dayMs,
  dayOf,
  fromLocalTime,
  isLocalText,
  localTextOf,
  timeOf,
  toLocalTime,
} from '../values/local-text.ts'
import { TemporalInput } from '../values/temporal-input.tsx'
import '../forms/forms.css'

type Snooze = {
  readonly notification: Notification
  /** ISO text; null: not any more. */
  readonly until: string | null
}

/** Snoozes, and takes the last snooze back. */
export const useSnooze = (onBack: (notification: Notification) => void) => {
  const client = useQueryClient()
  const { common } = useTexts()
  const [last, setLast] = useState<Notification>()
  const { mutate, error } = useMutation({
    mutationFn: ({ notification, until }: Snooze) =>
      send('/api/notifications/snooze', {
        method: 'PUT',
        body: { ids: [notification._id], until },
      }),
    onSuccess: async (_sent, { notification, until }) => {
      setLast(until === null ? undefined : notification)
      if (until === null) onBack(notification)
      await client.invalidateQueries({ queryKey: [userKey, 'inbox'] })
    },
  })
  const undo = last && (() => mutate({ notification: last, until: null }))
  useShortcuts(undo ? [{ keys: 'z', label: common.undo, run: undo }] : [])
  return { snooze: mutate, undo, error }
}

const morning = 8

/** So many days after today, in the morning of the user's zone; ISO text. */
const morningAfter = (days: number, timeZone: string): string => {
  const now = new Date()
  const today = dayOf(timeOf(toLocalTime(now.toISOString(), timeZone)) ?? now.getTime())
  const local = localTextOf(today + days * dayMs + morning * 3_600_000, true)
  return fromLocalTime(local, timeZone) ?? now.toISOString()
}

type MenuProps = { readonly onSnooze: (until: string) => void }

export const SnoozeMenu = ({ onSnooze }: MenuProps): ReactNode => {
  const inbox = useWorkTexts().inbox
  const reading = useReading()
  const [isChoosing, setIsChoosing] = useState(false)
  const place = useRef<HTMLSpanElement>(null)
  const open = () => place.current?.querySelector('button')?.click()
  useShortcuts([{ keys: 's', label: inbox.snooze, run: open }])
  const choices = [
    { days: 1, label: inbox.tomorrow },
    { days: 7, label: inbox.inAWeek },
  ].map(({ days, label }) => {
    const until = morningAfter(days, reading.timeZone)
    return { label: label(formatMoment(until, reading)), onSelect: () => onSnooze(until) }
  })
  const other = { label: inbox.atATime, onSelect: () => setIsChoosing(true), isFirstOfGroup: true }
  return (
    <span ref={place}>
      <Menu label={inbox.snooze} face={inbox.snooze} look="plain" items={[...choices, other]} />
      {isChoosing && <SnoozeDialog onSnooze={onSnooze} onClose={() => setIsChoosing(false)} />}
    </span>
  )
}

const SnoozeDialog = ({
  onSnooze,
  onClose,
}: MenuProps & { readonly onClose: () => void }): ReactNode => {
  const inbox = useWorkTexts().inbox
  const { timeZone } = useReading()
  const id = useId()
  const [time, setTime] = useState(() => toLocalTime(morningAfter(1, timeZone), timeZone))
  const until = isLocalText(time) ? fromLocalTime(time, timeZone) : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (until === null) return
    onClose()
    onSnooze(until)
  }
  return (
    <Dialog title={inbox.snooze} onClose={onClose}>
      <form className="action-form" onSubmit={submit}>
        <div>
          <label htmlFor={id}>{inbox.snoozeUntil}</label>
          <TemporalInput id={id} hasTime value={time} timeZone={timeZone} onChange={setTime} />
        </div>
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary" disabled={until === null}>
            {inbox.snooze}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
