/** What a list shows instead of rows: that there are none, or what is wrong, and the way out. */
import type { ReactNode } from 'react'
import type { Entity } from '../api/types.ts'
import { isFiltered, type ListSearch, withFilter, withWords } from '../features/grid/list-state.ts'
import { Button } from '../parts/button.tsx'
import { laterPart } from '../parts/later.tsx'
import { EmptyNote, ProblemNote } from '../parts/notes.tsx'
import { useTexts } from '../texts/texts.ts'

const FilterProblem = laterPart(
  async () => (await import('../features/filter/filter-problem.tsx')).FilterProblem,
)

type NoteProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly setSearch: (search: ListSearch) => void
  readonly error: Error | null
}

export const NoRows = ({ entity, search, setSearch, error }: NoteProps): ReactNode => {
  const { list } = useTexts()
  if (error && isFiltered(search))
    return (
      <FilterProblem
        entity={entity}
        error={error}
        where={search.w}
        onChange={(where) => setSearch(withFilter(search, where))}
      />
    )
  if (error) return <ProblemNote error={error} />
  return (
    <EmptyNote title={isFiltered(search) ? list.emptyFiltered : list.empty}>
      {isFiltered(search) && (
        <Button onClick={() => setSearch(withWords(withFilter(search, undefined), ''))}>
          {list.clearFilter}
        </Button>
      )}
    </EmptyNote>
  )
}
