/** The filter of a list: words, a form for one more condition, and what there is already. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Condition, Entity } from '../../api/types.ts'
import { filterIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ListColumn } from '../values/columns.ts'
import { RuleButton } from './rule-button.tsx'
import { SearchInput } from './search-input.tsx'
import './filter-bar.css'

const FilterChips = lazy(async () => ({
  default: (await import('./filter-chips.tsx')).FilterChips,
}))
const FilterDialog = lazy(async () => ({
  default: (await import('./filter-dialog.tsx')).FilterDialog,
}))

type BarProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly where: Condition | undefined
  readonly onChange: (where: Condition | undefined) => void
  /** What the records contain. */
  readonly words: string
  readonly onWords: (words: string) => void
}

export const FilterBar = (props: BarProps): ReactNode => {
  const { entity, columns, where, onChange } = props
  const texts = useTexts()
  const [isEdited, setIsEdited] = useState(false)
  return (
    <div className="filter-bar">
      <SearchInput words={props.words} onWords={props.onWords} />
      <RuleButton
        label={texts.filter.title}
        face={
          <>
            {filterIcon} <span className="wide-text">{texts.filter.add}</span>
          </>
        }
        entity={entity}
        columns={columns}
        where={where}
        onChange={onChange}
      />
      {where && (
        <Suspense fallback={<ChipPlaces where={where} />}>
          <FilterChips
            entity={entity}
            columns={columns}
            where={where}
            onChange={onChange}
            onAdvanced={() => setIsEdited(true)}
          />
        </Suspense>
      )}
      <Suspense>
        {isEdited && (
          <FilterDialog
            entity={entity}
            columns={columns}
            where={where}
            onChange={onChange}
            onClose={() => setIsEdited(false)}
          />
        )}
      </Suspense>
    </div>
  )
}

/** As many as there are conditions beside each other. */
const ChipPlaces = ({ where }: { readonly where: Condition }): ReactNode =>
  Object.keys(where).map((key) => <span key={key} className="filter-chip" />)
