/** The filter of a list: a chip for each condition, to change or take away, and a form for one more. */
import { type ComponentProps, lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react'
import type { Condition, Entity } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon, filterIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ListColumn } from '../list/columns.ts'
import { describeFilter, type Wording } from './describe-filter.ts'
import { type Filter, type FilterGroup, parseFilter, printFilter } from './filter.ts'
import type { RuleForm as RuleFormPart } from './rule-form.tsx'
import { SearchInput } from './search-input.tsx'
import { useWording } from './use-wording.ts'
import './filter-bar.css'

const FilterDialog = lazy(async () => ({
  default: (await import('./filter-dialog.tsx')).FilterDialog,
}))
const RuleForm = lazy(async () => ({ default: (await import('./rule-form.tsx')).RuleForm }))

type BarProps = {
  readonly entity: Entity
  /** Those that can be filtered by. */
  readonly columns: readonly ListColumn[]
  readonly where: Condition | undefined
  readonly onChange: (where: Condition | undefined) => void
  /** What the records contain. */
  readonly words: string
  readonly onWords: (words: string) => void
}

const nothing: FilterGroup = { kind: 'group', join: 'and', items: [] }

export const FilterBar = (props: BarProps): ReactNode => {
  const { entity, columns, where, onChange } = props
  const texts = useTexts()
  const wording = useWording(entity)
  // What cannot be read here goes to the service as it is, which says what is wrong.
  const read = where === undefined ? nothing : parseFilter(where)
  const group = read ?? nothing
  const [isEdited, setIsEdited] = useState(false)
  const setItems = (items: readonly Filter[]) => onChange(printFilter({ ...group, items }))
  return (
    <div className="filter-bar">
      <SearchInput words={props.words} onWords={props.onWords} />
      {group.items.map((item, at) => (
        <Chip
          // Conditions have no name of their own, and their order is that of the address.
          key={JSON.stringify(item)}
          {...{ entity, columns, item, wording }}
          onEdit={() => setIsEdited(true)}
          onChange={(next) => setItems(group.items.toSpliced(at, 1, next))}
          onRemove={() => setItems(group.items.toSpliced(at, 1))}
        />
      ))}
      <RulePopover
        label={texts.filter.title}
        look="quiet"
        face={
          <>
            {filterIcon} {texts.filter.add}
          </>
        }
        {...{ entity, columns }}
        onDone={(rule) => setItems([...group.items, rule])}
      />
      {read && (
        <Button look="quiet" aria-haspopup="dialog" onClick={() => setIsEdited(true)}>
          {texts.filter.groups}
        </Button>
      )}
      {isEdited && (
        <Suspense>
          <FilterDialog
            {...{ entity, columns, where, onChange }}
            onClose={() => setIsEdited(false)}
          />
        </Suspense>
      )}
    </div>
  )
}

type ChipProps = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  readonly item: Filter
  readonly wording: Wording
  readonly onChange: (item: Filter) => void
  /** Opens the form of the whole filter, for what has no form of its own. */
  readonly onEdit: () => void
  readonly onRemove: () => void
}

const Chip = (props: ChipProps): ReactNode => {
  const { entity, columns, item, wording, onChange, onEdit, onRemove } = props
  const { filter } = wording.texts
  const text = describeFilter(item, wording)
  const column = item.kind === 'rule' ? wording.columnAt(item.path) : undefined
  return (
    <span className="filter-chip">
      {item.kind === 'rule' && column ? (
        <RulePopover
          label={filter.edit(text)}
          look="quiet"
          face={<span dir="auto">{text}</span>}
          entity={entity}
          columns={
            columns.some(({ path }) => path === column.path) ? columns : [...columns, column]
          }
          rule={item}
          onDone={onChange}
        />
      ) : (
        <Button look="quiet" aria-label={filter.edit(text)} onClick={onEdit}>
          <span dir="auto">{text}</span>
        </Button>
      )}
      <IconButton label={filter.removeOne(text)} icon={closeIcon} onClick={onRemove} />
    </span>
  )
}

type PopoverProps = ComponentProps<typeof RuleFormPart> & {
  readonly label: string
  readonly look: 'quiet'
  readonly face: ReactNode
}

/** A button that opens the form of a condition beside it; the form is loaded when it is first opened. */
const RulePopover = ({ label, look, face, onDone, ...form }: PopoverProps): ReactNode => {
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button look={look} popoverTarget={id} aria-label={label}>
        {face}
      </Button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className="menu rule-panel"
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        <Suspense>
          {isOpen && (
            <RuleForm
              {...form}
              onDone={(rule) => {
                panel.current?.hidePopover()
                onDone(rule)
              }}
            />
          )}
        </Suspense>
      </div>
    </>
  )
}
