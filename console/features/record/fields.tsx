/** The fields of a record in the order of the definition, with a bar as long as changes are not saved. */
import { type ReactNode, useRef } from 'react'
import type { Entity } from '../../api/types.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { unitIn } from '../forms/draft.ts'
import { fieldIssues, useFaults, useFirstIssue } from '../forms/field-issues.tsx'
import { FieldRow, helpKey } from '../forms/field-row.tsx'
import { useShortcuts } from '../session/shortcuts.ts'
import { choiceCondition } from '../values/choice-condition.ts'
import { isChosen, nameBehind } from '../values/link-names.ts'
import { isOutdated } from '../values/outdated.ts'
import { isEntered, ownFields } from '../values/own-fields.ts'
import { SaveBar } from './save-bar.tsx'
import type { KeptRecord } from './use-kept-record.ts'
import '../forms/forms.css'

type FieldsProps = {
  readonly entity: Entity
  readonly edited: KeptRecord
  readonly mayChange: boolean
}

export const Fields = ({
  entity,
  edited,
  mayChange,
  entities,
}: FieldsProps & { readonly entities: ReadonlyMap<string, Entity> }): ReactNode => {
  const { common } = useTexts()
  const recordPage = useRecordPageTexts()
  const { base, draft, conflicts, save } = edited
  const form = useRef<HTMLFormElement>(null)
  // What was stored before a field had its rules stays, as long as nobody changes it.
  const changed = ownFields(entity).flatMap((field) => {
    const column = field.column ?? field.key
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
  useShortcuts([...(mayChange ? [saving] : []), ...(mayChange && hasHelp ? [help] : [])])
  if (!base) return null
  return (
    <form
      ref={form}
      {...formProps}
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        if (isFit()) save.mutate(draft)
      }}
    >
      {ownFields(entity).map((field) => {
        const column = field.column ?? field.key
        return (
          <FieldRow
            key={column}
            field={field}
            value={edited.valueOf(column)}
            linked={draft.has(column) ? undefined : nameBehind(base.record, field, entities)}
            choices={choiceCondition(entity, field, edited.valueOf)}
            unit={unitIn(field, { entity, entities, record: base.record, draft })}
            isReadOnly={!mayChange || !isEntered(field) || !isChosen(field, entities)}
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
