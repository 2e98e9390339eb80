/** A list of lines with its head and, next to a record that is saved, the bar that saves both. */

import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { statusOf } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { useSentFiles } from '../files/sent-files.ts'
import { wholeMessage } from '../forms/field-issues.tsx'
import { useShortcuts } from '../session/shortcuts.ts'
import { LinesGrid } from './lines-grid.tsx'
import { usePaste } from './paste.ts'
import type { Related } from './related.ts'
import { type Lines, type LinesForm, useLines } from './use-lines.ts'

/** The record that is saved with its lines. */
export type LinesBar = {
  readonly error: Error | null
  readonly isSaving: boolean
  /** What is not saved of its fields and lists. */
  readonly draft: ReadonlyMap<string, unknown>
  readonly onValue: (column: string, value: unknown) => void
  /** Why it cannot be saved now. */
  readonly held: string | undefined
  readonly onSave: () => void
  readonly onDiscard: () => void
}

type SectionProps = {
  readonly form: LinesForm & { readonly related: Related }
  /** Undefined: it is part of a form with a bar of its own. */
  readonly bar?: LinesBar
  /** Is given what shows the faults of the lines, and says whether there is none. */
  readonly onCheck?: (check: () => boolean) => void
  readonly head?: ReactNode
  /** What stands below its rows. */
  readonly more?: ReactNode
  readonly children?: ReactNode
}

export const LinesSection = (props: SectionProps): ReactNode => {
  const { form, bar, onCheck, head, more, children } = props
  const { noRelated } = useWorkTexts().record
  const texts = useWorkTexts().lines
  const label = labelOf(form.related.field)
  const section = useRef<HTMLElement>(null)
  const lines = useLines(form)
  const { rows, cells, setActive } = lines
  const { onPaste } = usePaste(form, lines)
  useEffect(() => onCheck?.(lines.check))
  const showFirst = useEffectEvent(() => {
    const [first] = cells.edits.values()
    if (first) setActive(first.place)
  })
  useEffect(() => {
    if (form.error) showFirst()
  }, [form.error])
  const toGrid = () => section.current?.querySelector<HTMLElement>('[role=grid]')?.focus()
  return (
    <section
      ref={section}
      className="related"
      aria-label={label}
      onPaste={(event) => {
        const isElsewhere = !(event.target as Element).closest('[role=grid]')
        if (isElsewhere && lines.add) onPaste(event, { row: rows.length, column: 0 })
      }}
    >
      {children}
      <header className="related-head">
        {!bar && <h2 dir="auto">{label}</h2>}
        {head}
        {form.rights.mayCreate && (
          <Button look={bar ? 'primary' : 'plain'} disabled={!lines.add} onClick={lines.add}>
            {texts.add}
          </Button>
        )}
      </header>
      {rows.length === 0 ? (
        bar && <EmptyNote title={noRelated} />
      ) : (
        <LinesGrid form={form} lines={lines} label={label} />
      )}
      {more}
      {bar && bar.draft.size > 0 && <Bar bar={bar} lines={lines} toGrid={toGrid} />}
    </section>
  )
}

type BarProps = { readonly bar: LinesBar; readonly lines: Lines; readonly toGrid: () => void }

const Bar = ({ bar, lines, toGrid }: BarProps): ReactNode => {
  const { common } = useTexts()
  const recordPage = useWorkTexts().record
  const { faults } = useWorkTexts().lines
  const [first] = lines.cells.edits.values()
  const save = () => {
    if (bar.isSaving || bar.held !== undefined) return
    if (lines.check()) bar.onSave()
    else toGrid()
  }
  useShortcuts([{ keys: 'Ctrl+s', label: common.save, run: save }])
  const { error, held, draft } = bar
  const isMerged = statusOf(error) === 412
  const said = isMerged ? recordPage.merged : error && wholeMessage(error)
  const refusal = held === undefined ? said : undefined
  useSentFiles(draft, bar.onValue)
  return (
    <div className="save-bar">
      {first ? (
        <span role="alert">
          <button
            type="button"
            className="link-button"
            onClick={() => {
              lines.setActive(first.place)
              toGrid()
            }}
          >
            {faults(lines.cells.edits.size)}
          </button>{' '}
          {refusal}
        </span>
      ) : refusal ? (
        <span role="alert">{refusal}</span>
      ) : (
        <span role="status">{held ?? recordPage.unsaved(draft.size)}</span>
      )}
      <Button look="quiet" onClick={bar.onDiscard}>
        {recordPage.discard}
      </Button>
      <Button look="primary" disabled={bar.isSaving || held !== undefined} onClick={save}>
        {common.save}
      </Button>
    </div>
  )
}
