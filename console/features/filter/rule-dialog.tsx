/** The dialog of one condition, wherever it is opened: field, comparison, value. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Condition, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useFilterTexts } from '../../texts/filter/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { ConditionFields, isReady, newRule } from '../condition/condition-fields.tsx'
import { filterFieldAt, filterFields } from '../condition/filter-fields.ts'
import { focusFault } from '../condition/focus-fault.ts'
import type { ListColumn } from '../list/columns.ts'
import { useSession } from '../session/session.ts'
import { type FilterRule, withRule } from './filter.ts'
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
  const { common } = useTexts()
  const { entities } = useSession()
  const [rule, setRule] = useState(() => {
    const [first] = filterFields(entity, entities, 0)
    return props.rule ?? (first && newRule(first))
  })
  const [isChecked, setIsChecked] = useState(false)
  if (!rule) return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isReady(rule, filterFieldAt(rule.path, entity, entities))) {
      onDone()
      onChange(withRule(where, rule, at))
      return
    }
    flushSync(() => setIsChecked(true))
    focusFault(event.currentTarget)
  }
  return (
    <form className="rule-form" noValidate onSubmit={submit}>
      <ConditionFields {...{ entity, columns, rule, isChecked }} onChange={setRule} />
      <Button look="quiet" aria-haspopup="dialog" onClick={onAdvanced}>
        {texts.advanced}
      </Button>
      <div className="dialog-actions">
        <Button onClick={onDone}>{common.cancel}</Button>
        <Button type="submit" look="primary">
          {texts.apply}
        </Button>
      </div>
    </form>
  )
}
