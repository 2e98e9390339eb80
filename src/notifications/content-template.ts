/**
 * The templates of a notification's content: Liquid, read once when the definition loads. What they
 * name is known from the text alone, so that a wrong name is found before anything runs.
 */
import { analyzeSync, Liquid, type Template } from 'liquidjs'

/** A parsed template with the names that it reads. */
export type ContentTemplate = {
  readonly template: readonly Template[]
  readonly names: readonly TemplateName[]
}

/** A name such as `record.supplier.name`; undefined segments are worked out only when it runs. */
export type TemplateName = { readonly segments: readonly (string | undefined)[] }

// Records are data: what stands in them is never read as a template, and templates read own
// properties only. The limits end a loop that was written by mistake.
const engine = new Liquid({
  ownPropertyOnly: true,
  strictFilters: true,
  parseLimit: 100_000,
  renderLimit: 1_000,
  memoryLimit: 10_000_000,
})

/** Reads a template; throws an error whose message says what is wrong and where in it. */
export const parseTemplate = (text: string): ContentTemplate => {
  const template = engine.parse(text)
  const { globals } = analyzeSync(template, { partials: false })
  const names = Object.values(globals).flatMap((variables) =>
    variables.map(({ segments }) => ({
      segments: (segments as readonly unknown[]).map((segment) =>
        typeof segment === 'string' ? segment : undefined,
      ),
    })),
  )
  return { template, names }
}

/** Fills a template in; text of the data stays text. */
export const renderTemplate = ({ template }: ContentTemplate, data: object): string =>
  String(engine.renderSync([...template], data)).trim()
