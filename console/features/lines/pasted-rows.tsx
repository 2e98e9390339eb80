/**
 * A range that was pasted into a list, in a dialog: the rows that it changes and adds, as they will be. The service tries them at once,
 * so that faults stand at their cells, which can be corrected there. All of them are saved or none, and can be taken back.
 */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { type Outcome, writeMany } from '../../api/bulk.ts'
import { ApiProblem, searchRecords, statusOf } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions, DialogEnd } from '../../parts/dialog.tsx'
import { focused } from '../../parts/focus.ts'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import type { Place } from '../grid/grid-props.ts'
import { useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import type { ListColumn } from '../values/columns.ts'
import { bodyOfLines, type LineDraft, sentLines } from './line-drafts.ts'
import { LinesGrid } from './lines-grid.tsx'
import { usePaste } from './paste.ts'
import { type PastedList, readRows, typedInList } from './pasted-list.ts'
import { type LinesForm, useLines } from './use-lines.ts'

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

// The rows of a list that are pasted, from the trial to the write and its undo.

type Pasting = PastedList & {
  readonly saved: readonly ListRow[]
  readonly typed: readonly ListColumn[]
}

type Phase = 'typing' | 'done' | 'undone'

/** Where the service says of a record what is wrong: as if the rows were lines of this name. */
const field = { key: 'rows' } as const

const placed = (error: unknown): Error => {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error : new Error(`${error}`)
  const { status, code, message: detail, issues } = error
  const errors = issues.map((issue) => ({ ...issue, path: `${field.key}.${issue.path}` }))
  return new ApiProblem(status, { code, detail, errors })
}

const bodyOf = (lines: readonly LineDraft[]): object =>
  Object.fromEntries(Object.entries(bodyOfLines(lines)).filter(([, some]) => some.length > 0))

/** What takes a write back: values as they were before it, and removals; undefined where the user may not remove what is new. */
const undoOf = (
  { permissions }: Entity,
  lines: readonly LineDraft[],
  outcomes: readonly Outcome[],
): object | undefined => {
  const { change, create } = sentLines(lines)
  if (create.length > 0 && permissions.delete === false) return undefined
  const known = ({ id, version }: Outcome) => ({ id, _version: version })
  const changed = change.flatMap(({ before }, at) => {
    const outcome = outcomes[at]
    return outcome?.status === 'done' ? [{ ...known(outcome), ...before }] : []
  })
  const created = outcomes.slice(change.length).map(known)
  if (changed.length + created.length === 0) return undefined
  return {
    ...(changed.length > 0 && { change: changed }),
    ...(created.length > 0 && { remove: created }),
  }
}

/** Rows as they are now, where others have changed some. */
const readAgain = async (
  { entity, list }: Pasting,
  saved: readonly ListRow[],
): Promise<readonly ListRow[]> => {
  const { $select } = list.criteria
  const $where = { id: { $in: saved.map(({ id }) => id) } }
  const { data } = await searchRecords(entity.key, { $where, $select }, { limit: saved.length })
  const byId = new Map(data.map((row) => [row.id, row]))
  return saved.map((row) => byId.get(row.id) ?? row)
}

const usePastedRows = (pasting: Pasting) => {
  const { entity, typed } = pasting
  const { key, permissions } = entity
  const client = useQueryClient()
  const [saved, setSaved] = useState(pasting.saved)
  const [lines, setLines] = useState<readonly LineDraft[]>([])
  const { error, sent, isSaving, send, sendOnce } = useSending(lines)
  const [phase, setPhase] = useState<Phase>('typing')
  const [back, setBack] = useState<object>()
  const end = (next: Phase, undo?: object) => {
    setPhase(next)
    setBack(undo)
    for (const part of ['list', 'record', 'approvals'])
      void client.invalidateQueries({ queryKey: [userKey, part] })
  }
  const write = (more: object = {}) =>
    writeMany(key, { ...bodyOf(lines), ...more }).catch(async (refused: unknown) => {
      if (statusOf(refused) === 412) await readAgain(pasting, saved).then(setSaved, () => undefined)
      throw refused
    })
  const tryOut = useEffectEvent(() => send(() => write({ dryRun: true })))
  const hasLines = lines.length > 0
  useEffect(() => {
    if (hasLines) void tryOut()
  }, [hasLines])
  const form: LinesForm = {
    related: { child: entity, typed, field },
    rights: {
      mayCreate: permissions.create,
      mayChange: permissions.update !== false,
      mayRemove: false,
    },
    saved,
    lines,
    onLines: setLines,
    error,
    sent,
    isSaving,
  }
  return {
    form,
    phase,
    written: lines.length,
    save: () => sendOnce(async () => end('done', undoOf(entity, lines, await write()))),
    undo:
      back &&
      (() =>
        sendOnce(async () => {
          await writeMany(key, back)
          end('undone')
        })),
  }
}

/** One request after the other, so that a write waits for the trial; with the error of the last and the lines that it had. */
const useSending = (lines: readonly LineDraft[]) => {
  const [sent, setSent] = useState<readonly LineDraft[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const last = useRef(Promise.resolve())
  const isWriting = useRef(false)
  const run = async (work: () => Promise<unknown>) => {
    setIsSaving(true)
    setSent(lines)
    try {
      await work()
      setError(null)
    } catch (thrown) {
      setError(placed(thrown))
    }
    setIsSaving(false)
  }
  const send = (work: () => Promise<unknown>) => {
    last.current = last.current.then(() => run(work))
    return last.current
  }
  /** Not for a second click. */
  const sendOnce = (work: () => Promise<unknown>) => {
    if (isWriting.current) return
    isWriting.current = true
    void send(work).finally(() => {
      isWriting.current = false
    })
  }
  return { error, sent, isSaving, send, sendOnce }
}
