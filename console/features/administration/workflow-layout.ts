/** Where the steps of a workflow stand in its picture, and the lines between them. */
import { Graph, layout } from '@dagrejs/dagre'
import type { WorkflowStep } from '../../api/types.ts'
import type { StepLink } from './workflow-links.ts'

export type PlacedStep = {
  readonly step: WorkflowStep
  /** Of its centre. */
  readonly x: number
  readonly y: number
}

export type PlacedAction = {
  readonly key: string
  readonly label: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
  readonly x: number
  readonly y: number
}

export type WorkflowPicture = {
  readonly width: number
  readonly height: number
  readonly steps: readonly PlacedStep[]
  readonly actions: readonly PlacedAction[]
}

export const stepSize = { width: 148, height: 54 } as const

// Of a letter, in pixels; labels of actions need room between the steps.
const letterWidth = 6.6
const labelHeight = 18

export const layOut = (
  steps: readonly WorkflowStep[],
  links: readonly StepLink[],
): WorkflowPicture => {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 30, ranksep: 24, marginx: 8, marginy: 8 })
  for (const { key } of steps) graph.setNode(key, { ...stepSize })
  for (const [at, { from, to, label }] of links.entries())
    graph.setEdge(
      from,
      to,
      { width: label.length * letterWidth, height: labelHeight, labelpos: 'c' },
      `${at}`,
    )
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  return {
    width,
    height,
    steps: steps.map((step) => {
      const { x = 0, y = 0 } = graph.node(step.key)
      return { step, x, y }
    }),
    actions: links.map(({ from, to, label }, at) => {
      const { points = [], x = 0, y = 0 } = graph.edge(from, to, `${at}`)
      return { key: `${from} ${to} ${at}`, label, points, x, y }
    }),
  }
}
