/** What can be done with the selected records: the first few as buttons, all others behind a menu. */
import { type ReactNode, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useTexts, useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { isEmpty, type ListSelection, matching } from '../grid/selection.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { Run } from './chunks.ts'
import { type Operation, operationName, reasonOf } from './operations.ts'
import { type Offer, useOperations } from './use-operations.ts'
import './bulk-actions.css'

export type ActionsProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly selected: ListSelection
}

// More would not fit beside each other.
const mostButtons = 3

export const BulkActions = ({ entity, search, selected }: ActionsProps): ReactNode => {
  const texts = useWorkTexts().bulk
  // The selection of now: what becomes of it does not change what is being done.
  const [chosen, setChosen] = useState<{
    readonly operation: Operation
    readonly criteria: ReturnType<typeof matching>
    readonly count: number | undefined
  }>()
  const isNone = isEmpty(selected.selection)
  const criteria = matching(selected.selection, search)
  const selection = { selection: selected.selection, criteria }
  const items = useOperations(entity, selection, !isNone)?.map((offer) => ({
    label: offerName(offer, texts),
    id: offerId(offer),
    onSelect: () => setChosen({ operation: offer.operation, criteria, count: selected.count }),
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
      {!isNone && items && <Buttons items={items} />}
      {chosen && (
        <BulkDialog
          {...chosen}
          entity={entity}
          onWritten={onWritten}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  )
}

/** Says how many of the records it fits where it does not fit all. */
const offerName = ({ operation, fitting }: Offer, texts: WorkTexts['bulk']): string => {
  const name = operationName(operation, texts)
  if (!fitting) return name
  const { count, total, isAtMost } = fitting
  if (isAtMost) return `${name} (${texts.upTo(count)})`
  return count === total ? name : `${name} (${texts.outOf(count, total)})`
}

/** The same while its count changes, so that its button keeps the focus. */
const offerId = ({ operation }: Offer): string =>
  operation.kind === 'action' ? `action ${operation.action.key}` : operation.kind

type Item = MenuItem & { readonly id: string }

const Buttons = ({ items }: { readonly items: readonly Item[] }): ReactNode => {
  const bulk = useWorkTexts().bulk
  const { common } = useTexts()
  const rest = items.slice(mostButtons)
  if (items.length === 0) return null
  return (
    <>
      <div className="bulk-wide">
        {items.slice(0, mostButtons).map(({ id, label, onSelect }) => (
          <Button key={id} aria-haspopup="dialog" onClick={onSelect}>
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
