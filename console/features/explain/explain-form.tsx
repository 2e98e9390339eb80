/** Asks what is to be explained: a record, what happens to it, by whom, and one person. */
import { type ReactNode, useId } from 'react'
import type { Entity, Field } from '../../api/types.ts'
import { useAdminTexts } from '../../texts/admin/texts.ts'
import { PersonInput } from '../administration/person-input.tsx'
import { useSession } from '../session/session.ts'
import { nameOfKey } from '../values/format-value.ts'
import { LinkInput } from '../values/link-input.tsx'
import { eventKey, eventsOf, type RecordEvent } from './explain-events.ts'
import type { ExplainSearch } from './explain-search.ts'

type FormProps = {
  readonly search: ExplainSearch
  readonly onChange: (search: ExplainSearch) => void
}

const recordField = (entity: string): Field => ({
  ...{ key: 'record', type: 'manyToOne', entity, column: 'record_id', isSystem: false },
  required: true,
})

export const ExplainForm = ({ search, onChange }: FormProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const { entities } = useSession()
  const ids = { record: useId(), actor: useId(), user: useId() }
  const { actor: _actor, ...withoutActor } = search
  const { user: _user, ...withoutUser } = search
  const entity = entities.get(search.entity ?? '')
  return (
    <div className="admin-fields">
      <EntityChoice search={search} onChange={onChange} />
      {entity && (
        <>
          <label htmlFor={ids.record}>
            {texts.record}
            <LinkInput
              key={entity.key}
              {...{ id: ids.record, field: recordField(entity.key), timeZone: 'UTC' }}
              {...{ isInvalid: false, describedBy: undefined, linked: undefined }}
              value={search.record ?? null}
              onChange={(value) =>
                typeof value === 'number' &&
                onChange({
                  ...{ entity: entity.key, record: value },
                  ...(search.user !== undefined && { user: search.user }),
                })
              }
            />
          </label>
          <EventChoice entity={entity} search={search} onChange={onChange} />
          <label htmlFor={ids.actor}>
            {texts.actor}
            <PersonInput
              id={ids.actor}
              userId={search.actor}
              onChange={(id) =>
                onChange(id === undefined ? withoutActor : { ...search, actor: id })
              }
            />
          </label>
          <label htmlFor={ids.user}>
            {texts.person}
            <PersonInput
              id={ids.user}
              userId={search.user}
              onChange={(id) => onChange(id === undefined ? withoutUser : { ...search, user: id })}
            />
          </label>
        </>
      )}
    </div>
  )
}

const EntityChoice = ({ search, onChange }: FormProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const { entities } = useSession()
  const notifying = [...entities.values()].filter(
    ({ key, notifications = [] }) => notifications.length > 0 || key === search.entity,
  )
  return (
    <label>
      {texts.entity}
      <select
        className="field-input"
        value={search.entity ?? ''}
        onChange={({ target: { value } }) => onChange(value === '' ? {} : { entity: value })}
      >
        <option value="">{texts.chooseEntity}</option>
        {notifying.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

const EventChoice = ({
  entity,
  search,
  onChange,
}: FormProps & { readonly entity: Entity }): ReactNode => {
  const { explain: texts, rules } = useAdminTexts()
  const events = eventsOf(entity)
  const labelOf = ({ operation, action, from }: RecordEvent): string =>
    action
      ? texts.actionFrom(action.name ?? nameOfKey(action.key), from?.name ?? from?.key ?? '')
      : rules.operations[operation]
  const keyOf = ({ operation, action }: RecordEvent) => eventKey({ operation, action: action?.key })
  const { operation } = search
  const choose = (key: string) => {
    const event = events.find((one) => keyOf(one) === key)
    if (!event) return
    const { action: _action, ...rest } = search
    onChange({
      ...{ ...rest, operation: event.operation },
      ...(event.action && { action: event.action.key }),
    })
  }
  return (
    <label>
      {texts.event}
      <select
        className="field-input"
        value={operation ? eventKey({ operation, action: search.action }) : ''}
        onChange={({ target: { value } }) => choose(value)}
      >
        <option value="" disabled>
          {texts.chooseEvent}
        </option>
        {events.map((event) => (
          <option key={keyOf(event)} value={keyOf(event)}>
            {labelOf(event)}
          </option>
        ))}
      </select>
    </label>
  )
}
