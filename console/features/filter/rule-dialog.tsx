/** The dialog of one condition, wherever it is opened: field, comparison, value. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Condition, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useFilterTexts } from '../../texts/filter/texts.ts'
import { ConditionFields, isReady, newRule } from '../condition/condition-fields.tsx'
import { filterFieldAt, filterFields } from '../condition/filter-fields.ts'
import { focusFault } from '../condition/focus-fault.ts'
import type { ListColumn } from '../list/columns.ts'
import { useSession } from '../session/session.ts'
import { type FilterRule, withRule } from './filter.ts'
import { mixedUnitOf } from './unit/mixed-unit.ts'
import { UnitChoice } from './unit/unit-choice.tsx'
import './rule-dialog.css'

type FormProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  /** The filter that it changes. */
  readonly where: Condition | undefined
  /** The condition to change, by its place; without it a new one. */
  readonly at?: number
  readonly rule?: FilterRule | undefined
  readonly onChange: (where: Condition) => void
  readonly onDone: () => void
  /** Opens the form of the whole filter. */
  readonly onAdvanced: () => void
}

type DialogProps = Omit<FormProps, 'onDone'> & {
  readonly title: string
  readonly onClose: () => void
}

/** Escape and Cancel close it, and the focus goes back to what opened it. */
export const RuleDialog = ({ title, onClose, ...form }: DialogProps): ReactNode => (
  <Dialog title={title} onClose={onClose}>
    <RuleForm {...form} onDone={onClose} />
  </Dialog>
)

const RuleForm = (props: FormProps): ReactNode => {
  const { entity, columns, where, at, onChange, onDone, onAdvanced } = props
  const texts = useFilterTexts()
  const { entities } = useSession()
  const [rule, setRule] = useState(() => {
    const [first] = filterFields(entity, entities, 0)
    return props.rule ?? (first && newRule(first))
  })
  const [unitRule, setUnitRule] = useState<FilterRule>()
  const [isChecked, setIsChecked] = useState(false)
  if (!rule) return null
  const unit = mixedUnitOf(rule, where, entity, entities)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const isRead = event.currentTarget.checkValidity()
    if (isRead && isReady(rule, filterFieldAt(rule.path, entity, entities))) {
      onDone()
      const changed = withRule(where, rule, at)
      onChange(unitRule && unitRule.path === unit?.path ? withRule(changed, unitRule) : changed)
      return
    }
    flushSync(() => setIsChecked(true))
    focusFault(event.currentTarget)
  }
  return (
    <form className="rule-form" noValidate onSubmit={submit}>
      <ConditionFields {...{ entity, columns, rule, isChecked }} onChange={setRule} />
      {unit && <UnitChoice key={unit.path} {...{ unit }} onChange={setUnitRule} />}
      <Button look="quiet" aria-haspopup="dialog" onClick={onAdvanced}>
        {texts.advanced}
      </Button>
      <DialogActions onCancel={onDone}>
        <Button type="submit" look="primary">
          {texts.apply}
        </Button>
      </DialogActions>
    </form>
  )
}
