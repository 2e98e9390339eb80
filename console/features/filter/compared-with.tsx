/** What a condition compares with: a value, or another field of the record. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import type { Comparison } from '../format/field-kinds.ts'
import { useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { otherField, otherPathOf, relations } from './comparisons.ts'
import { FieldChoice } from './field-choice.tsx'
import { areComparable, type FilterField, filterFieldAt, filterFields } from './filter-fields.ts'
import { OperandInput, useFaultWords } from './operand-input.tsx'
import type { ConditionFault } from './value-fault.ts'

type ComparedProps = {
  readonly id: string
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly found: FilterField
  readonly comparison: Comparison
  readonly value: unknown
  readonly fault: ConditionFault | undefined
  /** Undefined: nothing yet. */
  readonly onChange: (value: unknown) => void
}

// A field of the record, or of one that it links to, is enough to offer the choice.
const nearLinks = 1

export const ComparedWith = (props: ComparedProps): ReactNode => {
  const { id, entity, found, comparison, value, fault, onChange } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const other = otherPathOf(comparison, value)
  const isOffered =
    other !== undefined ||
    (comparison in relations &&
      filterFields(entity, entities, nearLinks).some((one) => areComparable(found, one)))
  return (
    <div className="filter-input">
      {other === undefined ? (
        <OperandInput
          id={id}
          comparison={comparison}
          value={value}
          onChange={onChange}
          entity={found.owner}
          field={found.field}
          fault={fault === 'negated' ? undefined : fault}
        />
      ) : (
        <OtherField {...props} path={other} />
      )}
      {isOffered && (
        <select
          aria-label={texts.comparedWith}
          value={other === undefined ? 'value' : 'field'}
          onChange={({ target }) => onChange(target.value === 'field' ? otherField('') : undefined)}
        >
          <option value="value">{texts.withValue}</option>
          <option value="field">{texts.withField}</option>
        </select>
      )}
    </div>
  )
}

const OtherField = (props: ComparedProps & { readonly path: string }): ReactNode => {
  const { id, entity, columns, found, path, fault, onChange } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const faultWords = useFaultWords()
  const problem = fault && (fault === 'negated' ? texts.negatedFields : faultWords(fault))
  return (
    <div className="filter-input">
      <label htmlFor={id}>{texts.otherField}</label>
      <FieldChoice
        id={id}
        entity={entity}
        columns={columns}
        label={texts.otherField}
        chosen={filterFieldAt(path, entity, entities)?.label ?? path}
        offers={(one) => areComparable(found, one)}
        fault={problem}
        onChoose={(one) => onChange(otherField(one.path))}
      />
    </div>
  )
}
