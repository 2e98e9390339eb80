/** Every kind of workflow action: its name, and one row with what its definition says. */

/** The names of all kinds. */
export const actionKindNames = [
  'proceedToStep',
  'approveWorkflow',
  'rejectWorkflow',
  'returnToStep',
] as const
export type ActionKind = (typeof actionKindNames)[number]

type Action = { readonly kind: ActionKind; readonly to?: string }
type Step = { readonly key: string; readonly actions?: readonly Action[] }

/** A step among all steps of its workflow. */
type Place = { readonly from: string; readonly steps: readonly Step[] }

type ActionKindRow = {
  /** The properties of a kind of action. */
  readonly meaning: string
  /** Whether its definition names the target step (`to`). */
  readonly namesStep: boolean
  /** Whether it decides on the record: such records wait in the list of approvals. */
  readonly isDecision?: true
  /** Keys of the steps that an action may lead to. */
  readonly targets: (action: Action, place: Place) => readonly string[]
}

const toNamedStep = {
  namesStep: true,
  targets: ({ to }: Action) => (to === undefined ? [] : [to]),
}

/** The steps from which an action that names its step leads here. */
const stepsBefore = ({ from, steps }: Place): readonly string[] =>
  steps
    .filter(({ key, actions = [] }) => key !== from && actions.some(({ to }) => to === from))
    .map(({ key }) => key)

export const actionKinds: Readonly<Record<ActionKind, ActionKindRow>> = {
  proceedToStep: { ...toNamedStep, meaning: 'moves the record to the step `to`' },
  approveWorkflow: {
    ...toNamedStep,
    meaning: 'approves the record and moves it to `to`',
    isDecision: true,
  },
  rejectWorkflow: {
    ...toNamedStep,
    meaning: 'rejects the record and moves it to `to`',
    isDecision: true,
  },
  returnToStep: {
    namesStep: false,
    meaning: 'moves the record back to the step that it came from',
    targets: (_action, place) => stepsBefore(place),
  },
}

/** Keys of the steps that an action may lead to. */
export const targetsOf = (action: Action, place: Place): readonly string[] =>
  actionKinds[action.kind].targets(action, place)
