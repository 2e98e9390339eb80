/** A new record of an entity. */
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useRef } from 'react'
import type { Entity, RecordRow } from '../api/types.ts'
import { unitIn } from '../features/forms/draft.ts'
import {
  type Entered,
  fieldIssues,
  IssueLinks,
  useFaults,
  useFirstIssue,
} from '../features/forms/field-issues.tsx'
import { FieldRow } from '../features/forms/field-row.tsx'
import { LeaveDialog } from '../features/forms/open-form.tsx'
import { givenValues, parentOf } from '../features/record/given-values.ts'
import { nameOf } from '../features/record/record-head.tsx'
import { useNewRecord } from '../features/record/use-new-record.ts'
import { PageHeading } from '../features/session/page-title.tsx'
import { useSession } from '../features/session/session.ts'
import { useShortcuts } from '../features/session/shortcuts.ts'
import { choiceCondition } from '../features/values/choice-condition.ts'
import { isBlank } from '../features/values/entered.ts'
import { isChosen } from '../features/values/link-names.ts'
import { isEntered, ownFields } from '../features/values/own-fields.ts'
import { TypedRecipients } from '../features/values/typed-recipients.tsx'
import { Button } from '../parts/button.tsx'
import { firstField, usePageFocus } from '../parts/use-page-focus.ts'
import { useRecordPageTexts } from '../texts/record-page/texts.ts'
import { useTexts } from '../texts/texts.ts'
import { NotFound } from './not-found.tsx'
import './new-record.css'

export const texts = [useRecordPageTexts] as const

export const NewRecord = (): ReactNode => {
  const { entity: key } = useParams({ from: '/$entity/new' })
  const entity = useSession().entities.get(key)
  if (!entity?.permissions.create) return <NotFound />
  return <Form key={key} entity={entity} />
}

/** Where the page came from and leads to: the record that the new one belongs to, or the new one itself. */
const useWay = (entity: Entity) => {
  const { entities } = useSession()
  const search = useSearch({ from: '/$entity/new' })
  const navigate = useNavigate()
  const parent = parentOf(entity, search, entities)
  const back = parent
    ? ({
        to: '/$entity/$id',
        params: { entity: parent.entity.key, id: `${parent.id}` },
        hash: parent.field.key,
      } as const)
    : ({ to: '/$entity', params: { entity: entity.key } } as const)
  const leave = ({ id }: RecordRow) =>
    navigate({
      replace: true,
      ...(parent ? back : { to: '/$entity/$id', params: { entity: entity.key, id: `${id}` } }),
    })
  return { given: givenValues(entity, search), back, leave, hasParent: parent !== undefined }
}

/** What is entered; where nothing is, the service takes the default, and derives some values of its own entities. */
const enteredIn = (entity: Entity, values: ReadonlyMap<string, unknown>): readonly Entered[] =>
  ownFields(entity)
    .filter(isEntered)
    .map((field) => ({
      field,
      value: values.get(field.column ?? field.key),
      isNeeded: field.required === true && isBlank(field.default) && !entity.isNative,
    }))

const Form = ({ entity }: { readonly entity: Entity }): ReactNode => {
  const { record, common, drafts } = useTexts()
  const { entities } = useSession()
  const recordPage = useRecordPageTexts()
  const { given, back, leave, hasParent } = useWay(entity)
  const edited = useNewRecord(entity, given)
  const { values, create, setValue, restart } = edited
  const form = useRef<HTMLFormElement>(null)
  usePageFocus(form)
  const { faults, isFit, forgetFaults, formProps } = useFaults(form, enteredIn(entity, values))
  const issues = fieldIssues(
    entity,
    { error: create.error, values: create.variables, faults },
    values,
  )
  useFirstIssue(form, create.error, issues)
  useShortcuts([{ keys: 'Ctrl+s', label: record.create, run: () => form.current?.requestSubmit() }])
  const beginAgain = () => {
    restart()
    forgetFaults()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isFit()) create.mutate(values, { onSuccess: leave })
  }
  const createAnother = () => {
    if (!isFit()) return
    create.mutate(values, {
      onSuccess: () => {
        beginAgain()
        firstField(form.current)?.focus()
      },
    })
  }
  return (
    <div className="new-record">
      <header>
        <Link to="/$entity" params={{ entity: entity.key }}>
          <span dir="auto">{entity.pluralName}</span>
        </Link>
        <PageHeading title={record.newOf(entity.name)} />
      </header>
      <LeaveDialog isUnsaved={edited.isUnsaved} onDiscard={beginAgain} />
      <form ref={form} {...formProps} className="fields" onSubmit={submit}>
        {ownFields(entity)
          .filter((field) => isEntered(field) && (field.required || isChosen(field, entities)))
          .map((field) => {
            const column = field.column ?? field.key
            return (
              <FieldRow
                key={column}
                field={field}
                value={values.get(column) ?? null}
                choices={choiceCondition(entity, field, (name) => values.get(name))}
                unit={unitIn(field, { entity, entities, record: { id: 0 }, draft: values })}
                isReadOnly={false}
                isGiven={given.some(([name]) => name === column)}
                issue={issues.get(column)?.text}
                onChange={(value) => value !== undefined && setValue(column, value)}
              />
            )
          })}
        <TypedRecipients
          entity={entity}
          // The others have their defaults.
          values={new Map([...values].filter(([, value]) => value !== null))}
          intent={{ operation: 'create' }}
        />
        <div className="save-bar">
          {issues.size > 0 && <IssueLinks issues={issues} form={form} error={create.error} />}
          <span role="status" hidden={issues.size > 0}>
            {create.error && <span role="alert">{create.error.message}</span>}
            {edited.isRestored && <span className="save-note">{drafts.restored}</span>}
            {create.data && recordPage.created(nameOf(entity, create.data))}
          </span>
          {edited.isRestored && <Button onClick={beginAgain}>{record.discard}</Button>}
          <Link {...back} className="button" data-look="quiet">
            {common.cancel}
          </Link>
          {hasParent && (
            <Button disabled={create.isPending} onClick={createAnother}>
              {recordPage.createAnother}
            </Button>
          )}
          <Button type="submit" look="primary" disabled={create.isPending}>
            {record.create}
          </Button>
        </div>
      </form>
    </div>
  )
}
