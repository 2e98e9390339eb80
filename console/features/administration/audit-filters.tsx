/** What the audit is narrowed down to: what happened, to what, by whom, and on which days. */
import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { type AuditQuery, openAuditFile } from '../../api/admin/audit.ts'
import { Button } from '../../parts/button.tsx'
import { Choice } from '../../parts/choice.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { chooseTarget, type OfferedFile } from '../export/file-target.ts'
import { asId, asText, givenOf } from '../session/address-values.ts'
import { useReading, useSession } from '../session/session.ts'
import { fromLocalTime, isLocalText } from '../values/local-text.ts'
import { TemporalInput } from '../values/temporal-input.tsx'
import './administration.css'
import { PersonInput } from './person-input.tsx'
import { Failure } from './work-table.tsx'

type FilterProps = {
  readonly search: AuditSearch
  readonly onChange: (search: AuditSearch) => void
}

export const AuditFilters = ({ search, onChange }: FilterProps): ReactNode => {
  const { audit: texts } = useAdminTexts()
  const person = useId()
  return (
    <div className="admin-fields">
      <LabelledChoice
        label={texts.what}
        none={texts.allKinds}
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

type ChoiceProps = ComponentProps<typeof Choice> & { readonly label: string }

const LabelledChoice = ({ label, ...props }: ChoiceProps): ReactNode => (
  <label>
    {label}
    <Choice {...props} />
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
    <LabelledChoice
      label={deliveries.entity}
      none={deliveries.allEntities}
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

// Which entries of the audit a page shows, as its address says it.

/** Days are those of the zone in which the user reads times. */
type AuditSearch = Omit<AuditQuery, 'to'> & { readonly until?: string | undefined }

const asDay = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseAuditSearch = (
  search: Readonly<Record<string, unknown>>,
  kinds: readonly string[],
): AuditSearch => {
  const entity = asText(search.entity)
  return givenOf({
    user: asId(search.user),
    kind: kinds.find((kind) => kind === search.kind),
    entity: entity !== undefined && /^[a-z][a-z0-9_]{0,62}$/.test(entity) ? entity : undefined,
    record: entity === undefined ? undefined : asId(search.record),
    from: asDay(search.from),
    until: asDay(search.until),
  })
}

const dayMs = 86_400_000

const beginningOf = (day: string, timeZone: string): string | undefined =>
  fromLocalTime(`${day}T00:00:00`, timeZone) ?? undefined

/** The first day as a whole to the last one as a whole. */
export const askedOf = ({ from, until, ...rest }: AuditSearch, timeZone: string): AuditQuery => {
  const next = until && new Date(Date.parse(until) + dayMs).toISOString().slice(0, 10)
  return givenOf({
    ...rest,
    from: from && beginningOf(from, timeZone),
    to: next && beginningOf(next, timeZone),
  })
}

/** Saves what the list shows, all of it, as a file. */
export const AuditExport = ({ filter }: { readonly filter: AuditQuery }): ReactNode => {
  const { audit: texts } = useAdminTexts()
  const saving = useMutation({ mutationFn: () => save(filter) })
  return (
    <span className="admin-row">
      <Button disabled={saving.isPending} onClick={() => saving.mutate()}>
        {texts.save}
      </Button>
      <Failure error={saving.error} />
    </span>
  )
}

/** A file that was cut is not kept. */
const save = async (filter: AuditQuery): Promise<void> => {
  const name = `audit-${new Date().toISOString().slice(0, 10)}.csv`
  const target = await chooseTarget(name)
  if (!target) return
  try {
    const { body } = await openAuditFile(filter)
    for await (const bytes of partsOf(body)) await target.write(bytes)
    offer(await target.keep(), name)
  } catch (error) {
    await target.discard()
    throw error
  }
}

async function* partsOf(body: ReadableStream<Uint8Array<ArrayBuffer>> | null) {
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    yield part.value
}

const offer = (file: OfferedFile | undefined, name: string): void => {
  if (!file) return
  const link = document.createElement('a')
  link.href = file.url
  link.download = name
  link.click()
  file.forget()
}
