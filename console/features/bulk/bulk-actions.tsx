/** What the role may do with the selected records: the first few as buttons, all others behind a menu. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useBulkTexts } from '../../texts/bulk/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import type { ListSearch } from '../list/list-state.ts'
import { isEmpty, matching } from '../selection/selection.ts'
import type { ListSelection } from '../selection/use-selection.ts'
import type { Run } from './chunks.ts'
import { type Operation, operationName, operationsOf, reasonOf } from './operations.ts'
import './bulk-actions.css'

const BulkDialog = lazy(async () => ({ default: (await import('./bulk-dialog.tsx')).BulkDialog }))

export type ActionsProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly selected: ListSelection
}

// More would not fit beside each other.
const mostButtons = 3

export const BulkActions = ({ entity, search, selected }: ActionsProps): ReactNode => {
  const texts = useBulkTexts()
  // The selection of now: what becomes of it does not change what is being done.
  const [chosen, setChosen] = useState<{
    readonly operation: Operation
    readonly criteria: ReturnType<typeof matching>
    readonly count: number | undefined
  }>()
  const items = operationsOf(entity).map((operation) => ({
    label: operationName(operation, texts),
    onSelect: () =>
      setChosen({
        operation,
        criteria: matching(selected.selection, search),
        count: selected.count,
      }),
  }))
  const onWritten = ({ outcomes, left }: Run) => {
    const refused = outcomes.filter(({ status }) => status === 'refused')
    const reasons = refused.map((one) => [one.id, reasonOf(one, entity, texts)] as const)
    selected.keep(
      [...refused, ...left].map(({ id }) => id),
      new Map(reasons),
    )
  }
  return (
    <>
      {!isEmpty(selected.selection) && <Buttons items={items} />}
      {chosen && (
        <Suspense>
          <BulkDialog {...chosen} {...{ entity, onWritten }} onClose={() => setChosen(undefined)} />
        </Suspense>
      )}
    </>
  )
}

const Buttons = ({ items }: { readonly items: readonly MenuItem[] }): ReactNode => {
  const bulk = useBulkTexts()
  const { common } = useTexts()
  const rest = items.slice(mostButtons)
  if (items.length === 0) return null
  return (
    <>
      <div className="bulk-wide">
        {items.slice(0, mostButtons).map(({ label, onSelect }) => (
          <Button key={label} aria-haspopup="dialog" onClick={onSelect}>
            <span dir="auto">{label} …</span>
          </Button>
        ))}
        {rest.length > 0 && (
          <Menu label={common.more} face={common.more} look="plain" items={rest} />
        )}
      </div>
      <div className="bulk-narrow">
        <Menu label={bulk.actions} face={bulk.actions} look="plain" items={items} />
      </div>
    </>
  )
}
