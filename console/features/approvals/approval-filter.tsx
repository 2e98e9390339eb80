/** Narrows the approvals down to records of an entity, and to what can be done with them; each entity with its number. */
import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { approvalCountOf, type WantedApprovals } from '../../api/records/approvals.ts'
import type { Entity, WorkflowAction } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { nameOfKey } from '../format/format-value.ts'
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
  return (
    <div className="approval-filter">
      {(deciding.length > 1 || entity !== undefined) && (
        <EntityChoice wanted={wanted} want={want} deciding={deciding} />
      )}
      <select
        className="field-input"
        aria-label={texts.action}
        value={action ?? ''}
        onChange={({ target }) =>
          want({ ...(entity !== undefined && { entity }), ...chosen('action', target.value) })
        }
      >
        <option value="">{texts.anyAction}</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {texts.kinds[kind]}
          </option>
        ))}
        {[...decisions].map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
        {action !== undefined && !decisions.has(action) && !kinds.some((one) => one === action) && (
          <option value={action}>{action}</option>
        )}
      </select>
    </div>
  )
}

const chosen = (name: keyof WantedApprovals, value: string): WantedApprovals =>
  value === '' ? {} : { [name]: value }

type EntityProps = FilterProps & { readonly deciding: readonly Entity[] }

const EntityChoice = ({ wanted, want, deciding }: EntityProps): ReactNode => {
  const texts = useWorkTexts().approvals
  const { locale } = useReading()
  const { entity, action } = wanted
  const counts = useQueries({
    queries: deciding.map(({ key }) =>
      approvalCountOf({ ...chosen('action', action ?? ''), entity: key }),
    ),
    combine: (results) => results.map(({ data }) => data),
  })
  const print = new Intl.NumberFormat(locale)
  const numberAt = (at: number): string => {
    const found = counts[at]
    return found ? ` (${print.format(found.count)}${found.isCapped ? '+' : ''})` : ''
  }
  return (
    <select
      className="field-input"
      aria-label={texts.entity}
      value={entity ?? ''}
      // Actions belong to one entity.
      onChange={({ target }) => {
        const isKind = kinds.some((one) => one === action)
        want({ ...chosen('entity', target.value), ...(isKind && chosen('action', action ?? '')) })
      }}
    >
      <option value="">{texts.anyEntity}</option>
      {deciding.map(({ key, pluralName }, at) => (
        <option key={key} value={key}>
          {`${pluralName}${numberAt(at)}`}
        </option>
      ))}
      {entity !== undefined && !deciding.some(({ key }) => key === entity) && (
        <option value={entity}>{entity}</option>
      )}
    </select>
  )
}
