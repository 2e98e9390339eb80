/** The form of a condition on a column of a list, or then of the whole filter. */
import { type ReactNode, useState } from 'react'
import type { Condition, Entity } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { newRule } from '../condition/condition-fields.tsx'
import { shownFields } from '../condition/filter-fields.ts'
import type { ListColumn } from '../list/columns.ts'
import { useSession } from '../session/session.ts'
import { FilterDialog } from './filter-dialog.tsx'
import { RuleDialog } from './rule-dialog.tsx'

type FilterProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly column: ListColumn
  readonly where: Condition | undefined
  readonly onChange: (where: Condition | undefined) => void
  readonly onClose: () => void
}

export const ColumnFilter = (props: FilterProps): ReactNode => {
  const { entity, columns, column, where, onChange, onClose } = props
  const { filter } = useTexts()
  const { entities } = useSession()
  const [isWhole, setIsWhole] = useState(false)
  const [field] = shownFields([column], entity, entities)
  const common = { entity, columns, where, onChange }
  if (isWhole) return <FilterDialog {...common} onClose={onClose} />
  return (
    <RuleDialog
      {...common}
      title={filter.title}
      rule={field && newRule(field)}
      onClose={onClose}
      onAdvanced={() => setIsWhole(true)}
    />
  )
}
