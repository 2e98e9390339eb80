/** Records that were removed: which, when and by whom, the newest first, and restoring one or many of them. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import type { Target } from '../api/bulk.ts'
import {
  momentColumn,
  type RemovedRow,
  removedRowsQuery,
  removerColumn,
} from '../api/records/removed.ts'
import type { Entity } from '../api/types.ts'
import { restoreMany } from '../features/bulk/bulk-write.ts'
import { reasonOf } from '../features/bulk/operations.ts'
import { SearchInput } from '../features/filter/search-input.tsx'
import { formatMoment } from '../features/format/format-value.ts'
import { refreshChanged } from '../features/forms/undo.ts'
import type { RemovedSearch } from '../features/search/found-search.ts'
import { MoreWork, useLimit } from '../features/session/list-and-detail.tsx'
import { PageHeading } from '../features/session/page-title.tsx'
import { findsRemoved, useReading, useSession } from '../features/session/session.ts'
import { columnsAt, type Entities, pathsOf, textAt } from '../features/values/columns.ts'
import { Button } from '../parts/button.tsx'
import { EmptyNote, ProblemNote, StaleNote, Waiting } from '../parts/notes.tsx'
import { useTexts, useWorkTexts, type WorkTexts } from '../texts/texts.ts'
import './removed.css'

const pageSize = 50

export const Removed = (): ReactNode => {
  const { title } = useTexts().removed
  const texts = useWorkTexts().removed
  const { entities } = useSession()
  const search = useSearch({ from: '/-/removed' })
  const navigate = useNavigate({ from: '/-/removed' })
  const found = [...entities.values()].filter(findsRemoved)
  const setSearch = (next: RemovedSearch) => void navigate({ search: next, replace: true })
  const { q = '', ...rest } = search
  return (
    <div className="removed">
      <PageHeading title={title} />
      <p className="removed-help">{texts.help}</p>
      <div className="removed-filter">
        <EntityChoice
          entities={found}
          chosen={search.entity}
          onChoose={(entity) => setSearch({ ...(q && { q }), ...(entity && { entity }) })}
        />
        <SearchInput
          label={texts.find}
          words={q}
          onWords={(words) => setSearch({ ...rest, ...(words && { q: words }) })}
        />
      </div>
      <Rows
        key={JSON.stringify(search)}
        wanted={found.filter(({ key }) => (search.entity ?? key) === key)}
        words={q}
        onClear={Object.keys(search).length > 0 ? () => setSearch({}) : undefined}
      />
    </div>
  )
}

type ChoiceProps = {
  readonly entities: readonly Entity[]
  readonly chosen: string | undefined
  readonly onChoose: (entity: string) => void
}

const EntityChoice = ({ entities, chosen = '', onChoose }: ChoiceProps): ReactNode => {
  const texts = useWorkTexts().removed
  const isKnown = chosen === '' || entities.some(({ key }) => key === chosen)
  return (
    <select
      className="field-input"
      aria-label={texts.entity}
      value={chosen}
      onChange={({ target }) => onChoose(target.value)}
    >
      <option value="">{texts.allEntities}</option>
      {entities.map(({ key, pluralName }) => (
        <option key={key} value={key}>
          {pluralName}
        </option>
      ))}
      {!isKnown && <option value={chosen}>{chosen}</option>}
    </select>
  )
}

/** A removed record as a row of the page. */
type Item = {
  /** Ids of different entities are the same. */
  readonly key: string
  readonly entity: Entity
  readonly target: Target
}

const itemsOf = (rows: readonly RemovedRow[], entities: Entities): readonly Item[] =>
  rows.flatMap(({ entity: key, row }) => {
    const entity = entities.get(key)
    if (!entity) return []
    const name = String(row[entity.displayField] ?? `${entity.name} ${row.id}`)
    const target = { id: row.id, version: Number(row._version), name, row }
    return [{ key: `${key} ${row.id}`, entity, target }]
  })

const mayRestore = ({ entity }: Item): boolean => entity.permissions.delete !== false

/** What is read of the removed records of an entity. */
const wantedOf = (entity: Entity, entities: Entities) => ({
  entity: entity.key,
  paths: [
    entity.displayField,
    ...columnsAt([momentColumn, removerColumn], entity, entities).flatMap(pathsOf),
  ],
  isDated: entity.fields.some(({ column }) => column === momentColumn),
})

type RowsProps = {
  readonly wanted: readonly Entity[]
  readonly words: string
  /** Undefined where nothing narrows the records down. */
  readonly onClear: (() => void) | undefined
}

const Rows = ({ wanted, words, onClear }: RowsProps): ReactNode => {
  const texts = useWorkTexts().removed
  const { entities } = useSession()
  const limit = useLimit(pageSize)
  const asked = wanted.map((one) => wantedOf(one, entities))
  const { data, error, refetch } = useQuery({
    ...removedRowsQuery(asked, words, limit.limit),
    placeholderData: (before) => before,
  })
  const restore = useRestore()
  if (!data && error) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Waiting />
  const items = itemsOf(data.rows, entities)
  const slow = data.incomplete.map((key) => entities.get(key)?.pluralName ?? key)
  return (
    <>
      <StaleNote error={error} onRetry={() => void refetch()} />
      {slow.length > 0 && (
        <p role="alert" className="removed-refused">
          {texts.incomplete(slow.join(', '))}
        </p>
      )}
      {items.some(mayRestore) && <RestoreBar items={items} restore={restore} />}
      <Said restore={restore} />
      {items.length > 0 && (
        <ul className="removed-list" aria-label={texts.list}>
          {items.map((item) => (
            <RemovedItem key={item.key} item={item} restore={restore} />
          ))}
        </ul>
      )}
      {items.length === 0 && slow.length === 0 && (
        <EmptyNote title={onClear ? texts.emptyFiltered : texts.empty}>
          {onClear && <Button onClick={onClear}>{texts.clear}</Button>}
        </EmptyNote>
      )}
      {limit.hasMore(items.length) && <MoreWork limit={limit} />}
    </>
  )
}

type Result = {
  readonly restored: readonly Item[]
  /** By key of a record: why it was not restored. */
  readonly reasons: ReadonlyMap<string, string>
  /** Why the rest was not reached. */
  readonly error?: Error
}

type Progress = { readonly onDone: (count: number) => void; readonly bulk: WorkTexts['bulk'] }

/** One after the other, what was removed last first: what a record belongs to was removed after it. */
const restoreItems = async (
  client: QueryClient,
  items: readonly Item[],
  { onDone, bulk }: Progress,
): Promise<Result> => {
  const restored: Item[] = []
  const reasons = new Map<string, string>()
  for (const [at, item] of items.entries()) {
    const { entity, target, key } = item
    const onProgress = () => onDone(at + 1)
    const { outcomes, error } = await restoreMany(client, entity.key, [target], { onProgress })
    if (error) return { restored, reasons, error }
    const refused = outcomes.find(({ status }) => status === 'refused')
    if (refused) reasons.set(key, reasonOf(refused, entity, bulk))
    else restored.push(item)
  }
  return { restored, reasons }
}

/** Which records are selected, restoring them, and what became of that. */
const useRestore = () => {
  const client = useQueryClient()
  const { bulk } = useWorkTexts()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [reasons, setReasons] = useState<Result['reasons']>(new Map())
  const [done, setDone] = useState(0)
  const write = useMutation({
    mutationFn: async (items: readonly Item[]) => {
      setDone(0)
      const result = await restoreItems(client, items, { onDone: setDone, bulk })
      setSelected((now) => now.difference(new Set(result.restored.map(({ key }) => key))))
      const tried = new Set(items.map(({ key }) => key))
      setReasons(
        (now) => new Map([...[...now].filter(([key]) => !tried.has(key)), ...result.reasons]),
      )
      const changed = new Set(items.map(({ entity }) => entity.key))
      await Promise.all([...changed].map((key) => refreshChanged(client, key)))
      return result
    },
  })
  return {
    selected,
    setSelected,
    /** Of this and of earlier attempts. */
    reasons,
    run: (items: readonly Item[]) => write.mutate(items),
    isBusy: write.isPending,
    progress: { done, total: write.variables?.length ?? 0 },
    result: write.data,
  }
}

type Restore = ReturnType<typeof useRestore>

type BarProps = { readonly items: readonly Item[]; readonly restore: Restore }

/** All that are shown at once, and restoring what is selected. */
const RestoreBar = ({ items, restore }: BarProps): ReactNode => {
  const texts = useWorkTexts().removed
  const { selected, setSelected, isBusy } = restore
  const offered = items.filter(mayRestore)
  const chosen = offered.filter(({ key }) => selected.has(key))
  const isAll = chosen.length === offered.length
  return (
    <div className="removed-bar">
      <label>
        <input
          type="checkbox"
          checked={isAll}
          onChange={() => setSelected(new Set(isAll ? [] : offered.map(({ key }) => key)))}
        />
        {texts.selectAll}
      </label>
      <Button
        look="primary"
        disabled={isBusy || chosen.length === 0}
        onClick={() => restore.run(chosen)}
      >
        {chosen.length === 0 ? texts.restoreSelected : texts.restore(chosen.length)}
      </Button>
    </div>
  )
}

/** How far restoring is, and what became of it. */
const Said = ({ restore: { isBusy, progress, result } }: Pick<BarProps, 'restore'>): ReactNode => {
  const texts = useWorkTexts().removed
  const { restored = [], reasons, error } = (!isBusy && result) || {}
  const refused = reasons?.size ?? 0
  return (
    <>
      <div role="status" className="removed-said">
        {isBusy && progress.total > 1 && <p>{texts.restoring(progress.done, progress.total)}</p>}
        {restored.length > 0 && <p>{texts.restored(restored.length)}</p>}
        {refused > 0 && <p className="removed-refused">{texts.refused(refused)}</p>}
      </div>
      {error && (
        <p role="alert" className="removed-refused" dir="auto">
          {error.message}
        </p>
      )}
    </>
  )
}

type ItemProps = { readonly item: Item; readonly restore: Restore }

const RemovedItem = ({ item, restore }: ItemProps): ReactNode => {
  const { selection } = useTexts()
  const { removed: texts, record } = useWorkTexts()
  const reasonId = useId()
  const { key, entity, target } = item
  const { selected, setSelected, isBusy, reasons } = restore
  const reason = reasons.get(key)
  const isOffered = mayRestore(item)
  return (
    <li>
      {isOffered && (
        <input
          type="checkbox"
          aria-label={selection.select(target.name)}
          aria-describedby={reason === undefined ? undefined : reasonId}
          checked={selected.has(key)}
          onChange={() => setSelected((now) => now.symmetricDifference(new Set([key])))}
        />
      )}
      <div className="removed-text">
        <Link to="/$entity/$id" params={{ entity: entity.key, id: `${target.id}` }} dir="auto">
          {target.name}
        </Link>
        <Facts item={item} />
        {reason !== undefined && (
          <p id={reasonId} className="removed-refused" dir="auto">
            {reason}
          </p>
        )}
      </div>
      {isOffered && (
        <Button
          disabled={isBusy}
          aria-label={texts.restoreOne(target.name)}
          onClick={() => restore.run([item])}
        >
          {record.restore}
        </Button>
      )}
    </li>
  )
}

/** What it is, who removed it and when, as far as the user may see that. */
const Facts = ({ item: { entity, target } }: Pick<ItemProps, 'item'>): ReactNode => {
  const texts = useWorkTexts().removed
  const { entities } = useSession()
  const reading = useReading()
  const [remover] = columnsAt([removerColumn], entity, entities)
  const who = remover ? textAt(target.row, remover, reading) : ''
  const at = target.row[momentColumn]
  return (
    <small>
      <span dir="auto">{entity.name}</span> ·{' '}
      <span dir="auto">{who === '' ? texts.removedAt : texts.by(who)}</span>
      {typeof at === 'string' && (
        <>
          {' · '}
          <time dateTime={at}>{formatMoment(at, reading)}</time>
        </>
      )}
    </small>
  )
}
