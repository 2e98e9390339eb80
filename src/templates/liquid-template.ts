/**
 * Liquid templates: of notifications, and of e-mails. Their names are known from the text alone, so that
 * a wrong name is found before a template runs.
 */
import { analyzeSync, Context, Liquid, Output, type Template, toValueSync, Value } from 'liquidjs'
import { registerExactNumbers } from './exact-numbers.ts'
import { type Reading, registerLocalFilters, setReading } from './local-filters.ts'
import { linearOperators, registerSearchFilters } from './search-filters.ts'

/** A parsed template with the names that it reads. */
export type LiquidTemplate = {
  readonly template: readonly Template[]
  readonly names: readonly TemplateName[]
  readonly isHtml: boolean
}

/** A name such as `record.supplier.name`; undefined segments are computed at run time. */
export type TemplateName = {
  readonly segments: readonly (string | undefined)[]
  /** Its place, counted from 1. */
  readonly line: number
}

// Records are data: their texts are never parsed as templates, and templates read own properties only.
// The limits end accidental endless loops.
const options = {
  ownPropertyOnly: true,
  strictFilters: true,
  parseLimit: 1_000_000,
  renderLimit: 1_000,
  memoryLimit: 10_000_000,
} as const
// These tags would read files of the machine.
const refusedTags = ['include', 'render', 'layout', 'block']
const createEngine = (more: { readonly outputEscape?: 'escape' } = {}): Liquid => {
  const engine = new Liquid({ ...options, ...more, operators: linearOperators, templates: {} })
  registerSearchFilters(engine)
  registerExactNumbers(engine)
  registerLocalFilters(engine)
  for (const tag of refusedTags) delete engine.tags[tag]
  return engine
}
type Kind = 'text' | 'html'
const engines: Partial<Record<Kind, Liquid>> = {}
/** Created with the first template, because many commands need none. */
const engineOf = (kind: Kind): Liquid => {
  // In HTML every value is text: text of a record is shown, never interpreted.
  engines[kind] ??= createEngine(kind === 'html' ? { outputEscape: 'escape' } : {})
  return engines[kind]
}

/** Parses a template; throws an error with message and place. */
export const parseTemplate = (text: string, kind: Kind = 'text'): LiquidTemplate => {
  const template = engineOf(kind).parse(text)
  const { globals } = analyzeSync(template, { partials: false })
  return { template, names: namesIn(globals), isHtml: kind === 'html' }
}

type Globals = ReturnType<typeof analyzeSync>['globals']

/** The names that a template reads, as Liquid found them. */
const namesIn = (globals: Globals): readonly TemplateName[] =>
  Object.values(globals).flatMap((variables) =>
    variables.map(({ segments, location }) => ({
      line: location.row,
      segments: (segments as readonly unknown[]).map((segment) =>
        // `tags[0]` has a number.
        typeof segment === 'object' ? undefined : String(segment),
      ),
    })),
  )

/** Renders a template; text of the data is never parsed. */
export const renderTemplate = (
  { template, isHtml }: LiquidTemplate,
  data: object,
  reading: Reading,
): string => {
  const engine = engineOf(isHtml ? 'html' : 'text')
  const context = new Context(data, engine.options, { sync: true }, { liquid: engine })
  setReading(context, reading)
  return String(engine.renderSync([...template], context)).trim()
}

/** The filters of a template, wherever they are. */
export const filtersOf = ({ template }: LiquidTemplate): ReadonlySet<string> => {
  const args = nodesOf(template).flatMap((node) => [...(node.arguments?.() ?? [])])
  const values = args.filter((one) => one instanceof Value)
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
