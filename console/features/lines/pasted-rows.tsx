/**
 * A range that was pasted into a list, in a dialog: the rows that it changes and adds, as they will be. The service tries them at once,
 * so that faults stand at their cells, which can be corrected there. All of them are saved or none, and can be taken back.
 */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions, DialogEnd } from '../../parts/dialog.tsx'
import { focused } from '../../parts/focus.ts'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import type { Place } from '../grid/grid-props.ts'
import { useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { sentLines } from './line-drafts.ts'
import { LinesGrid } from './lines-grid.tsx'
import { type PastedList, readRows, typedInList } from './pasted-list.ts'
import { useLines } from './use-lines.ts'
import { usePaste } from './use-paste.ts'
import { usePastedRows } from './use-pasted-rows.ts'

type PastedProps = PastedList & {
  readonly text: string
  /** The cell of the list into which it was pasted. */
  readonly place: Place
  readonly onClose: () => void
}

export const PastedRows = (props: PastedProps): ReactNode => {
  const { list, rowAt, place, text, onClose } = props
  const texts = useWorkTexts().lines
  const client = useQueryClient()
  const [saved, setSaved] = useState<readonly ListRow[] | Error>()
  const read = useEffectEvent(() => readRows(client, { list, rowAt }, place.row, text))
  useEffect(() => {
    read().then(setSaved, setSaved)
  }, [])
  return (
    <Dialog title={texts.pasteTitle} onClose={onClose}>
      {saved instanceof Error ? (
        <>
          <p role="alert">{saved.message}</p>
          <DialogEnd onClose={onClose} />
        </>
      ) : (
        saved && <Table {...props} saved={saved} />
      )}
    </Dialog>
  )
}

type TableProps = PastedProps & { readonly saved: readonly ListRow[] }

const Table = (props: TableProps): ReactNode => {
  const { entity, columns, text, place, onClose } = props
  const { entities } = useSession()
  const texts = useWorkTexts()
  const { common } = useTexts()
  const body = useRef<HTMLDivElement>(null)
  const typed = typedInList(entity, columns, entities)
  const rows = usePastedRows({ ...props, typed })
  const { form, phase } = rows
  const lines = useLines(form)
  const { paste, said } = usePaste(form, lines)
  const begin = useEffectEvent(() => paste(text, { row: 0, column: place.column }))
  useEffect(() => void begin(), [])
  const [first] = lines.cells.edits.values()
  const toFirst = useEffectEvent(() => {
    if (!first) return
    lines.setActive(first.place)
    body.current?.querySelector<HTMLElement>('[role=grid]')?.focus()
  })
  useEffect(() => {
    if (form.error) toFirst()
  }, [form.error])
  const { create, change } = sentLines(form.lines)
  const isEmpty = create.length + change.length === 0
  const save = () => {
    if (isEmpty || phase !== 'typing') return
    if (lines.check()) rows.save()
    else toFirst()
  }
  useShortcuts([{ keys: 'Ctrl+s', label: common.save, run: save }], 'dialog')
  if (phase === 'done' || phase === 'undone')
    return (
      <>
        <p role="status">
          {phase === 'done' ? texts.bulk.done(rows.written) : texts.bulk.undone(rows.written)}
        </p>
        {form.error && <p role="alert">{form.error.message}</p>}
        <DialogEnd onClose={onClose}>
          {rows.undo && <Button onClick={rows.undo}>{common.undo}</Button>}
        </DialogEnd>
      </>
    )
  const faults = lines.cells.edits.size + lines.lineFaults.size
  return (
    <div ref={body} className="pasted">
      <LinesGrid form={form} lines={lines} label={texts.lines.pasteTitle} />
      <p role="status">
        {change.length > 0 && texts.lines.pasteChanges(change.length)}{' '}
        {create.length > 0 && texts.lines.pasteCreates(create.length)} {said}
      </p>
      {(faults > 0 || form.error) && (
        <p role="alert" className="pasted-fault" dir="auto">
          {faults > 0 ? texts.lines.faults(faults) : form.error?.message}
        </p>
      )}
      <DialogActions onCancel={onClose}>
        <Button ref={focused} look="primary" disabled={said !== '' && isEmpty} onClick={save}>
          {common.save}
        </Button>
      </DialogActions>
    </div>
  )
}
