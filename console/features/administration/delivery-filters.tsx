/** Narrows deliveries down to words, a channel, an entity, a record or a recipient. */
import { type ReactNode, useId } from 'react'
import type { DeliveryFilter } from '../../api/admin/deliveries.ts'
import { Button } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { SearchInput } from '../filter/search-input.tsx'
import { useSession } from '../session/session.ts'
import { deliveryChannels } from './delivery-search.ts'
import { PersonInput } from './person-input.tsx'
import './administration.css'

type FiltersProps = {
  readonly filter: DeliveryFilter
  readonly onChange: (filter: DeliveryFilter) => void
}

export const DeliveryFilters = ({ filter, onChange }: FiltersProps): ReactNode => {
  const { deliveries: texts } = useAdminTexts()
  const recipient = useId()
  const { user, ...rest } = filter
  return (
    <div className="admin-fields">
      <SearchInput
        label={texts.find}
        words={filter.q ?? ''}
        onWords={(q) => onChange({ ...filter, q: q === '' ? undefined : q })}
      />
      <label>
        {texts.channel}
        <select
          className="field-input"
          value={filter.channel ?? ''}
          onChange={({ target: { value } }) => {
            const channel = deliveryChannels.find((one) => one === value)
            onChange({ ...filter, channel })
          }}
        >
          <option value="">{texts.allChannels}</option>
          {deliveryChannels.map((channel) => (
            <option key={channel} value={channel}>
              {texts.channels[channel]}
            </option>
          ))}
        </select>
      </label>
      <EntityFilter filter={filter} onChange={onChange} />
      <div>
        <label htmlFor={recipient}>{texts.recipient}</label>
        <PersonInput
          id={recipient}
          userId={user}
          onChange={(id) => onChange(id === undefined ? rest : { ...rest, user: id })}
        />
      </div>
    </div>
  )
}

/** Entities that notify; with a record of one the record alone, until it is taken away. */
const EntityFilter = ({ filter, onChange }: FiltersProps): ReactNode => {
  const { deliveries: texts, recordOf, removeFilter, record: recordLabel } = useAdminTexts()
  const { entities } = useSession()
  const { entity = '', record, ...rest } = filter
  if (record !== undefined) {
    const name = recordOf(entities.get(entity)?.name ?? entity, record)
    return (
      <Button
        aria-label={removeFilter(`${recordLabel}: ${name}`)}
        onClick={() => onChange({ ...rest })}
      >
        <span dir="auto">{name}</span> {closeIcon}
      </Button>
    )
  }
  const notifying = [...entities.values()].filter(
    ({ key, notifications = [] }) => notifications.length > 0 || key === entity,
  )
  return (
    <label>
      {texts.entity}
      <select
        className="field-input"
        value={entity}
        onChange={({ target: { value } }) =>
          onChange(value === '' ? rest : { ...rest, entity: value })
        }
      >
        <option value="">{texts.allEntities}</option>
        {notifying.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
