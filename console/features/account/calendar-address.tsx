/** The address under which a calendar program reads the tasks of the user. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { calendarQuery, closeCalendar, openCalendar } from '../../api/own/account.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'

export const CalendarAddress = (): ReactNode => {
  const texts = useWorkTexts().settings
  const reading = useReading()
  const client = useQueryClient()
  const feed = useQuery(calendarQuery)
  const onSuccess = () => client.invalidateQueries({ queryKey: calendarQuery.queryKey })
  const open = useMutation({ mutationFn: openCalendar, onSuccess })
  const close = useMutation({
    mutationFn: closeCalendar,
    onSuccess: () => {
      open.reset()
      return onSuccess()
    },
  })
  const since = feed.data?.created_at ?? null
  const error = open.error ?? close.error ?? feed.error
  const isBusy = open.isPending || close.isPending || feed.isPending
  return (
    <>
      <p className="setting-help">{texts.calendarHelp}</p>
      {open.data ? (
        <Address url={open.data.url} />
      ) : (
        since !== null && <p>{texts.calendarSince(formatMoment(since, reading))}</p>
      )}
      {since !== null && <p className="setting-help">{texts.renewWarning}</p>}
      {error && <p role="alert">{error.message}</p>}
      <div className="setting-actions">
        <Button disabled={isBusy} onClick={() => open.mutate()}>
          {since === null ? texts.openCalendar : texts.renewCalendar}
        </Button>
        {since !== null && (
          <Button look="danger" disabled={isBusy} onClick={() => close.mutate()}>
            {texts.closeCalendar}
          </Button>
        )}
      </div>
    </>
  )
}

const Address = ({ url }: { readonly url: string }): ReactNode => {
  const texts = useWorkTexts().settings
  const id = useId()
  return (
    <div className="setting">
      <label htmlFor={id}>{texts.calendarUrl}</label>
      <div className="setting-line">
        <input
          id={id}
          className="field-input"
          readOnly
          value={url}
          onFocus={({ target }) => target.select()}
        />
        <CopyButton text={url} face={texts.copy} copiedFace={texts.copied} />
      </div>
    </div>
  )
}
