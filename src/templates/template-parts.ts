/** What a template is made of, known from its text alone: its filters, and the names that it prints. */
import { analyzeSync, Output, type Template, toValueSync, Value } from 'liquidjs'
import { type LiquidTemplate, namesIn, type TemplateName } from './liquid-template.ts'

/** The filters of a template, wherever they are. */
export const filtersOf = ({ template }: LiquidTemplate): ReadonlySet<string> => {
  const given = nodesOf(template).flatMap((node) => [...(node.arguments?.() ?? [])])
  const values = given.filter((one) => one instanceof Value)
  return new Set(values.flatMap(({ filters }) => filters.map(({ name }) => name)))
}

/** The names of what is printed where it stands: not those of conditions alone. */
export const printedNames = ({ template }: LiquidTemplate): readonly TemplateName[] => {
  const outputs = nodesOf(template).filter((node) => node instanceof Output)
  return namesIn(analyzeSync([...outputs], { partials: false }).globals)
}

/** The parts of templates with all parts inside of them. */
const nodesOf = (templates: readonly Template[]): readonly Template[] =>
  templates.flatMap((node) => {
    const inner = node.children ? (toValueSync(node.children(false, true)) as Template[]) : []
    return [node, ...nodesOf(inner)]
  })
