/** The form of a whole filter: groups inside of groups, each of conditions that all or any must match. */
import { type FormEvent, type ReactNode, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Condition, Entity } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import {
  ConditionFields,
  type ConditionProps,
  focusFault,
  isReady,
  newRule,
} from './condition-fields.tsx'
import { describeFilter, useWording } from './describe-filter.ts'
import './filter-dialog.css'
import { printFilter } from './filter.ts'
import {
  type Draft,
  type DraftGroup,
  type DraftMany,
  type DraftRule,
  draftOf,
  draftRule,
  filterOf,
  newGroup,
  rulesOf,
  whereOf,
} from './filter-draft.ts'
import { filterFieldAt, filterFields } from './filter-fields.ts'

type DialogProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly where: Condition | undefined
  readonly onChange: (where: Condition | undefined) => void
  readonly onClose: () => void
}

export const FilterDialog = (props: DialogProps): ReactNode => {
  const { entity, columns, where, onChange, onClose } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const [draft, setDraft] = useState<DraftGroup>(() => draftOf(where))
  const [isChecked, setIsChecked] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const isRead = event.currentTarget.checkValidity()
    const isWhole = rulesOf(draft).every(({ rule, isNegated }) =>
      isReady(rule, filterFieldAt(rule.path, entity, entities), isNegated),
    )
    if (!isRead || !isWhole) {
      flushSync(() => setIsChecked(true))
      focusFault(event.currentTarget)
      return
    }
    onChange(whereOf(draft))
    onClose()
  }
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form className="filter-form" noValidate onSubmit={submit}>
        <GroupForm
          entity={entity}
          columns={columns}
          isChecked={isChecked}
          group={draft}
          level={1}
          onChange={(next: Draft) => next.kind === 'group' && setDraft(next)}
        />
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary">
            {texts.apply}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

// A group of conditions, and the groups inside of it.

type GroupProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly group: DraftGroup
  /** Whether what is wrong is said. */
  readonly isChecked: boolean
  /** Whether a group that it is in is negated. */
  readonly isInside?: boolean
  /** Of groups that it is in, from 1. */
  readonly level: number
  readonly onChange: (draft: Draft) => void
  readonly onRemove?: () => void
}

// The service takes 20.
const mostLevels = 20

const GroupForm = (props: GroupProps): ReactNode => {
  const { entity, columns, group, level, isChecked, isInside = false, onChange, onRemove } = props
  const isNegated = isInside || group.isNegated
  const { entities } = useSession()
  const texts = useWorkTexts().filter
  const setItems = (items: readonly Draft[]) => onChange({ ...group, items })
  const replace = (item: Draft) =>
    setItems(group.items.map((one) => (one.id === item.id ? item : one)))
  const remove = ({ id }: Draft) => setItems(group.items.filter((one) => one.id !== id))
  const rule = () => {
    const [first] = filterFields(entity, entities, 0)
    return first && draftRule(newRule(first))
  }
  const add = (item: Draft | undefined) => item && setItems([...group.items, item])
  const addGroup = () => {
    const first = rule()
    add(newGroup(first ? [first] : []))
  }
  return (
    <fieldset className="filter-group">
      <legend className="visually-hidden">{texts.group(level)}</legend>
      <div className="filter-group-head">
        <select
          aria-label={texts.joinOf(level)}
          value={`${group.isNegated ? 'not-' : ''}${group.join}`}
          onChange={({ target: { value } }) =>
            onChange({
              ...group,
              isNegated: value.startsWith('not-'),
              join: value.endsWith('or') ? 'or' : 'and',
            })
          }
        >
          {(['and', 'or', 'not-and', 'not-or'] as const).map((join) => (
            <option key={join} value={join}>
              {texts.joins[join]}
            </option>
          ))}
        </select>
        {onRemove && (
          <IconButton label={texts.removeGroup(level)} icon={closeIcon} onClick={onRemove} />
        )}
      </div>
      {group.items.map((item) =>
        item.kind === 'group' ? (
          <GroupForm
            key={item.id}
            entity={entity}
            columns={columns}
            isChecked={isChecked}
            isInside={isNegated}
            group={item}
            level={level + 1}
            onChange={replace}
            onRemove={() => remove(item)}
          />
        ) : item.kind === 'many' ? (
          <ManyForm key={item.id} entity={entity} item={item} onRemove={() => remove(item)} />
        ) : (
          <ConditionForm
            key={item.id}
            entity={entity}
            columns={columns}
            item={item}
            isChecked={isChecked}
            isNegated={isNegated}
            onChange={replace}
            onRemove={() => remove(item)}
          />
        ),
      )}
      <div className="filter-group-foot">
        <Button look="quiet" onClick={() => add(rule())}>
          {texts.addCondition}
        </Button>
        {level < mostLevels && (
          <Button look="quiet" onClick={addGroup}>
            {texts.addGroup}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

type ManyProps = Pick<GroupProps, 'entity'> & {
  readonly item: DraftMany
  readonly onRemove: () => void
}

/** What records of a one-to-many field meet is said, and may be removed. */
const ManyForm = ({ entity, item, onRemove }: ManyProps): ReactNode => {
  const texts = useWorkTexts().filter
  const filter = useMemo(() => filterOf(item), [item])
  const where = useMemo(() => printFilter(filter), [filter])
  const wording = useWording(entity, where)
  return (
    <div className="filter-condition">
      <span dir="auto">{describeFilter(filter, wording)}</span>
      <IconButton label={texts.removeCondition} icon={closeIcon} onClick={onRemove} />
    </div>
  )
}

type FormProps = Pick<ConditionProps, 'entity' | 'columns' | 'isChecked' | 'isNegated'> & {
  readonly item: DraftRule
  readonly onChange: (item: DraftRule) => void
  readonly onRemove: () => void
}

const ConditionForm = ({
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
