/** The form of a condition on a column of a list. */
import type { ReactNode } from 'react'
import type { Condition, Entity } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { newRule } from './condition-fields.tsx'
import { shownFields } from './filter-fields.ts'
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
  const { column, ...dialog } = props
  const { entity } = dialog
  const { filter } = useTexts()
  const { entities } = useSession()
  const [field] = shownFields([column], entity, entities)
  return <RuleDialog {...dialog} title={filter.title} rule={field && newRule(field)} />
}
