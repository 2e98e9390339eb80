/** What the audit is narrowed down to: what happened, to what, by whom, and on which days. */
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import { isLocalText } from '../values/local-text.ts'
import { TemporalInput } from '../values/temporal-input.tsx'
import type { AuditSearch } from './audit-search.ts'
import { PersonInput } from './person-input.tsx'
import './administration.css'

type FilterProps = {
  readonly search: AuditSearch
  readonly onChange: (search: AuditSearch) => void
}

export const AuditFilters = ({ search, onChange }: FilterProps): ReactNode => {
  const { audit: texts } = useAdminTexts()
  const person = useId()
  return (
    <div className="admin-fields">
      <Choice
        label={texts.what}
        all={texts.allKinds}
        value={search.kind}
        options={Object.entries(texts.kinds)}
        onChange={(kind) => onChange({ ...search, kind })}
      />
      <EntityFilter search={search} onChange={onChange} />
      <div>
        <label htmlFor={person}>{texts.person}</label>
        <PersonInput
          id={person}
          userId={search.user}
          onChange={(user) => onChange({ ...search, user })}
        />
      </div>
      <Day
        label={texts.from}
        value={search.from}
        onChange={(from) => onChange({ ...search, from })}
      />
      <Day
        label={texts.until}
        value={search.until}
        onChange={(until) => onChange({ ...search, until })}
      />
    </div>
  )
}

type ChoiceProps = {
  readonly label: string
  readonly all: string
  readonly value: string | undefined
  readonly options: readonly (readonly [value: string, name: string])[]
  readonly onChange: (value: string | undefined) => void
}

const Choice = ({ label, all, value = '', options, onChange }: ChoiceProps): ReactNode => (
  <label>
    {label}
    <select
      className="field-input"
      value={value}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    >
      <option value="">{all}</option>
      {options.map(([key, name]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  </label>
)

/** With a record of an entity the record alone, until it is taken away. */
const EntityFilter = ({ search, onChange }: FilterProps): ReactNode => {
  const { deliveries, recordOf, removeFilter, record: recordLabel } = useAdminTexts()
  const { entities } = useSession()
  const { entity, record, ...rest } = search
  if (entity !== undefined && record !== undefined) {
    const name = recordOf(entities.get(entity)?.name ?? entity, record)
    return (
      <Button aria-label={removeFilter(`${recordLabel}: ${name}`)} onClick={() => onChange(rest)}>
        <span dir="auto">{name}</span> {closeIcon}
      </Button>
    )
  }
  const known = [...entities.values()].map(({ key, name }) => [key, name] as const)
  // One that the user knows nothing else of, or that was removed.
  const other = entity === undefined || entities.has(entity) ? [] : [[entity, entity] as const]
  return (
    <Choice
      label={deliveries.entity}
      all={deliveries.allEntities}
      value={entity}
      options={[...known, ...other]}
      onChange={(chosen) => onChange({ ...rest, entity: chosen })}
    />
  )
}

type DayProps = {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

const Day = ({ label, value = '', onChange }: DayProps): ReactNode => {
  const id = useId()
  const { timeZone } = useReading()
  // What is no day yet, and filters nothing.
  const [typed, setTyped] = useState<string>()
  const change = (text: string) => {
    const isDay = text === '' || isLocalText(text)
    setTyped(isDay ? undefined : text)
    if (isDay) onChange(text === '' ? undefined : text)
  }
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <TemporalInput
        id={id}
        aria-invalid={typed !== undefined || undefined}
        value={typed ?? value}
        hasTime={false}
        timeZone={timeZone}
        onChange={change}
      />
    </div>
  )
}
