/** The filter of a list: words, a form for one more condition, and what there is already. */
import { type ReactNode, useState } from 'react'
import type { Condition, Entity } from '../../api/types.ts'
import { filterIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ListColumn } from '../values/columns.ts'
import { RuleButton } from './rule-button.tsx'
import { SearchInput } from './search-input.tsx'
import './filter-bar.css'
import { laterPart } from '../../parts/later.tsx'

/** As many as there are conditions of one level. */
const ChipPlaces = ({ where }: { readonly where: Condition }): ReactNode =>
  Object.keys(where).map((key) => <span key={key} className="filter-chip" />)

const FilterChips = laterPart(
  async () => (await import('./filter-chips.tsx')).FilterChips,
  ChipPlaces,
)
const FilterDialog = laterPart(async () => (await import('./filter-dialog.tsx')).FilterDialog)

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
        <FilterChips
          entity={entity}
          columns={columns}
          where={where}
          onChange={onChange}
          onAdvanced={() => setIsEdited(true)}
        />
      )}
      {isEdited && (
        <FilterDialog
          entity={entity}
          columns={columns}
          where={where}
          onChange={onChange}
          onClose={() => setIsEdited(false)}
        />
      )}
    </div>
  )
}
