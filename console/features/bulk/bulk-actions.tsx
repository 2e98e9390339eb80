/** What can be done with the selected records: the first operations as buttons, the others in a menu. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { actionsOfManyQuery, mostAsked } from '../../api/bulk.ts'
import { type Group, groupsQuery } from '../../api/totals.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useTexts, useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { isEmpty, type ListSelection, matching, type Selection } from '../grid/selection.ts'
import { settleMs } from '../grid/unit-sums.tsx'
import { useDelayed } from '../values/use-delayed.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { Run } from './bulk-write.ts'
import { countOf, type Operation, operationName, operationsOf, reasonOf } from './operations.ts'
import './bulk.css'

export type ActionsProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly selected: ListSelection
}

// More do not fit in one row.
const mostButtons = 3

export const BulkActions = ({ entity, search, selected }: ActionsProps): ReactNode => {
  const texts = useWorkTexts().bulk
  // With the selection of this moment; later changes of it do not change the running write.
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

/** The name of an operation, with the number of records that it fits if it does not fit all. */
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

type Fitting = {
  readonly count: number
  readonly total: number
  /** Whether the action has a condition too, which may hold for fewer. */
  readonly isAtMost: boolean
}

/** An operation, and for how many of the selected records it is open; undefined if unknown. */
type Offer = {
  readonly operation: Operation
  readonly fitting?: Fitting
}

type Selected = {
  readonly selection: Selection
  readonly criteria: Pick<Criteria, '$where' | '$search'>
}

/** What the service is asked about. */
type Query = { readonly criteria: Selected['criteria']; readonly ids: readonly number[] }

/**
 * The operations for the selected records; undefined until their steps are known. If these cannot be read, the check says
 * which records an action fits. For up to a hundred records the service also says which actions are open, if the step
 * alone does not decide.
 */
const useOperations = (
  entity: Entity,
  { selection, criteria }: Selected,
  isEnabled: boolean,
): readonly Offer[] | undefined => {
  const operations = operationsOf(entity)
  const hasSteps =
    operations.some(({ kind }) => kind === 'action') &&
    entity.fields.some(({ column }) => column === '_step')
  const ids = selection.kind === 'some' && selection.ids.size <= mostAsked ? selection.ids : []
  const current: Query = { criteria, ids: [...ids].sort((one, other) => one - other) }
  const settled: Query = JSON.parse(useDelayed(JSON.stringify(current), settleMs))
  const steps = useQuery({
    ...groupsQuery({ entity: entity.key, criteria: settled.criteria, path: undefined }, ['_step']),
    enabled: hasSteps && isEnabled,
  })
  const isDecided = operations.every((operation) => !isUndecided(operation, entity))
  const open = useQuery({
    ...actionsOfManyQuery(entity.key, settled.ids),
    enabled: hasSteps && isEnabled && !isDecided && settled.ids.length > 0,
  })
  if (hasSteps && steps.isPending) return undefined
  const groups = hasSteps && !steps.error && steps.data?.groupsAreComplete && steps.data.groups
  if (!groups) return operations.map((operation) => ({ operation }))
  // The numbers of two selections do not match.
  const exact = steps.isPlaceholderData ? undefined : open.data
  return operations.flatMap((operation) => offersOf(operation, entity, groups, exact))
}

/** Whether not only the step of a record decides if an action is open. */
const isUndecided = (operation: Operation, entity: Entity): boolean =>
  operation.kind === 'action' &&
  (operation.action.kind === 'returnToStep' || isConditional(operation.action.key, entity))

const isConditional = (key: string, { permissions }: Entity): boolean =>
  permissions.conditionalActions.includes(key)

/** No offer of an action that is open for no record. */
const offersOf = (
  operation: Operation,
  entity: Entity,
  groups: readonly Group[],
  open: ReadonlyMap<string, number> | undefined,
): readonly Offer[] => {
  if (operation.kind !== 'action') return [{ operation }]
  const { key } = operation.action
  const total = countOf(groups)
  const isAtMost = !open && isConditional(key, entity)
  const count = open ? (open.get(key) ?? 0) : countInSteps(key, entity, groups)
  return count === 0 ? [] : [{ operation, fitting: { count, total, isAtMost } }]
}

/** How many of the records are in a step that has the action. */
const countInSteps = (key: string, { workflow }: Entity, groups: readonly Group[]): number => {
  const having = new Set<unknown>(
    workflow?.steps
      .filter(({ actions }) => actions?.some((one) => one.key === key))
      .map((one) => one.key),
  )
  return countOf(groups.filter((group) => having.has(group.key._step)))
}
