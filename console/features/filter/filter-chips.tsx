/** The conditions of a filter, each a chip to change it or take it away. */
import type { ReactNode } from 'react'
import type { Condition, Entity } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import type { ListColumn } from '../values/columns.ts'
import { describeFilter, useWording, type Wording } from './describe-filter.ts'
import { type Filter, parseFilter, withoutItem } from './filter.ts'
import { RuleButton } from './rule-button.tsx'

type ChipsProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly where: Condition
  readonly onChange: (where: Condition | undefined) => void
  /** Opens the form of the whole filter. */
  readonly onAdvanced: () => void
}

/** None for what cannot be read here: it goes to the service as it is, which says what is wrong. */
export const FilterChips = (props: ChipsProps): ReactNode => {
  const { entity, where } = props
  const wording = useWording(entity, where)
  return parseFilter(where)?.items.map((item, at) => (
    // Conditions have no name of their own, and their order is that of the address.
    <Chip key={JSON.stringify(item)} {...props} item={item} at={at} wording={wording} />
  ))
}

type ChipProps = ChipsProps & {
  readonly item: Filter
  readonly at: number
  readonly wording: Wording
}

const Chip = ({ item, at, wording, onAdvanced, ...props }: ChipProps): ReactNode => {
  const { where, onChange } = props
  const { texts } = wording
  const text = describeFilter(item, wording)
  const face = <span dir="auto">{text}</span>
  return (
    <span className="filter-chip">
      {item.kind === 'rule' && wording.fieldAt(item.path) ? (
        <RuleButton {...props} face={face} at={at} label={texts.edit(text)} rule={item} />
      ) : (
        <Button look="quiet" aria-label={texts.edit(text)} onClick={onAdvanced}>
          {face}
        </Button>
      )}
      <IconButton
        label={texts.removeOne(text)}
        icon={closeIcon}
        onClick={() => onChange(withoutItem(where, at))}
      />
    </span>
  )
}
