/** Narrows the approvals down to records of an entity, and to what can be done with them; each entity with its number. */
import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import { approvalCountOf, type WantedApprovals } from '../../api/records/approvals.ts'
import type { Entity, WorkflowAction } from '../../api/types.ts'
import { Choice } from '../../parts/choice.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'

const kinds = ['approveWorkflow', 'rejectWorkflow'] as const

/** The actions of an entity by which the user decides, each once. */
const decisionsOf = ({ workflow, permissions }: Entity): readonly WorkflowAction[] => {
  const all = workflow?.steps.flatMap(({ actions = [] }) => actions) ?? []
  const decide = all.filter(
    ({ key, kind }) => permissions.actions.includes(key) && kinds.some((one) => one === kind),
  )
  return [...new Map(decide.map((action) => [action.key, action])).values()]
}

type FilterProps = {
  readonly wanted: WantedApprovals
  readonly want: (wanted: WantedApprovals) => void
}

/** Nothing where there is nothing to choose from. */
export const ApprovalFilter = ({ wanted, want }: FilterProps): ReactNode => {
  const texts = useWorkTexts().approvals
  const { entities } = useSession()
  const deciding = [...entities.values()].filter((one) => decisionsOf(one).length > 0)
  const shown = deciding.filter(({ key }) => wanted.entity === undefined || key === wanted.entity)
  const decisions = new Map(
    shown.flatMap(decisionsOf).map(({ key, name }) => [key, name ?? nameOfKey(key)]),
  )
  const { entity, action } = wanted
  // One that an address names, and that is not possible any more.
  const isKnown =
    action === undefined || decisions.has(action) || kinds.some((one) => one === action)
  const others = isKnown ? [] : [action]
  return (
    <div className="approval-filter">
      {(deciding.length > 1 || entity !== undefined) && (
        <EntityChoice wanted={wanted} want={want} deciding={deciding} />
      )}
      <Choice
        aria-label={texts.action}
        value={action}
        none={texts.anyAction}
        options={[
          ...kinds.map((kind) => [kind, texts.kinds[kind]] as const),
          ...decisions,
          ...others.map((one) => [one, one] as const),
        ]}
        onChange={(value) =>
          want({ ...(entity !== undefined && { entity }), ...chosen('action', value) })
        }
      />
    </div>
  )
}

const chosen = (name: keyof WantedApprovals, value: string | undefined): WantedApprovals =>
  value === undefined ? {} : { [name]: value }

type EntityProps = FilterProps & { readonly deciding: readonly Entity[] }

const EntityChoice = ({ wanted, want, deciding }: EntityProps): ReactNode => {
  const texts = useWorkTexts().approvals
  const { locale } = useReading()
  const { entity, action } = wanted
  const counts = useQueries({
    queries: deciding.map(({ key }) =>
      approvalCountOf({ ...chosen('action', action), entity: key }),
    ),
    combine: (results) => results.map(({ data }) => data),
  })
  const print = new Intl.NumberFormat(locale)
  const numberAt = (at: number): string => {
    const found = counts[at]
    return found ? ` (${print.format(found.count)}${found.isCapped ? '+' : ''})` : ''
  }
  const isKnown = entity === undefined || deciding.some(({ key }) => key === entity)
  const others = isKnown ? [] : [entity]
  return (
    <Choice
      aria-label={texts.entity}
      value={entity}
      none={texts.anyEntity}
      options={[
        ...deciding.map(
          ({ key, pluralName }, at) => [key, `${pluralName}${numberAt(at)}`] as const,
        ),
        ...others.map((one) => [one, one] as const),
      ]}
      // Actions belong to one entity.
      onChange={(value) => {
        const isKind = kinds.some((one) => one === action)
        want({ ...chosen('entity', value), ...(isKind && chosen('action', action)) })
      }}
    />
  )
}
