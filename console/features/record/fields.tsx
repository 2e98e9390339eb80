/** The form of a record: its fields in the order of the definition, and a bar while changes are not saved. */
import { type ReactNode, useRef } from 'react'
import { statusOf } from '../../api/client.ts'
import type { Entity, Field } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { unitIn } from '../forms/draft.ts'
import {
  fieldIssues,
  IssueLinks,
  type LinksProps,
  useFaults,
  useFirstIssue,
  wholeMessage,
} from '../forms/field-issues.tsx'
import { FieldRow, helpKey } from '../forms/field-row.tsx'
import { useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { choiceCondition } from '../values/choice-condition.ts'
import { isChosen, nameBehind } from '../values/columns.ts'
import { columnOf, isEntered, isOutdated, ownFields } from '../values/own-fields.ts'
import type { EditedRecord } from './edited-record.ts'
import '../forms/forms.css'

type FieldsProps = {
  readonly entity: Entity
  readonly edited: EditedRecord
  readonly mayChange: boolean
  /** The keys of those that a step locks. */
  readonly locked: ReadonlySet<string>
}

export const Fields = ({ entity, edited, mayChange, locked }: FieldsProps): ReactNode => {
  const { entities } = useSession()
  const { common } = useTexts()
  const recordPage = useWorkTexts().record
  const { base, draft, conflicts, save } = edited
  const form = useRef<HTMLFormElement>(null)
  // A value that was stored before its field had these rules is checked only when it is changed.
  const changed = ownFields(entity).flatMap((field) => {
    const column = columnOf(field)
    const isNeeded = field.required === true
    return draft.has(column) ? [{ field, value: draft.get(column), isNeeded }] : []
  })
  const { faults, isFit, formProps } = useFaults(form, changed)
  const issues = fieldIssues(entity, { error: save.error, values: save.variables, faults }, draft)
  useFirstIssue(form, save.error, issues)
  const submit = () => draft.size > 0 && form.current?.requestSubmit()
  const help = { keys: helpKey, label: recordPage.helpOfField }
  const saving = { keys: 'Ctrl+s', label: common.save, run: submit }
  const hasHelp = ownFields(entity).some(({ description }) => description !== undefined)
  const mayEnter = (field: Field) =>
    mayChange && !locked.has(field.key) && isEntered(field) && isChosen(field, entities)
  useShortcuts([...(mayChange ? [saving] : []), ...(mayChange && hasHelp ? [help] : [])])
  if (!base) return null
  return (
    <form
      ref={form}
      {...formProps}
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        // The key comes here also while the button is disabled.
        if (maySave(edited) && isFit()) save.mutate(draft)
      }}
    >
      {ownFields(entity).map((field) => {
        const column = columnOf(field)
        return (
          <FieldRow
            key={column}
            field={field}
            place={{ entity: entity.key, id: base.record.id }}
            value={edited.valueOf(column)}
            linked={draft.has(column) ? undefined : nameBehind(base.record, field, entities)}
            choices={choiceCondition(entity, field, edited.valueOf)}
            unit={unitIn(field, { entity, entities, record: base.record, draft })}
            isReadOnly={!mayEnter(field)}
            isChanged={draft.has(column)}
            isOutdated={isOutdated(field, (name) => draft.has(name))}
            issue={issues.get(column)?.text}
            conflict={conflicts.find((one) => one.column === column)}
            onChange={(value) => value !== undefined && edited.setValue(column, value)}
            onKeepMine={() => edited.keepMine(column)}
          />
        )
      })}
      <SaveBar edited={edited} issues={issues} form={form} />
    </form>
  )
}

const maySave = ({ save, conflicts, isGone }: EditedRecord): boolean =>
  !save.isPending && conflicts.length === 0 && !isGone

type BarProps = LinksProps & { readonly edited: EditedRecord }

/** Below the fields while changes are not saved: what is wrong with them, discarding and saving. */
const SaveBar = ({ edited, issues, form }: BarProps): ReactNode => {
  const { common } = useTexts()
  const { discard } = useWorkTexts().record
  const { draft, save } = edited
  if (draft.size === 0) return null
  return (
    <div className="save-bar">
      {issues.size > 0 ? (
        <IssueLinks issues={issues} form={form} error={save.error} />
      ) : (
        <State edited={edited} />
      )}
      <Button look="quiet" onClick={edited.discard}>
        {discard}
      </Button>
      <Button type="submit" look="primary" disabled={!maySave(edited)}>
        {common.save}
      </Button>
    </div>
  )
}

const State = ({ edited }: { readonly edited: EditedRecord }): ReactNode => {
  const { drafts } = useWorkTexts()
  const recordPage = useWorkTexts().record
  const { draft, save, conflicts, isRestored } = edited
  const isMerged = statusOf(save.error) === 412
  const refusal = isMerged ? recordPage.merged : save.error && wholeMessage(save.error)
  if (refusal && conflicts.length === 0) return <span role="alert">{refusal}</span>
  return (
    <span role="status">
      {conflicts.length > 0
        ? recordPage.conflicts(conflicts.length)
        : recordPage.unsaved(draft.size)}
      {isRestored && <span className="save-note"> {drafts.restored}</span>}
    </span>
  )
}
