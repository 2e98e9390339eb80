/** One condition among others: what it compares, and whether it is negated. */
import type { ReactNode } from 'react'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { ConditionFields, type ConditionProps } from './condition-fields.tsx'
import type { DraftRule } from './filter-draft.ts'

type FormProps = Pick<ConditionProps, 'entity' | 'columns' | 'isChecked' | 'isNegated'> & {
  readonly item: DraftRule
  readonly onChange: (item: DraftRule) => void
  readonly onRemove: () => void
}

export const ConditionForm = ({
  item,
  isNegated = false,
  onChange,
  onRemove,
  ...fields
}: FormProps): ReactNode => {
  const texts = useWorkTexts().filter
  return (
    <div className="filter-condition">
      <ConditionFields
        {...fields}
        rule={item.rule}
        isNegated={isNegated || item.isNegated}
        onChange={(rule) => onChange({ ...item, rule })}
      />
      <label className="filter-not">
        <input
          type="checkbox"
          checked={item.isNegated}
          onChange={({ target }) => onChange({ ...item, isNegated: target.checked })}
        />
        {texts.not}
      </label>
      <IconButton label={texts.removeCondition} icon={closeIcon} onClick={onRemove} />
    </div>
  )
}
