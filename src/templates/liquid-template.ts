/**
 * Liquid templates: of notifications, and of e-mails. What they name is known from the text alone, so
 * that a wrong name is found before anything runs.
 */
import { analyzeSync, Liquid, type Template } from 'liquidjs'
import { quickOperators, searchQuickly } from './long-needles.ts'

/** A parsed template with the names that it reads. */
export type LiquidTemplate = {
  readonly template: readonly Template[]
  readonly names: readonly TemplateName[]
  readonly isHtml: boolean
}

/** A name such as `record.supplier.name`; undefined segments are worked out only when it runs. */
export type TemplateName = {
  readonly segments: readonly (string | undefined)[]
  /** Where it stands, from 1. */
  readonly line: number
}

// Records are data: what stands in them is never read as a template, and templates read own
// properties only. The limits end a loop that was written by issue.
const options = {
  ownPropertyOnly: true,
  strictFilters: true,
  parseLimit: 1_000_000,
  renderLimit: 1_000,
  memoryLimit: 10_000_000,
} as const
// A template reads its data and nothing else: these tags would open files of the machine.
const refusedTags = ['include', 'render', 'layout', 'block']
const createEngine = (more: { readonly outputEscape?: 'escape' } = {}): Liquid => {
  const engine = new Liquid({ ...options, ...more, operators: quickOperators, templates: {} })
  searchQuickly(engine)
  for (const tag of refusedTags) delete engine.tags[tag]
  return engine
}
type Kind = 'text' | 'html'
const engines: Partial<Record<Kind, Liquid>> = {}
/** Made with the first template of its kind: many commands start without one. */
const engineOf = (kind: Kind): Liquid => {
  // In HTML every value is text: what a person wrote into a record is shown, never run.
  engines[kind] ??= createEngine(kind === 'html' ? { outputEscape: 'escape' } : {})
  return engines[kind]
}

/** Reads a template; throws an error whose message says what is wrong and where in it. */
export const parseTemplate = (text: string, kind: Kind = 'text'): LiquidTemplate => {
  const template = engineOf(kind).parse(text)
  const { globals } = analyzeSync(template, { partials: false })
  const names = Object.values(globals).flatMap((variables) =>
    variables.map(({ segments, location }) => ({
      line: location.row,
      segments: (segments as readonly unknown[]).map((segment) =>
        // `tags[0]` has a number.
        typeof segment === 'object' ? undefined : String(segment),
      ),
    })),
  )
  return { template, names, isHtml: kind === 'html' }
}

/** Fills a template in; text of the data stays text. */
export const renderTemplate = ({ template, isHtml }: LiquidTemplate, data: object): string =>
  String(engineOf(isHtml ? 'html' : 'text').renderSync([...template], data)).trim()
