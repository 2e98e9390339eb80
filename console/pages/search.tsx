/** Records of all entities that words find, by entity; the words stand in the address. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import type { Entity } from '../api/types.ts'
import { SearchInput } from '../features/filter/search-input.tsx'
import { FoundGroup, useFound } from '../features/search/found-records.tsx'
import { PageHeading } from '../features/session/page-title.tsx'
import { useSession } from '../features/session/session.ts'
import { usePageFocus } from '../parts/focus.ts'
import { EmptyNote, ProblemNote, Waiting } from '../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../texts/texts.ts'
import './search.css'

const mostOfEach = 10

export const Search = (): ReactNode => {
  const { palette } = useTexts()
  const texts = useWorkTexts().search
  const { q = '' } = useSearch({ from: '/-/search' })
  const navigate = useNavigate({ from: '/-/search' })
  const form = useRef<HTMLFormElement>(null)
  usePageFocus(form)
  return (
    // The arrow keys only move the focus, which Tab does too.
    // biome-ignore lint/a11y/noStaticElementInteractions: its parts have the keys
    <div className="found" onKeyDown={moveFocus}>
      <PageHeading title={texts.title} />
      <form ref={form} onSubmit={(event) => event.preventDefault()}>
        <SearchInput
          label={palette.title}
          words={q}
          onWords={(words) => void navigate({ search: words ? { q: words } : {}, replace: true })}
        />
      </form>
      {q === '' ? <p className="found-help">{texts.help}</p> : <Results words={q} />}
    </div>
  )
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** From the words to the records below them, and back. */
const moveFocus = (event: KeyboardEvent): void => {
  const step = steps[event.key]
  if (step === undefined || event.altKey || !(event.target instanceof HTMLElement)) return
  const places = [
    ...event.currentTarget.querySelectorAll<HTMLElement>('input, .found-rows a, .found-lists a'),
  ]
  const next = places[places.indexOf(event.target) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

const Results = ({ words }: { readonly words: string }): ReactNode => {
  const texts = useWorkTexts().search
  const { entities } = useSession()
  const { records, incomplete, isPending, error, refetch } = useFound(words, mostOfEach)
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (isPending) return <Waiting />
  const readable = [...entities.values()].filter(({ permissions }) => permissions.read !== false)
  const slow = readable.filter(({ key }) => incomplete.includes(key))
  const own = readable.filter(({ isNative }) => !isNative)
  return (
    <>
      {[...Map.groupBy(records, ({ entity }) => entity)].map(([key, found]) => {
        const entity = entities.get(key)
        return entity && <FoundGroup key={key} entity={entity} words={words} records={found} />
      })}
      {slow.length > 0 && <Lists title={texts.incomplete} entities={slow} words={words} />}
      {records.length === 0 ? (
        <EmptyNote title={texts.none(words)}>
          <Lists title={texts.noneHelp} entities={own} words={words} />
        </EmptyNote>
      ) : (
        <Lists title={texts.lists} entities={own} words={words} />
      )}
    </>
  )
}

type ListsProps = {
  readonly title: string
  readonly entities: readonly Entity[]
  readonly words: string
}

/** Ways to the lists that have the words in any field. */
const Lists = ({ title, entities, words }: ListsProps): ReactNode => (
  <div className="found-lists">
    <p>{title}</p>
    <ul>
      {entities.map(({ key, pluralName }) => (
        <li key={key}>
          <Link
            to="/$entity"
            params={{ entity: key }}
            search={{ q: words }}
            className="button"
            data-look="plain"
          >
            <span dir="auto">{pluralName}</span>
          </Link>
        </li>
      ))}
    </ul>
  </div>
)
