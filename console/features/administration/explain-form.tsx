/** The form of an explanation: a record, an event, the user who causes it, and one recipient. */
import { type ReactNode, useId } from 'react'
import { nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import { placeKey, useRecordNames } from '../../api/record-names.ts'
import type { Entity } from '../../api/types.ts'
import { useAdminTexts } from '../../texts/texts.ts'
import { RecordPicker } from '../search/record-picker.tsx'
import type { ExplainSearch } from '../session/explain-search.ts'
import { useSession } from '../session/session.ts'
import { eventKey, eventsOf, type RecordEvent } from './explain-events.ts'
import { PersonInput } from './person-input.tsx'

type FormProps = {
  readonly search: ExplainSearch
  readonly onChange: (search: ExplainSearch) => void
}

export const ExplainForm = ({ search, onChange }: FormProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const { entities } = useSession()
  const { actor: _actor, ...withoutActor } = search
  const { user: _user, ...withoutUser } = search
  const entity = entities.get(search.entity ?? '')
  return (
    <div className="admin-fields">
      <RecordChoice search={search} accepts={notifies} onChange={onChange} />
      {entity && search.record !== undefined && (
        <>
          <EventChoice entity={entity} search={search} onChange={onChange} />
          <PersonChoice
            label={texts.actor}
            userId={search.actor}
            onChange={(id) => onChange(id === undefined ? withoutActor : { ...search, actor: id })}
          />
          <PersonChoice
            label={texts.person}
            userId={search.user}
            onChange={(id) => onChange(id === undefined ? withoutUser : { ...search, user: id })}
          />
        </>
      )}
    </div>
  )
}

const notifies = ({ notifications = [], permissions }: Entity): boolean =>
  notifications.length > 0 && permissions.read !== false

type RecordProps = FormProps & {
  /** Of which entities one may be chosen. */
  readonly accepts: (entity: Entity) => boolean
}

/** A record; its entity follows. */
export const RecordChoice = ({ search, accepts, onChange }: RecordProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const { entities } = useSession()
  const id = useId()
  const { record, user } = search
  const entity = entities.get(search.entity ?? '')
  const place = entity && record !== undefined ? { entity: entity.key, id: record } : undefined
  const names = useRecordNames(place ? [place] : [], entities)
  return (
    <div>
      <label htmlFor={id}>{texts.record}</label>
      <RecordPicker
        id={id}
        label={texts.record}
        accepts={accepts}
        chosen={place ? (names?.get(placeKey(place)) ?? `${place.id}`) : ''}
        onChoose={(chosen) =>
          chosen &&
          onChange({
            entity: chosen.place.entity,
            record: chosen.place.id,
            ...(user !== undefined && { user }),
          })
        }
      />
      {place && <small dir="auto">{entity?.name}</small>}
    </div>
  )
}

type PersonChoiceProps = {
  readonly label: string
  readonly userId: number | undefined
  readonly onChange: (userId: number | undefined) => void
}

export const PersonChoice = ({ label, ...props }: PersonChoiceProps): ReactNode => {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <PersonInput id={id} {...props} />
    </div>
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
      ? `${action.name ?? nameOfKey(action.key)} (${from?.name ?? from?.key})`
      : rules.operations[operation]
  const keyOf = ({ operation, action }: RecordEvent) => eventKey({ operation, action: action?.key })
  const { operation } = search
  const choose = (key: string) => {
    const event = events.find((one) => keyOf(one) === key)
    if (!event) return
    const { action: _action, ...rest } = search
    onChange({
      ...rest,
      operation: event.operation,
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
