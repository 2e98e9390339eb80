/** Where a record is in its workflow, the actions that are open to the user, and why others are not. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { labelOf, nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import type {
  ComparedPaths,
  LockedField,
  OpenAction,
  UnmetAction,
  UnmetRight,
} from '../../api/open-actions.ts'
import { actionsQuery, decidersQuery } from '../../api/queries.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { columnsAt, textAt } from '../values/columns.ts'
import { isEntered, ownFields } from '../values/own-fields.ts'
import { ActionDialog } from './action-dialog.tsx'
import { actionName } from './action-form.tsx'
import { stepTone } from './step-badge.tsx'
import './workflow.css'

type BarProps = {
  readonly entity: Entity
  readonly id: number
  /** What the record is called. */
  readonly name: string
  readonly step: unknown
  /** The version on the screen. */
  readonly etag: string | undefined
  /** Whether fields of the record were changed and not saved. */
  readonly isUnsaved: boolean
  /** Whether they are being saved. */
  readonly isSaving: boolean
}

/** The keys of decisions. */
const decisionKeys = { approveWorkflow: 'a', rejectWorkflow: 'r' } as const

/**
 * The chosen action. It is taken on the saved record: while changes are being saved, the action waits; otherwise the user is
 * asked to save them first.
 */
const useChosenAction = ({ isUnsaved, isSaving }: Pick<BarProps, 'isUnsaved' | 'isSaving'>) => {
  const [chosen, setChosen] = useState<OpenAction>()
  const [waiting, setWaiting] = useState<OpenAction>()
  const [isHeld, setIsHeld] = useState(false)
  const choose = (action: OpenAction) => {
    if (isSaving) setWaiting(action)
    else if (isUnsaved) setIsHeld(true)
    else setChosen(action)
  }
  if (waiting && !isSaving) {
    setWaiting(undefined)
    choose(waiting)
  }
  if (isHeld && !isUnsaved) setIsHeld(false)
  return { chosen, choose, close: () => setChosen(undefined), isHeld }
}

export const StepBar = (props: BarProps): ReactNode => {
  const { entity, id, name, step, etag } = props
  const texts = useWorkTexts().record
  const actions = useQuery(actionsQuery(entity.key, id))
  const { chosen, choose, close, isHeld } = useChosenAction(props)
  useShortcuts(
    Object.entries(decisionKeys).flatMap(([kind, keys]) => {
      const action = actions.data?.data.find((one) => one.kind === kind)
      return action ? [{ keys, label: actionName(action), run: () => choose(action) }] : []
    }),
  )
  const { workflow } = entity
  return (
    <div className="step-bar">
      <ol>
        {workflow?.steps.map(({ key, name }) => (
          <li
            key={key}
            aria-current={key === step ? 'step' : undefined}
            data-tone={stepTone(workflow, key)}
            dir="auto"
          >
            {name ?? key}
          </li>
        ))}
      </ol>
      <div className="step-actions">
        {actions.data?.data.map((action) => (
          <Button
            key={action.key}
            look={action.kind === 'approveWorkflow' ? 'primary' : 'plain'}
            onClick={() => choose(action)}
          >
            <span dir="auto">{actionName(action)}</span>
          </Button>
        ))}
      </div>
      {isHeld && (
        <p role="alert" className="action-held">
          {texts.saveFirst}
        </p>
      )}
      <UnmetActions entity={entity} actions={actions.data?.unmet ?? []} />
      <DecidersNote entity={entity} id={id} step={step} open={actions.data?.data} />
      {chosen && (
        <ActionDialog
          entity={entity}
          id={id}
          name={name}
          etag={etag}
          action={chosen}
          onClose={close}
        />
      )}
    </div>
  )
}

const isDecision = ({ kind }: { readonly kind: string }): boolean => kind in decisionKeys

type DecidersProps = Pick<BarProps, 'entity' | 'id' | 'step'> & {
  /** The actions that are open to the user; undefined until they are known. */
  readonly open: readonly OpenAction[] | undefined
}

/** Says that nobody can decide on the record now but administrators. */
const DecidersNote = ({ entity, id, step, open }: DecidersProps): ReactNode => {
  const { noDeciders } = useWorkTexts().record
  const waits = entity.workflow?.steps.find(({ key }) => key === step)?.actions?.some(isDecision)
  const enabled = waits === true && open !== undefined
  const { data } = useQuery({ ...decidersQuery(entity.key, id), enabled })
  if (!enabled || data !== false) return null
  return (
    <p className="unmet" role="status">
      {noDeciders}
    </p>
  )
}

type ActionsProps = { readonly entity: Entity; readonly actions: readonly UnmetAction[] }

/** Why actions that the user may take are not open: their condition does not hold for the record and the user. */
const UnmetActions = ({ entity, actions }: ActionsProps): ReactNode => {
  const texts = useWorkTexts().record
  const labelsOf = useComparedLabels(entity)
  const leftOut = useLeftOut(entity)
  return actions.map((action) => (
    <p key={action.key} className="unmet" dir="auto">
      {action.message === null
        ? texts.unmet(actionName(action), labelsOf(action))
        : `${texts.unmet(actionName(action), '')} ${action.message}`}
      {action.notBy.length > 0 && ` ${leftOut(action.notBy)}`}
    </p>
  ))
}

/** Says that others are to take an action: the record links to the user, or the user took an action before. */
const useLeftOut = (entity: Entity): ((names: UnmetAction['notBy']) => string) => {
  const texts = useWorkTexts().record
  const { locale } = useReading()
  const taken = (entity.workflow?.steps ?? []).flatMap((step) => step.actions ?? [])
  const reasonOf = (name: string) => {
    const link = entity.fields.find((field) => field.key === name)
    const action = taken.find(({ key }) => key === name)
    return link
      ? texts.leftOut.link(`“${labelOf(link)}”`)
      : texts.leftOut.action(`“${action?.name ?? nameOfKey(name)}”`)
  }
  return (names) => texts.leftOut.others(new Intl.ListFormat(locale).format(names.map(reasonOf)))
}

type RightsProps = { readonly entity: Entity; readonly rights: readonly UnmetRight[] }

/** Why the record cannot be changed or removed now: a condition of the user's role does not hold. */
export const UnmetRights = ({ entity, rights }: RightsProps): ReactNode => {
  const texts = useWorkTexts().record
  const labelsOf = useComparedLabels(entity)
  const unmet = rights.map(({ right, message, ...compared }) => ({
    right,
    message,
    labels: message === null ? labelsOf(compared) : '',
  }))
  const [first, second] = unmet
  const isSame = first?.labels === second?.labels && first?.message === second?.message
  const shown = first && isSame ? [{ ...first, right: 'both' as const }] : unmet
  return shown.map(({ right, labels, message }) => (
    <p key={right} className="unmet" dir="auto">
      {texts.unmetRights[right](labels)} {message}
    </p>
  ))
}

type LockedProps = { readonly entity: Entity; readonly locked: readonly LockedField[] }

/** Which fields a step locks, or that all are locked: by the step of this record, or of the one to which it belongs. */
export const LockedNote = ({ entity, locked }: LockedProps): ReactNode => {
  const texts = useWorkTexts().record
  const { locale } = useReading()
  const [first] = locked
  if (!first || entity.permissions.update === false) return null
  const labelOfKey = (key: string) => {
    const field = entity.fields.find((one) => one.key === key)
    return `“${field ? labelOf(field) : nameOfKey(key)}”`
  }
  const keys = new Set(locked.map(({ key }) => key))
  const isWhole = ownFields(entity).every((field) => !isEntered(field) || keys.has(field.key))
  const list = new Intl.ListFormat(locale).format([...keys].map(labelOfKey))
  const step = first.step?.name ?? ''
  const note = isWhole ? texts.lockedRecord(step) : texts.lockedFields(list, step)
  return (
    <p className="unmet" dir="auto">
      {first.through === null ? note : texts.lockedThrough(labelOfKey(first.through), step)}
    </p>
  )
}

/** Prints what a condition compares: labels of fields, and values of the user; empty if the user may see none of it. */
const useComparedLabels = (entity: Entity): ((compared: ComparedPaths) => string) => {
  const texts = useWorkTexts().record
  const reading = useReading()
  const { entities, me } = useSession()
  const userEntity = entities.get('user')
  // Users without permission to read users know only their own record.
  const labelAt = (path: string, start: Entity | undefined, row?: RecordRow) => {
    const [column] = start ? columnsAt([path], start, entities) : []
    const label = `“${column?.label ?? nameOfKey(path)}”`
    const value = column && row && column.place.length === 1 ? textAt(row, column, reading) : ''
    return value === '' ? label : `${label} (${value})`
  }
  return ({ fields, callerFields }) =>
    new Intl.ListFormat(reading.locale).format([
      ...fields.map((path) => labelAt(path, entity)),
      ...callerFields.map((path) => texts.yours(labelAt(path, userEntity, me))),
    ])
}
